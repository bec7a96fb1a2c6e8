#include "traffic/translate/statement_translator.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace sparsecast::traffic {

StatementTranslator::StatementTranslator(const SourceText& source, const std::vector<Region>& regions,
                                         VariableScope scope, const ProgramNames& names, std::string stem,
                                         std::vector<std::size_t>& slots, Edits& edits)
    : source_(source),
      regions_(regions),
      scope_(std::move(scope)),
      names_(names),
      stem_(std::move(stem)),
      slots_(slots),
      edits_(edits),
      account_("SLM_" + stem_) {}

std::size_t StatementTranslator::new_slot(std::size_t offset) {
  slots_.push_back(source_.line(offset));
  return slots_.size();
}

void StatementTranslator::run(const Block& body, const std::string& header) {
  body_ = &body;
  header_ = header;
  for (const Statement& statement : body.statements) {
    if (statement.kind == StatementKind::function) continue;
    edits_.before(statement, {header});
    break;
  }
  block(body, {});
}

// `first` is counted when the block begins.
void StatementTranslator::block(const Block& body, std::vector<Entry> first, const std::vector<std::string>& sizes) {
  for (Entry& entry : first) account_.add(std::move(entry));
  const Statement* last = nullptr;
  for (const Statement& statement : body.statements)
    if (statement.kind != StatementKind::function) last = &statement;
  if (last == nullptr) {
    std::vector<std::string> code = sizes;
    for (std::string& line : account_.flush()) code.push_back(std::move(line));
    edits_.at_begin(body, code);
    return;
  }
  bool begun = sizes.empty();
  for (const Statement& made : body.statements) {
    if (made.kind == StatementKind::function) continue;
    if (!begun) edits_.before(made, sizes);
    begun = true;
    statement(made);
    if (guarded_ > 0 && !account_.empty()) edits_.after(made, account_.flush());
  }
  if (!account_.empty()) edits_.after(*last, account_.flush());
}

void StatementTranslator::flush_before(const Statement& statement, std::vector<std::string> code) {
  for (std::string& line : account_.flush()) code.push_back(std::move(line));
  edits_.before(statement, code);
}

void StatementTranslator::statement(const Statement& made) {
  switch (made.kind) {
    case StatementKind::directive:
      return directive(made);
    case StatementKind::command:
      return command(made);
    case StatementKind::expression:
      return expression(made);
    case StatementKind::global:
    case StatementKind::persistent:
      return declaration(made);
    case StatementKind::break_:
    case StatementKind::continue_:
    case StatementKind::return_:
      return jump(made);
    case StatementKind::if_:
      return if_statement(made);
    case StatementKind::while_:
      return while_statement(made);
    case StatementKind::do_until:
      return do_statement(made);
    case StatementKind::for_:
    case StatementKind::parfor:
      return for_statement(made);
    case StatementKind::switch_:
      return switch_statement(made);
    case StatementKind::try_:
    case StatementKind::unwind:
      return guarded(made);
    case StatementKind::function:
      return;
  }
}

std::vector<std::string> StatementTranslator::size_code(const std::string& variable) {
  if (scope_.numbers.contains(variable)) return {};
  const std::string size = size_name(variable);
  if (names_.sliced.contains(variable))
    return {fmt::format("[{}, {}] = SLMbytes({});", size, element_name(variable), variable)};
  return {fmt::format("{} = SLMbytes({});", size, variable)};
}

std::string StatementTranslator::size_if_there(const std::string& variable) {
  return fmt::format("if exist('{}', 'var'), {} end;", variable, size_code(variable)[0]);
}

Entry StatementTranslator::condition(const Node& node, bool may_split, std::vector<std::string>& before) {
  std::size_t slot = 0;
  const auto take_slot = [&] {
    if (slot == 0) slot = new_slot(node.begin);
    return slot;
  };
  ExpressionRewriter rewriter(
      source_, scope_, names_, [&] { return account_.slot(take_slot()); }, may_split && assigned_nodes(node).empty());
  const std::string text = rewriter.rewrite(node, Role::load);
  if (text != source_.slice(node.begin, node.end)) edits_.replace(node.begin, node.end, text);
  before = rewriter.before();
  Entry entry;
  rewriter.finish(entry);
  for (const Node* target : assigned_nodes(node))
    for (Term& term : stored(*target, rewriter)) entry.stores.push_back(std::move(term));
  if (!entry.empty()) entry.slot = take_slot();
  return entry;
}

void StatementTranslator::declaration(const Statement& made) {
  if (!counting()) return;
  std::vector<std::string> code;
  for (const Node& node : made.nodes) {
    const std::string& name = node.kind == NodeKind::assign ? node.children[0].text : node.text;
    for (std::string& line : account_.before_resize(name, false)) code.push_back(std::move(line));
    for (std::string& line : size_code(name)) code.push_back(std::move(line));
  }
  edits_.after(made, code);
}

void StatementTranslator::command(const Statement& made) {
  const std::string& text = made.nodes[0].text;
  const std::string word = text.substr(0, text.find_first_of(" \t"));
  if (word != "clear" && word != "clearvars") return;
  // "clear x y" leaves the counters alone; options and patterns may not.
  const bool names_only =
      text.size() > word.size() && text.find_first_of("-*?[]'\"(", word.size()) == std::string::npos;
  bool all = false;
  for (const std::string_view name : base::split(text, ' '))
    all = all || name == "all" || name == "classes" || name == "functions" || name == "global" || name == "variables" ||
          name == "mex";
  if (names_only && !all) {
    if (counting()) flush_before(made);
    return;
  }
  if (counting())
    source_.refuse(made.begin, "'" + text + "' inside the region '" + open_.back()->name + "' would clear its counters",
                   "clear in front of the region");
  edits_.before(made, {"SLMkeep('keep');"});
  edits_.after(made, {"SLMkeep('restore');", header_});
}

}  // namespace sparsecast::traffic
