#include "traffic/statement_translator.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"

namespace sparsecast::traffic {
namespace {

const Region* region_at(const std::vector<Region>& regions, std::size_t offset) {
  for (const Region& region : regions)
    if (region.begin == offset || region.end == offset) return &region;
  return nullptr;
}

void each_node(const Block& block, const std::function<void(const Node&)>& f) {
  for (const Statement& statement : block.statements) {
    if (statement.kind == StatementKind::function || statement.kind == StatementKind::directive) continue;
    for (const Node& node : statement.nodes) f(node);
    for (const Clause& clause : statement.clauses) {
      f(clause.head);
      each_node(clause.body, f);
    }
  }
}

// Reads (or assigns) of a variable as a whole rather than by element.
void whole_uses(const Node& node, std::set<std::string>& out) {
  if (node.kind == NodeKind::identifier) {
    out.insert(node.text);
    return;
  }
  const bool slice = node.kind == NodeKind::index && node.children[0].kind == NodeKind::identifier &&
                     node.children[1].kind == NodeKind::arguments;
  for (std::size_t i = slice ? 1 : 0; i < node.children.size(); ++i) whole_uses(node.children[i], out);
}

// An expression that can be evaluated a second time without being noticed.
bool is_pure(const Node& node, const VariableScope& scope) {
  switch (node.kind) {
    case NodeKind::number:
    case NodeKind::string:
    case NodeKind::colon:
      return true;
    case NodeKind::identifier:
      return scope.is_variable(node.text);
    case NodeKind::prefix:
    case NodeKind::postfix:
      if (node.text == "++" || node.text == "--") return false;
      break;
    case NodeKind::binary:
    case NodeKind::range:
    case NodeKind::parenthesis:
      break;
    case NodeKind::index:
      if (node.children[0].kind != NodeKind::identifier || !scope.arrays.contains(node.children[0].text)) return false;
      break;
    case NodeKind::arguments:
      break;
    default:
      return false;
  }
  return std::all_of(node.children.begin(), node.children.end(),
                     [&](const Node& child) { return is_pure(child, scope); });
}

bool is_empty_matrix(const Node& node) {
  const Node& bare = inner(node);
  return bare.kind == NodeKind::matrix && bare.children.empty();
}

bool has_assignment(const Node& node) { return !assigned_nodes(node).empty(); }

}  // namespace

std::set<std::string> variables_between(const Block& body, const VariableScope& scope, std::size_t begin,
                                        std::size_t end) {
  std::set<std::string> found;
  each_node(body, [&](const Node& root) {
    visit(root, [&](const Node& node) {
      if (node.kind == NodeKind::identifier && node.begin >= begin && node.end <= end && scope.is_variable(node.text))
        found.insert(node.text);
    });
  });
  return found;
}

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
  return fmt::format("if exist('{}', 'var'), {} end", variable, size_code(variable)[0]);
}

void StatementTranslator::expression(const Statement& made) {
  if (!counting()) return;
  const Node& node = made.nodes[0];
  if (const Node& callee = base_of(node);
      callee.kind == NodeKind::identifier && (callee.text == "clear" || callee.text == "clearvars"))
    flush_before(made);
  std::size_t slot = 0;
  const auto take_slot = [&] {
    if (slot == 0) slot = new_slot(made.begin);
    return slot;
  };
  const bool assigns = node.kind == NodeKind::assign || node.kind == NodeKind::multi_assign;
  // An assignment inside an expression changes what stands behind it: nothing may move in front of it.
  const bool nested = assigns ? has_assignment(node.children[1]) : has_assignment(node);
  ExpressionRewriter rewriter(
      source_, scope_, names_, [&] { return account_.slot(take_slot()); }, assigns && !nested);
  Entry entry;
  const std::vector<const Node*> assigned = assigned_nodes(node);
  std::string text;
  if (!assigns) {
    const Node& bare = inner(node);
    // A variable alone is shown, not read; alone in a statement a call's value has no use either.
    text = rewriter.rewrite(node, bare.kind == NodeKind::identifier ||
                                          (bare.kind == NodeKind::index && scope_.is_variable(base_of(bare).text))
                                      ? Role::argument
                                      : Role::load);
  } else {
    const Node &left = node.children[0], &value = node.children[1];
    const Node& bare = inner(value);
    std::string left_text(source_.slice(left.begin, left.end));
    const std::string between(source_.slice(left.end, value.begin));
    std::string call, analysis;
    const bool plain = left.kind == NodeKind::identifier && node.text == "=";
    bool pointer_outputs = node.kind == NodeKind::multi_assign;
    if (pointer_outputs)
      for (const Node& output : left.children)
        pointer_outputs = pointer_outputs && (output.kind == NodeKind::identifier || output.kind == NodeKind::tilde);
    if ((plain || (pointer_outputs && !left.children.empty())) && made.silent &&
        rewriter.profiled_call(value, call, analysis)) {
      std::string outputs = plain ? left_text : std::string();
      if (!plain)
        for (const Node& output : left.children)
          outputs += (outputs.empty() ? "" : ", ") + (output.kind == NodeKind::tilde ? "~" : output.text);
      text = "[" + outputs + ", " + analysis + "] = " + call;
    } else if (node.text == "=" && node.kind == NodeKind::assign && bare.kind == NodeKind::identifier &&
               scope_.is_variable(bare.text)) {
      // The copy correction: a large variable is renamed, one number is copied.
      const bool sliced_left = left.kind == NodeKind::index && left.children.back().kind == NodeKind::arguments;
      text = left_text + between + std::string(source_.slice(value.begin, value.end));
      if (sliced_left) {
        rewriter.rewrite(value, Role::load);
      } else if (left.kind == NodeKind::identifier) {
        const Term copied = scope_.numbers.contains(bare.text)
                                ? Term{"8", {}}
                                : Term{fmt::format("({0} <= 16)*{0}", size_name(bare.text)), bare.text};
        entry.loads.push_back(copied);
        entry.stores.push_back(copied);
      }
    } else if (plain && bare.kind == NodeKind::index && bare.children.back().kind != NodeKind::arguments &&
               scope_.is_variable(base_of(bare).text)) {
      // What a cell or a field holds is renamed like a variable.
      text = left_text + between + rewriter.unsplit(value, Role::argument);
      if (!scope_.numbers.contains(left.text)) {
        const Term copied{fmt::format("({0} <= 16)*{0}", size_name(left.text)), {}};
        entry.loads.push_back(copied);
        entry.stores.push_back(copied);
      }
    } else {
      // A slice on the right of a plain assignment is as large as what is stored.
      const bool multi = node.kind == NodeKind::multi_assign;
      const bool plain_slice = bare.kind == NodeKind::index && !scope_.is_variable(base_of(bare).text);
      const Role role = multi || plain_slice ? Role::argument : Role::load;
      // Several outputs, or cells that stand for several, are asked for in one call.
      text = left_text + between + (multi ? rewriter.unsplit(value, role) : rewriter.rewrite(value, role));
      if (node.kind == NodeKind::assign && node.text != "=") rewriter.rewrite(left, Role::load);
    }
    const bool held = bare.kind == NodeKind::index && bare.children.back().kind != NodeKind::arguments &&
                      scope_.is_variable(base_of(bare).text);
    const bool copies =
        ((bare.kind == NodeKind::identifier && scope_.is_variable(bare.text)) || held) && node.text == "=";
    const Node* callee = bare.kind == NodeKind::index ? &bare.children[0] : &bare;
    // What a counted function returns it has stored itself.
    const bool returned = callee->kind == NodeKind::identifier && !scope_.is_variable(callee->text) &&
                          names_.counted.contains(callee->text);
    for (const Node* target : assigned) {
      if (returned) break;
      if (copies && (target->kind == NodeKind::identifier || target->children.back().kind != NodeKind::arguments))
        continue;
      for (Term& term : stored(*target, rewriter)) entry.stores.push_back(std::move(term));
      if (target->kind == NodeKind::index && is_empty_matrix(value))
        entry.stores.back() = {size_name(base_of(*target).text), base_of(*target).text};
    }
  }
  if (!assigns)
    for (const Node* target : assigned) {
      for (Term& term : stored(*target, rewriter)) entry.stores.push_back(std::move(term));
      for (Term& term : stored(*target, rewriter)) entry.loads.push_back(std::move(term));
    }
  rewriter.finish(entry);
  std::vector<std::string> before = rewriter.before();
  if (const std::string handle = called_handle(inner(assigns ? node.children[1] : node)); !handle.empty()) {
    const std::string analysis = fmt::format("slm_call_L{}C{}", source_.line(made.begin), source_.column(made.begin));
    before.push_back(analysis + " = " + handle + ";");
    entry.analyses.push_back(analysis);
  }
  if (!entry.empty()) entry.slot = take_slot();
  finish(made, text, std::move(entry), before, assigned);
}

// "feval(h, x)" reads, when it calls an anonymous function, what that holds and is given.
std::string StatementTranslator::called_handle(const Node& node) const {
  if (node.kind != NodeKind::index || node.children.size() != 2 || node.children[0].kind != NodeKind::identifier)
    return {};
  const Builtin* known = scope_.is_variable(node.children[0].text) ? nullptr : find_builtin(node.children[0].text);
  const auto& arguments = node.children[1].children;
  const auto is_variable = [&](const Node& n) { return n.kind == NodeKind::identifier && scope_.is_variable(n.text); };
  if (known == nullptr || known->kind != BuiltinKind::call || arguments.empty() || !is_variable(arguments[0]))
    return {};
  std::string call = "SLMcalled(" + arguments[0].text;
  for (std::size_t i = 1; i < arguments.size(); ++i)
    if (is_variable(arguments[i]))
      call += ", " + (scope_.numbers.contains(arguments[i].text) ? "8" : size_name(arguments[i].text));
  return call + ")";
}

void StatementTranslator::finish(const Statement& made, const std::string& text, Entry entry,
                                 const std::vector<std::string>& before, const std::vector<const Node*>& assigned) {
  edits_.before(made, before);
  const Node& node = made.nodes[0];
  if (text != source_.slice(node.begin, node.end)) edits_.replace(node.begin, node.end, text);
  const bool counted = !entry.empty();
  for (const Term& term : entry.stores)
    if (!term.variable.empty()) entry.touched.push_back({term.variable, true});
  account_.add(std::move(entry));
  std::vector<std::string> code;
  const auto append = [&](std::vector<std::string> more) {
    for (std::string& line : more) code.push_back(std::move(line));
  };
  std::set<std::string> done;
  for (const Node* target : assigned) {
    const std::string& name = base_of(*target).text;
    if (scope_.numbers.contains(name) || !done.insert(name).second) continue;
    const bool by_element = target->kind == NodeKind::index && target->children[1].kind == NodeKind::arguments;
    if (by_element && resized_behind_loop(name)) continue;
    append(account_.before_resize(name, counted));
    append(size_code(name));
  }
  if (account_.urgent()) append(account_.flush());
  edits_.after(made, code);
}

// An element that is assigned in a loop: where nothing in the loop needs the whole variable's size, it is found once,
// behind the loop.
bool StatementTranslator::resized_behind_loop(const std::string& variable) {
  std::size_t outermost = loops_.size();
  for (std::size_t i = loops_.size(); i-- > 0;) {
    if (loops_[i].whole.contains(variable)) break;
    outermost = i;
  }
  if (outermost == loops_.size()) return false;
  loops_[outermost].resize.insert(variable);
  return true;
}

std::vector<Term> StatementTranslator::stored(const Node& left, ExpressionRewriter& rewriter) {
  const std::string& name = base_of(left).text;
  if (left.kind == NodeKind::identifier)
    return {scope_.numbers.contains(name) ? Term{"8", {}} : Term{size_name(name), name}};
  const Node& accessor = left.children[1];
  if (left.children.size() == 2 && accessor.kind == NodeKind::arguments) {
    bool scalar = !accessor.children.empty(), pure = scalar, ends = false;
    for (const Node& child : accessor.children) {
      scalar = scalar && child.kind != NodeKind::colon && scope_.is_scalar(child);
      pure = pure && is_pure(child, scope_);
      visit(child, [&](const Node& node) { ends = ends || node.kind == NodeKind::end; });
      // Subscripts that are arrays are read.
      if (!scope_.is_scalar(child) && inner(child).kind == NodeKind::identifier &&
          scope_.is_variable(inner(child).text))
        rewriter.rewrite(child, Role::load);
    }
    if (scalar) return {{element_name(name), {}}};
    if (pure && !ends) {
      std::string span = "SLMspan(" + name;
      for (const Node& child : accessor.children)
        span += ", " + (child.kind == NodeKind::colon ? "':'" : std::string(source_.slice(child.begin, child.end)));
      return {{fmt::format("{}*{})", element_name(name), span), {}, true}};
    }
    return {{fmt::format("SLMbytes({})", name), {}, true}};
  }
  // A field or a cell: what it holds now, unless asking for it might not be the same place any more.
  bool repeatable = true;
  for (std::size_t i = 1; i < left.children.size(); ++i)
    for (const Node& child : left.children[i].children)
      repeatable = repeatable && scope_.is_scalar(child) && is_pure(child, scope_);
  if (!repeatable) return {};
  return {{"SLMbytes(" + std::string(source_.slice(left.begin, left.end)) + ")", {}, true}};
}

Entry StatementTranslator::condition(const Node& node, bool may_split, std::vector<std::string>& before) {
  std::size_t slot = 0;
  const auto take_slot = [&] {
    if (slot == 0) slot = new_slot(node.begin);
    return slot;
  };
  ExpressionRewriter rewriter(
      source_, scope_, names_, [&] { return account_.slot(take_slot()); }, may_split && !has_assignment(node));
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

void StatementTranslator::if_statement(const Statement& made) {
  if (!counting()) {
    for (const Clause& clause : made.clauses) block(clause.body, {});
    return;
  }
  std::vector<std::string> before, sizes;
  account_.add(condition(made.clauses[0].head, true, before));
  flush_before(made, before);
  // A later condition is tested where the earlier ones failed: its loads count at the beginning of what follows.
  std::vector<Entry> tested;
  bool has_else = false;
  for (std::size_t i = 0; i < made.clauses.size(); ++i) {
    const Clause& clause = made.clauses[i];
    if (i > 0 && clause.head.kind != NodeKind::none) {
      std::vector<std::string> none;
      Entry entry = condition(clause.head, false, none);
      if (!entry.empty()) tested.push_back(std::move(entry));
    }
    for (const Node* target : assigned_nodes(clause.head))
      for (std::string& line : size_code(base_of(*target).text)) sizes.push_back(std::move(line));
    has_else = has_else || clause.head.kind == NodeKind::none;
    block(clause.body, tested, sizes);
  }
  if (!has_else && !tested.empty()) {
    for (Entry& entry : tested) account_.add(std::move(entry));
    std::vector<std::string> code = sizes;
    for (std::string& line : account_.flush()) code.push_back(std::move(line));
    edits_.add_else(made.clauses.back().body, code);
  }
  if (!sizes.empty() && tested.empty()) edits_.after(made, sizes);
}

void StatementTranslator::while_statement(const Statement& made) {
  const Clause& clause = made.clauses[0];
  if (!counting()) {
    loops_.push_back({&made, {}, {}, open_.size(), {}, {}});
    block(clause.body, {});
    loops_.pop_back();
    return;
  }
  flush_before(made);
  std::vector<std::string> none, sizes;
  const Entry tested = condition(clause.head, false, none);
  for (const Node* target : assigned_nodes(clause.head))
    for (std::string& line : size_code(base_of(*target).text)) sizes.push_back(std::move(line));
  Loop loop{&made, tested, {}, open_.size(), {}, {}};
  loop.on_break.subtract = true;
  whole_uses(clause.head, loop.whole);
  each_node(clause.body, [&](const Node& node) { whole_uses(node, loop.whole); });
  loops_.push_back(std::move(loop));
  block(clause.body, {tested}, sizes);
  std::vector<std::string> after = sizes;
  for (const std::string& name : loops_.back().resize) after.push_back(size_if_there(name));
  loops_.pop_back();
  edits_.after(made, after);
  // The test that ended the loop.
  account_.add(tested);
  if (!account_.empty()) edits_.after(made, account_.flush());
}

void StatementTranslator::do_statement(const Statement& made) {
  const Clause& clause = made.clauses[0];
  if (counting()) flush_before(made);
  Loop loop{&made, {}, {}, open_.size(), {}, {}};
  if (counting()) {
    std::vector<std::string> none;
    loop.on_continue = condition(clause.head, false, none);
    whole_uses(clause.head, loop.whole);
    each_node(clause.body, [&](const Node& node) { whole_uses(node, loop.whole); });
  }
  loops_.push_back(std::move(loop));
  if (clause.body.statements.empty()) {
    account_.add(loops_.back().on_continue);
    block(clause.body, {});
  } else {
    block(clause.body, {});
    // The test at the end of each turn; a jump there has settled it already.
    Entry tested = loops_.back().on_continue;
    if (counting() && !tested.empty()) {
      account_.add(std::move(tested));
      edits_.after(clause.body.statements.back(), account_.flush());
    }
  }
  std::vector<std::string> after;
  for (const std::string& name : loops_.back().resize) after.push_back(size_if_there(name));
  loops_.pop_back();
  edits_.after(made, after);
}

void StatementTranslator::for_statement(const Statement& made) {
  const Clause& clause = made.clauses[0];
  std::vector<std::string> before, sizes;
  Loop loop{&made, {}, {}, open_.size(), {}, {}};
  if (counting()) {
    const Node& values = made.nodes[1];
    const Node& bare = inner(values);
    const bool range = bare.kind == NodeKind::range;
    // Going over a range reads nothing; going over a matrix reads it column by column.
    if (!range) account_.add(condition(values, true, before));
    flush_before(made, before);
    for (const Node* target : {&made.nodes[0]})
      if (target->kind == NodeKind::identifier) sizes = size_code(target->text);
    each_node(clause.body, [&](const Node& node) { whole_uses(node, loop.whole); });
  }
  loops_.push_back(std::move(loop));
  block(clause.body, {}, sizes);
  std::vector<std::string> after;
  for (const std::string& name : loops_.back().resize) after.push_back(size_if_there(name));
  loops_.pop_back();
  edits_.after(made, after);
}

void StatementTranslator::switch_statement(const Statement& made) {
  if (counting()) {
    std::vector<std::string> before;
    account_.add(condition(made.nodes[0], true, before));
    flush_before(made, before);
  }
  for (const Clause& clause : made.clauses) block(clause.body, {});
}

// Any statement of a protected block may be its last: each is counted at once.
void StatementTranslator::guarded(const Statement& made) {
  if (counting()) flush_before(made);
  ++guarded_;
  for (const Clause& clause : made.clauses) {
    // The error's variable is set when the catch block begins.
    std::vector<std::string> sizes;
    if (counting() && clause.head.kind == NodeKind::identifier) sizes = size_code(clause.head.text);
    block(clause.body, {}, sizes);
  }
  --guarded_;
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
  for (const std::string_view name : split(text, ' '))
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

std::vector<std::string> StatementTranslator::sizes_at_start(const Region& region) {
  std::vector<std::string> code;
  std::string zeros;
  const std::set<std::string> outside_before = variables_between(*body_, scope_, 0, region.begin);
  const std::set<std::string> outside_behind = variables_between(*body_, scope_, region.end, source_.size());
  for (const std::string& name : variables_between(*body_, scope_, region.begin, region.end)) {
    if (scope_.numbers.contains(name)) continue;
    const bool sliced = names_.sliced.contains(name);
    if (!zeros.empty()) zeros += ' ';
    zeros += fmt::format("{} = 0;", size_name(name));
    if (sliced) zeros += fmt::format(" {} = 8;", element_name(name));
    const bool known = scope_.parameters.contains(name) || outside_before.contains(name) ||
                       outside_behind.contains(name) || scope_.shared.contains(name) || !loops_.empty();
    if (known) code.push_back(size_if_there(name));
  }
  if (!zeros.empty()) code.insert(code.begin(), zeros);
  return code;
}

std::string StatementTranslator::leave_code(const Region& region) {
  // Parameters are the caller's storage, too.
  std::string own, given;
  long numbers = 0;
  for (const std::string& name : variables_between(*body_, scope_, region.begin, region.end)) {
    if (scope_.numbers.contains(name)) {
      numbers += 8;
    } else {
      std::string& list = scope_.parameters.contains(name) ? given : own;
      list += (list.empty() ? "" : " + ") + size_name(name);
    }
  }
  if (numbers > 0) own = std::to_string(numbers) + (own.empty() ? "" : " + ") + own;
  return fmt::format("SLMleave(slm_region_{}, {}, {});", region.name, own.empty() ? "0" : own,
                     given.empty() ? "0" : given);
}

void StatementTranslator::directive(const Statement& made) {
  const Directive what = parse_directive(source_, made.nodes[0]);
  const Region* region = region_at(regions_, made.begin);
  if (what.kind == DirectiveKind::print) {
    if (!account_.empty()) edits_.before(made, account_.flush());
    edits_.after(made, {"SLMprint('" + what.names[0] + "');"});
    return;
  }
  if (region == nullptr) return;
  if (region->begin == made.begin) {
    std::vector<std::string> code = account_.flush();
    edits_.before(made, code);
    code = sizes_at_start(*region);
    code.push_back(fmt::format("slm_region_{0} = SLMenter('{0}');", region->name));
    edits_.after(made, code);
    open_.push_back(region);
  } else {
    std::vector<std::string> code = account_.flush();
    code.push_back(leave_code(*region));
    edits_.before(made, code);
    open_.pop_back();
  }
}

void StatementTranslator::jump(const Statement& made) {
  if (!counting()) return;
  std::size_t stays = 0;
  if (made.kind != StatementKind::return_ && !loops_.empty()) {
    const Loop& loop = loops_.back();
    stays = loop.open_regions;
    account_.add(made.kind == StatementKind::break_ ? loop.on_break : loop.on_continue);
  }
  std::vector<std::string> code = account_.flush();
  for (std::size_t i = open_.size(); i-- > stays;) code.push_back(leave_code(*open_[i]));
  edits_.before(made, code);
}

}  // namespace sparsecast::traffic
