#include "memory_traffic/translate/statement_translator.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "memory_traffic/counters/counter_layout.hpp"
#include "memory_traffic/language/lexicon.hpp"

namespace sparsecast::memory_traffic {
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
  if (slot_scopes_ != nullptr) {
    slot_scopes_->resize(slots_.size());
    slot_scopes_->back() = open_scopes_.empty() ? 0 : open_scopes_.back().number;
  }
  return slots_.size();
}

// Each call that nothing analyses has a counter of its own, whose turns say how often it was due.
void StatementTranslator::count_unanalysed(Entry& entry, std::size_t offset) {
  for (const std::string& name : entry.unanalysed) {
    entry.calls.push_back(new_slot(offset));
    unanalysed_.push_back({name, entry.calls.back()});
  }
}

void StatementTranslator::run(const Block& body, const std::string& header, const std::string& once) {
  body_ = &body;
  header_ = header;
  const Statement *first = nullptr, *last = nullptr;
  for (const Statement& statement : body.statements) {
    if (statement.kind == StatementKind::function) continue;
    if (first == nullptr) first = &statement;
    last = &statement;
  }
  if (first == nullptr) return;
  if (!header.empty()) edits_.before(*first, {header});
  if (!once.empty()) edits_.before(*first, {once});
  const auto whole =
      std::ranges::find_if(regions_, [&](const Region& region) { return region.whole && region.begin == body.begin; });
  if (whole == regions_.end()) return block(body, {});
  edits_.before(*first, enter(*whole));
  block(body, {});
  edits_.after(*last, {leave_code(*whole)});
  open_.pop_back();
}

// `first` is counted when the block begins.
void StatementTranslator::block(const Block& body, std::vector<Entry> first, const std::vector<std::string>& sizes) {
  for (Entry& entry : first) account_.add(std::move(entry));
  const Statement* last = nullptr;
  for (const Statement& statement : body.statements)
    if (statement.kind != StatementKind::function) last = &statement;
  if (last == nullptr) {
    std::vector<std::string> code = sizes;
    append(code, account_.flush());
    return edits_.at_begin(body, code);
  }
  bool begun = false;
  for (const Statement& made : body.statements) {
    if (made.kind == StatementKind::function) continue;
    if (!std::exchange(begun, true)) edits_.before(made, sizes);
    statement(made);
    if (guarded_ > 0) edits_.after(made, account_.flush());
  }
  edits_.after(*last, account_.flush());
}

// A branch's or a loop's body, with counters of its own where scopes are asked for.
void StatementTranslator::scope(const Clause& clause, std::vector<Entry> first, const std::vector<std::string>& sizes) {
  if (!counting() || scopes_ == nullptr) return block(clause.body, std::move(first), sizes);
  const std::string word = clause.keyword;
  scopes_->push_back({fmt::format("{}Ln{}", word, source_.line(clause.begin)), open_.back()->name, 0});
  open_scopes_.push_back({scopes_->size(), &clause.body});
  Entry run;
  run.slot = new_slot(clause.begin);
  run.turn = true;
  scopes_->back().slot = run.slot;
  first.push_back(run);
  block(clause.body, std::move(first), sizes);
  const Statement* last = nullptr;
  for (const Statement& made : clause.body.statements)
    if (made.kind != StatementKind::function) last = &made;
  std::vector<std::string> code;
  storage_of_scopes(open_scopes_.size() - 1, code);
  if (last != nullptr) edits_.after(*last, code);
  open_scopes_.pop_back();
}

// Storage of the open scopes from one on, which end here.
void StatementTranslator::storage_of_scopes(std::size_t from, std::vector<std::string>& code) {
  for (std::size_t k = open_scopes_.size(); k-- > from;) {
    long numbers = 0;
    std::string sum;
    for (const std::string& name : variables_in(*open_scopes_[k].body)) {
      if (scope_.numbers.contains(name))
        numbers += 8;
      else
        sum += " + " + size_name(name);
    }
    code.push_back(fmt::format("SLM_count({0}, {1}) = {4}SLM_count({0}, {1}), {2}{3});",
                               account_.slot((*scopes_)[open_scopes_[k].number - 1].slot),
                               static_cast<std::size_t>(Counter::scope_storage) + 1, numbers, sum, plain_call("max")));
  }
}

void StatementTranslator::flush_before(const Statement& statement, std::vector<std::string> code) {
  append(code, account_.flush());
  edits_.before(statement, code);
}

void StatementTranslator::statement(const Statement& made) {
  switch (made.kind) {
    case StatementKind::directive: return directive(made);
    case StatementKind::command: return command(made);
    case StatementKind::expression: return expression(made);
    case StatementKind::global:
    case StatementKind::persistent: return declaration(made);
    case StatementKind::break_:
    case StatementKind::continue_:
    case StatementKind::return_: return jump(made);
    case StatementKind::if_: return if_statement(made);
    case StatementKind::while_: return while_statement(made);
    case StatementKind::do_until: return do_statement(made);
    case StatementKind::for_:
    case StatementKind::parfor: return for_statement(made);
    case StatementKind::switch_: return switch_statement(made);
    case StatementKind::try_:
    case StatementKind::unwind: return guarded(made);
    case StatementKind::function: return;
  }
}

Entry StatementTranslator::condition(const Node& node, bool may_split, std::vector<std::string>& before) {
  std::size_t slot = 0;
  const auto take_slot = [&] {
    if (slot == 0) slot = new_slot(node.begin);
    return slot;
  };
  ExpressionRewriter rewriter(
      source_, scope_, names_, [&] { return account_.slot(take_slot()); }, may_split && assigned_nodes(node).empty());
  ExpressionRewriter first_pass(
      source_, scope_, names_, [] { return std::string(); }, false);
  first_pass.rewrite(node, Role::load);
  rewriter.loads_whole(first_pass.certain());
  const std::string text = rewriter.rewrite(node, Role::load);
  if (text != source_.slice(node.begin, node.end)) edits_.replace(node.begin, node.end, text);
  before = rewriter.before();
  Entry entry;
  rewriter.finish(entry);
  for (const Node* target : assigned_nodes(node))
    for (Term& term : stored(*target, rewriter)) entry.stores.push_back(std::move(term));
  if (!entry.empty()) entry.slot = take_slot();
  count_unanalysed(entry, node.begin);
  return entry;
}

void StatementTranslator::declaration(const Statement& made) {
  if (!counting()) return;
  std::vector<std::string> code;
  for (const Node& node : made.nodes) {
    const std::string& name = node.kind == NodeKind::assign ? node.children[0].text : node.text;
    append(code, account_.before_resize(name, false));
    append(code, size_code(name));
  }
  edits_.after(made, code);
}

// "run file.m", "load file", "own words": a call like any other.
void StatementTranslator::called_by_command(const Statement& made, const std::string& word) {
  Entry entry;
  if (!names_.analysed(word)) entry.unanalysed.push_back(word);
  count_unanalysed(entry, made.begin);
  account_.add(std::move(entry));
  Node called;
  called.kind = NodeKind::identifier;
  called.text = word;
  edits_.after(made, sizes_changed_elsewhere(called));
}

void StatementTranslator::command(const Statement& made) {
  const std::string& text = made.nodes[0].text;
  const std::string word = text.substr(0, text.find_first_of(" \t"));
  if (counting()) called_by_command(made, word);
  if (word != "clear" && word != "clearvars") return;
  // "clear x y" leaves the counters alone; options and patterns may not.
  const bool names_only =
      text.size() > word.size() && text.find_first_of("-*?[]'\"(", word.size()) == std::string::npos;
  const bool all = std::ranges::any_of(base::split(text, ' '), [](std::string_view name) {
    return is_one_of(name, {"all", "classes", "functions", "global", "variables", "mex"});
  });
  if (names_only && !all) {
    if (counting()) flush_before(made);
    return;
  }
  if (counting())
    source_.refuse(made.begin, "'" + text + "' inside the region '" + open_.back()->name + "' would clear its counters",
                   "clear before the region");
  edits_.before(made, {"SLMkeep('keep');"});
  edits_.after(made, {"SLMkeep('restore');", header_});
}

// Branches, loops and jumps: where the counts of straight-line code are added so that each runs as often as it.

namespace {
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
}  // namespace

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
    append(sizes, sizes_of_assigned(clause.head));
    has_else = has_else || clause.head.kind == NodeKind::none;
    scope(clause, tested, sizes);
  }
  if (!has_else && !tested.empty()) {
    for (Entry& entry : tested) account_.add(std::move(entry));
    std::vector<std::string> code = sizes;
    append(code, account_.flush());
    edits_.add_else(made.clauses.back().body, code);
  }
  if (tested.empty()) edits_.after(made, sizes);
}

// Counts the turns of a loop that no other loop of the same region is around. Called before the loop is among loops_.
std::vector<Entry> StatementTranslator::turn_of(const Statement& loop) {
  if (!counting() || (!loops_.empty() && loops_.back().open_regions == open_.size())) return {};
  Entry entry;
  entry.slot = new_slot(loop.begin);
  entry.turn = true;
  outer_loops_.push_back({open_.back()->begin, entry.slot});
  return {entry};
}

// What the clause of a loop reads as a whole; nothing where nothing is counted.
StatementTranslator::Loop StatementTranslator::loop_of(const Clause& clause) const {
  Loop loop{{}, {}, open_.size(), open_scopes_.size(), {}, {}};
  if (!counting()) return loop;
  whole_uses(clause.head, loop.whole);
  each_node(clause.body, [&](const Node& node) { whole_uses(node, loop.whole); });
  return loop;
}

// Behind the loop, whose sizes are found again there.
void StatementTranslator::end_loop(const Statement& made, std::vector<std::string> sizes) {
  for (const std::string& name : loops_.back().resize) sizes.push_back(size_if_there(name));
  loops_.pop_back();
  edits_.after(made, sizes);
}

void StatementTranslator::while_statement(const Statement& made) {
  const Clause& clause = made.clauses[0];
  if (!counting()) {
    loops_.push_back(loop_of(clause));
    block(clause.body, {});
    loops_.pop_back();
    return;
  }
  flush_before(made);
  std::vector<std::string> none;
  const Entry tested = condition(clause.head, false, none);
  std::vector<Entry> first = turn_of(made);
  first.push_back(tested);
  const std::vector<std::string> sizes = sizes_of_assigned(clause.head);
  Loop loop = loop_of(clause);
  loop.on_break = tested;
  loop.on_break.subtract = true;
  loops_.push_back(std::move(loop));
  scope(clause, std::move(first), sizes);
  end_loop(made, sizes);
  // The test that ended the loop.
  account_.add(tested);
  edits_.after(made, account_.flush());
}

void StatementTranslator::do_statement(const Statement& made) {
  const Clause& clause = made.clauses[0];
  if (counting()) flush_before(made);
  Loop loop = loop_of(clause);
  std::vector<Entry> first = turn_of(made);
  std::vector<std::string> none, sizes;
  if (counting()) {
    loop.on_continue = condition(clause.head, false, none);
    sizes = sizes_of_assigned(clause.head);
  }
  loops_.push_back(std::move(loop));
  if (clause.body.statements.empty()) {
    account_.add(loops_.back().on_continue);
    scope(clause, std::move(first), sizes);
  } else {
    scope(clause, std::move(first), sizes);
    // The test at the end of each turn; a jump there has settled it already.
    Entry tested = loops_.back().on_continue;
    if (counting() && !tested.empty()) {
      account_.add(std::move(tested));
      edits_.after(clause.body.statements.back(), account_.flush());
    }
  }
  end_loop(made, sizes);
}

void StatementTranslator::for_statement(const Statement& made) {
  const Clause& clause = made.clauses[0];
  std::vector<std::string> before, sizes, changed;
  Loop loop = loop_of(clause);
  if (counting()) {
    const Node& values = made.nodes[1];
    // Going over a range reads nothing; going over a matrix reads it column by column.
    if (inner(values).kind != NodeKind::range) account_.add(condition(values, true, before));
    flush_before(made, before);
    changed = sizes_of_assigned(values);
    sizes = changed;
    if (made.nodes[0].kind == NodeKind::identifier) append(sizes, size_code(made.nodes[0].text));
  }
  std::vector<Entry> first = turn_of(made);
  loops_.push_back(std::move(loop));
  // What a range gives is one number in each turn, whatever the variable is elsewhere.
  const std::string& name = made.nodes[0].text;
  const bool number = counting() && made.nodes[0].kind == NodeKind::identifier &&
                      inner(made.nodes[1]).kind == NodeKind::range && !scope_.numbers.contains(name) &&
                      !scope_.shared.contains(name) && !scope_.nested && !assigns_to(clause.body, name);
  if (number) scope_.numbers.insert(name);
  const bool becomes_array = number && scope_.arrays.insert(name).second;
  scope(clause, std::move(first), sizes);
  if (number) {
    scope_.numbers.erase(name);
    if (becomes_array) scope_.arrays.erase(name);
    changed.push_back(size_if_there(name));
  }
  end_loop(made, changed);
}

void StatementTranslator::switch_statement(const Statement& made) {
  std::vector<std::string> sizes;
  if (counting()) {
    std::vector<std::string> before;
    account_.add(condition(made.nodes[0], true, before));
    // What the cases ask for counts by the text, as behind && and ||.
    std::vector<std::string> none;
    for (const Clause& clause : made.clauses)
      if (clause.head.kind != NodeKind::none) account_.add(condition(clause.head, false, none));
    flush_before(made, before);
    sizes = sizes_of_assigned(made.nodes[0]);
    for (const Clause& clause : made.clauses) append(sizes, sizes_of_assigned(clause.head));
  }
  for (const Clause& clause : made.clauses) scope(clause, {}, sizes);
  edits_.after(made, sizes);
}

// Any statement of a protected block may be its last: each is counted at once.
void StatementTranslator::guarded(const Statement& made) {
  if (counting()) flush_before(made);
  ++guarded_;
  for (const Clause& clause : made.clauses) {
    // The error's variable is set when the catch block begins.
    std::vector<std::string> sizes;
    if (counting() && clause.head.kind == NodeKind::identifier) sizes = size_code(clause.head.text);
    // Functions that an error has left have ended, what follows is not theirs.
    if (counting() && &clause != &made.clauses.front())
      sizes.insert(sizes.begin(), fmt::format("SLMleave(slm_region_{} + 1, 0, 0);", open_.back()->name));
    scope(clause, {}, sizes);
  }
  --guarded_;
}

void StatementTranslator::jump(const Statement& made) {
  if (!counting()) return;
  std::size_t stays = 0, scopes_stay = 0;
  if (made.kind != StatementKind::return_ && !loops_.empty()) {
    const Loop& loop = loops_.back();
    stays = loop.open_regions;
    scopes_stay = loop.open_scopes;
    account_.add(made.kind == StatementKind::break_ ? loop.on_break : loop.on_continue);
  }
  std::vector<std::string> code = account_.flush();
  if (scopes_ != nullptr) storage_of_scopes(scopes_stay, code);
  for (std::size_t i = open_.size(); i-- > stays;) code.push_back(leave_code(*open_[i]));
  edits_.before(made, code);
}
}  // namespace sparsecast::memory_traffic
