// Statements that are one expression: assignments above all.

#include <fmt/format.h>
#include <algorithm>

#include "memory_traffic/language/builtins.hpp"
#include "memory_traffic/language/lexicon.hpp"
#include "memory_traffic/translate/renamed_values.hpp"
#include "memory_traffic/translate/statement_translator.hpp"

namespace sparsecast::memory_traffic {
namespace {
// The places of `end` that belong to the index around the expression, not to one within it.
void own_ends(const Node& node, std::vector<const Node*>& found) {
  if (node.kind == NodeKind::end) found.push_back(&node);
  if (node.kind == NodeKind::index) return;
  for (const Node& child : node.children) own_ends(child, found);
}

// A subscript, the kth of n from 0, as text that stands for itself.
std::string subscript_text(const SourceText& source, const std::string& variable, const Node& subscript, std::size_t k,
                           std::size_t n) {
  if (subscript.kind == NodeKind::colon) return "':'";
  const std::string size = fmt::format("SLMend({}, {}, {})", variable, k + 1, n);
  std::vector<const Node*> ends;
  own_ends(subscript, ends);
  std::string text;
  std::size_t at = subscript.begin;
  for (const Node* one : ends) {
    text.append(source.slice(at, one->begin)).append(size);
    at = one->end;
  }
  return text.append(source.slice(at, subscript.end));
}

bool is_empty_matrix(const Node& node) {
  const Node& bare = inner(node);
  return bare.kind == NodeKind::matrix && bare.children.empty();
}

// "eval(text)" and the like, which may clear global variables and the counters among them.
bool may_clear_counters(const Node& expression, const VariableScope& scope) {
  bool found = false;
  const Node& bare = inner(expression);
  if (bare.kind == NodeKind::identifier && is_one_of(bare.text, {"clear", "clearvars"}) &&
      !scope.is_variable(bare.text))
    return true;
  visit(expression, [&](const Node& node) {
    if (node.kind != NodeKind::index || node.children[0].kind != NodeKind::identifier) return;
    const std::string& name = node.children[0].text;
    if (scope.is_variable(name) || !is_one_of(name, {"eval", "evalc", "evalin", "clear", "clearvars", "source", "run"}))
      return;
    const auto& arguments = node.children[1].children;
    const bool told = name.starts_with("eval") && std::ranges::all_of(arguments, [](const Node& n) {
                        return n.kind == NodeKind::string && n.text.find("clear") == std::string::npos;
                      });
    found = found || !told;
  });
  return found;
}

// "error(text)": what stands behind it does not run.
bool raises(const Node& expression) {
  const Node& bare = inner(expression);
  const Node& callee = bare.kind == NodeKind::index ? bare.children[0] : bare;
  return callee.kind == NodeKind::identifier && is_one_of(callee.text, {"error", "rethrow", "print_usage", "throw"});
}
}  // namespace

void StatementTranslator::expression(const Statement& made) {
  if (!counting()) return;
  const Node& node = made.nodes[0];
  const bool keeps = may_clear_counters(node, scope_);
  if (raises(node)) flush_before(made);
  if (keeps) {
    refuse_clearing_all(made);
    flush_before(made);
    edits_.before(made, {"SLMkeep('keep');"});
  }
  std::size_t slot = 0;
  const auto take_slot = [&] {
    if (slot == 0) slot = new_slot(made.begin);
    return slot;
  };
  const bool assigns = node.kind == NodeKind::assign || node.kind == NodeKind::multi_assign;
  // An assignment inside an expression changes what stands behind it: nothing may move in front of it.
  const bool nested = !assigned_nodes(assigns ? node.children[1] : node).empty();
  ExpressionRewriter rewriter(
      source_, scope_, names_, [&] { return account_.slot(take_slot()); }, assigns && !nested);
  ExpressionRewriter first_pass(
      source_, scope_, names_, [] { return std::string(); }, assigns && !nested);
  Entry entry, not_counted;
  const std::vector<const Node*> assigned = assigned_nodes(node);
  const Node& value = inner(assigns ? node.children[1] : node);
  const std::string called = called_handle(value, rewriter, node.kind != NodeKind::assign);
  if (!called.empty()) rewriter.leave_call(&value);
  std::string text;
  if (assigns) {
    assignment(made, first_pass, not_counted);
    rewriter.loads_whole(first_pass.certain());
    text = assignment(made, rewriter, entry);
  } else {
    const Node& bare = inner(node);
    // A variable alone on a line without semicolon is read to be shown ("new" in the paper's figures 2 and 3); with one
    // nothing happens. Alone in a statement a call's value has no use either.
    const bool alone =
        bare.kind == NodeKind::identifier || (bare.kind == NodeKind::index && scope_.is_variable(base_of(bare).text));
    const bool shown = !made.silent && (bare.kind == NodeKind::identifier ||
                                        (is_slice(bare) && scope_.arrays.contains(bare.children[0].text)));
    const Role role = alone && !shown ? Role::argument : Role::load;
    first_pass.rewrite(node, role);
    rewriter.loads_whole(first_pass.certain());
    text = rewriter.rewrite(node, role);
    for (const Node* target : assigned) {
      for (Term& term : stored(*target, rewriter)) entry.stores.push_back(std::move(term));
      for (Term& term : stored(*target, rewriter)) entry.loads.push_back(std::move(term));
    }
  }
  rewriter.finish(entry);
  std::vector<std::string> before = rewriter.before();
  if (!called.empty()) {
    const std::string analysis = fmt::format("slm_call_L{}C{}", source_.line(made.begin), source_.column(made.begin));
    before.push_back(analysis + " = " + called + ";");
    entry.analyses.push_back(analysis);
  }
  if (!entry.empty()) entry.slot = take_slot();
  count_unanalysed(entry, made.begin);
  if (keeps) edits_.after(made, {"SLMkeep('restore');", header_});
  finish(made, text, std::move(entry), before, assigned);
}

// "clear('all')" would take the sizes of the region's variables as well.
void StatementTranslator::refuse_clearing_all(const Statement& made) const {
  const Node& node = inner(made.nodes[0]);
  if (node.kind == NodeKind::identifier && is_one_of(node.text, {"clear", "clearvars"}))
    source_.refuse(made.begin, "this clears the counters of the region '" + open_.back()->name + "'",
                   "clear before the region");
  if (node.kind != NodeKind::index || (node.children[0].text != "clear" && node.children[0].text != "clearvars"))
    return;
  const auto& arguments = node.children[1].children;
  const bool all = std::ranges::any_of(arguments, [](const Node& argument) {
    return argument.kind == NodeKind::string && argument.text.size() >= 2 &&
           is_one_of(argument.text.substr(1, argument.text.size() - 2),
                     {"all", "-all", "-a", "variables", "-variables", "-v", "*"});
  });
  if (all || arguments.empty())
    source_.refuse(made.begin, "this clears the counters of the region '" + open_.back()->name + "'",
                   "clear before the region");
}

// The copy correction: a large variable is renamed, one number is copied.
Term StatementTranslator::copied(const std::string& variable) const {
  if (scope_.numbers.contains(variable)) return {"8", {}};
  return {fmt::format("({0} <= 16)*{0}", size_name(variable)), variable};
}

// The statement's new text; adds what it stores, and what a copy loads.
std::string StatementTranslator::assignment(const Statement& made, ExpressionRewriter& rewriter, Entry& entry) {
  const Node& node = made.nodes[0];
  const Node &left = node.children[0], &value = node.children[1];
  const Node& bare = inner(value);
  std::string left_text(source_.slice(left.begin, left.end));
  const std::string between(source_.slice(left.end, value.begin));
  const bool multi = node.kind == NodeKind::multi_assign;
  const bool plain = left.kind == NodeKind::identifier && node.text == "=";
  const bool several = multi && !left.children.empty() && std::ranges::all_of(left.children, [](const Node& output) {
                         return output.kind == NodeKind::identifier || output.kind == NodeKind::tilde;
                       });
  const bool into_part = left.kind == NodeKind::index && left.children.back().kind == NodeKind::arguments;
  const Node* source = !multi && node.text == "=" ? renamed_variable(value, scope_, names_) : nullptr;
  const bool renames = source != nullptr && (source == &bare || !into_part);
  const bool held = (multi || node.text == "=") && is_held(bare, scope_);
  const bool packs = !multi && node.text == "=" && !into_part && !packed_values(value, scope_, names_).empty();
  std::string text, call, analysis;
  if ((plain || several) && made.silent && rewriter.profiled_call(value, call, analysis)) {
    std::string outputs = plain ? left_text : std::string();
    if (!plain)
      for (const Node& output : left.children)
        outputs += (outputs.empty() ? "" : ", ") + (output.kind == NodeKind::tilde ? "~" : output.text);
    text = "[" + outputs + ", " + analysis + "] = " + call;
  } else if (renames) {
    text = left_text + between + rewriter.rewrite(value, Role::argument);
    if (into_part) {
      rewriter.rewrite(value, Role::load);
      text =
          subscripts_before(left, rewriter, left_text) + between + std::string(source_.slice(value.begin, value.end));
    } else if (left.kind == NodeKind::identifier) {
      entry.loads.push_back(copied(source->text));
      entry.stores.push_back(copied(source->text));
    }
  } else if (held && !multi && !into_part) {
    // What a cell or a field holds is renamed like a variable. Its size is known when it has its new name.
    text = left_text + between + rewriter.unsplit(value, Role::argument);
    if (plain && !scope_.numbers.contains(left.text)) {
      entry.loads.push_back({copied(left.text).text, {}});
      entry.stores.push_back({copied(left.text).text, {}});
    }
  } else {
    // A slice on the right of a plain assignment is as large as what is stored.
    const bool plain_slice = bare.kind == NodeKind::index && !scope_.is_variable(base_of(bare).text);
    const Role role = multi || plain_slice ? Role::argument : Role::load;
    const bool updates = !multi && node.text != "=";
    if (updates && left.kind == NodeKind::identifier) rewriter.rewrite(left, Role::load);  // as of "u = u - S*u"
    // Several outputs, or cells that stand for several, are asked for in one call.
    const std::string value_text = multi ? rewriter.unsplit(value, role) : rewriter.rewrite(value, role);
    if (!multi && !updates) left_text = subscripts_before(left, rewriter, left_text);
    text = left_text + between + value_text;
    if (updates && left.kind != NodeKind::identifier) rewriter.rewrite(left, Role::load);
  }
  // What a counted function returns it has stored itself.
  const Node& callee = bare.kind == NodeKind::index ? bare.children[0] : bare;
  if (callee.kind == NodeKind::identifier && !scope_.is_variable(callee.text) && names_.counts_itself(callee.text))
    return text;
  if (multi && rename_each(left, value, entry)) return text;
  if (packs)
    for (const Node* one : packed_values(value, scope_, names_))
      if (inner(*one).kind == NodeKind::number) entry.stores.push_back({"8", {}});
  for (const Node* target : assigned_nodes(node)) {
    const bool elements = target->kind == NodeKind::index && target->children.back().kind == NodeKind::arguments;
    if ((renames || held || packs) && !elements) continue;
    std::vector<Term> terms = stored(*target, rewriter);
    // "x(k) = []" moves what remains; x(k) itself may be gone.
    if (elements && is_empty_matrix(value)) {
      terms = {{size_name(base_of(*target).text), base_of(*target).text}};
      rewriter.rewrite(base_of(*target), Role::load);
    }
    for (Term& term : terms) entry.stores.push_back(std::move(term));
  }
  return text;
}

// "[p, q] = deal(x, y)" and "[p, q] = c{:}", which are "p = x; q = y;" and "p = c{1}; q = c{2};"; false for all else.
bool StatementTranslator::rename_each(const Node& left, const Node& value, Entry& entry) const {
  const auto& outputs = left.children;
  const auto dealt = dealt_values(value, outputs.size(), scope_, names_);
  const bool named = std::ranges::all_of(outputs, [](const Node& output) {
    return output.kind == NodeKind::identifier || output.kind == NodeKind::tilde;
  });
  if (!named || (dealt.empty() && !is_held(inner(value), scope_))) return false;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    if (outputs[k].kind == NodeKind::tilde || scope_.numbers.contains(outputs[k].text)) continue;
    const bool variable = !dealt.empty() && dealt[k]->kind == NodeKind::identifier;
    // What a cell or a field holds has a size when it has its new name.
    const Term copy = variable ? copied(dealt[k]->text) : Term{copied(outputs[k].text).text, {}};
    entry.loads.push_back(copy);
    entry.stores.push_back(copy);
  }
  return true;
}

// "feval(h, x)" reads, when it calls an anonymous function, what that holds and is given; so do "[a, b] = h(x)" and
// "h(x);", which the expression does not count, and cellfun and arrayfun for each element.
std::string StatementTranslator::called_handle(const Node& node, const ExpressionRewriter& rewriter,
                                               bool value_is_not_measured) const {
  if (!is_slice(node)) {  // "[a, b] = s.f(x)" and "s.f(x);"
    const bool call = value_is_not_measured && node.children.size() > 2 && node.kind == NodeKind::index &&
                      node.children.back().kind == NodeKind::arguments;
    const std::string member = call ? rewriter.held_head(node) : std::string();
    return member.empty() ? member : "SLMused(" + member + ", [])";
  }
  const std::string& name = node.children[0].text;
  if (scope_.is_variable(name))
    return value_is_not_measured && !scope_.arrays.contains(name) ? "SLMused(" + name + ", [])" : std::string();
  const Builtin* known = names_.own(name) ? nullptr : find_builtin(name);
  const auto& arguments = node.children[1].children;
  const auto is_variable = [&](const Node& n) { return n.kind == NodeKind::identifier && scope_.is_variable(n.text); };
  if (is_one_of(name, {"cellfun", "arrayfun"}) && known != nullptr && arguments.size() > 1) {
    const NodeKind kind = arguments[0].kind;
    if (!is_variable(arguments[0]) && kind != NodeKind::anonymous && kind != NodeKind::handle &&
        kind != NodeKind::string)
      return {};
    std::string call = "SLMeach(" + std::string(source_.slice(arguments[0].begin, arguments[0].end));
    for (std::size_t i = 1; i < arguments.size() && arguments[i].kind != NodeKind::string; ++i) {
      if (!is_variable(arguments[i])) return {};
      call += ", " + arguments[i].text;
    }
    return call + ")";
  }
  if (known == nullptr || known->kind != BuiltinKind::call || arguments.empty()) return {};
  const std::string called = is_variable(arguments[0]) ? arguments[0].text : rewriter.held_head(inner(arguments[0]));
  if (called.empty()) return {};
  std::string call = "SLMcalled(" + called;
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
  std::set<std::string> done;
  for (const Node* target : assigned) {
    const std::string& name = base_of(*target).text;
    if (scope_.numbers.contains(name) || !done.insert(name).second) continue;
    const bool by_element = target->kind == NodeKind::index && target->children[1].kind == NodeKind::arguments;
    if (by_element && resized_behind_loop(name)) continue;
    append(code, account_.before_resize(name, counted));
    append(code, size_code(name));
  }
  append(code, sizes_changed_elsewhere(node));
  if (account_.urgent()) append(code, account_.flush());
  edits_.after(made, code);
}

// The left side's text, whose last subscripts, where they are neither numbers nor variables nor ranges, are evaluated
// before the statement: a mask is of the values before, and what a function gives is asked for once.
std::string StatementTranslator::subscripts_before(const Node& left, ExpressionRewriter& rewriter,
                                                   const std::string& left_text) {
  subscripts_.clear();
  if (left.kind != NodeKind::index || left.children.back().kind != NodeKind::arguments) return left_text;
  std::string text;
  std::size_t at = left.begin;
  for (const Node& child : left.children.back().children) {
    const NodeKind kind = inner(child).kind;
    const bool simple = scope_.is_scalar(child) || kind == NodeKind::identifier || kind == NodeKind::range;
    // "c{:}" may be several values.
    if (kind == NodeKind::colon || is_held(inner(child), scope_) || (simple && is_pure(child, scope_, true))) continue;
    const std::string temporary = rewriter.evaluated_before(child);
    if (temporary.empty()) continue;
    subscripts_[&child] = temporary;
    text.append(source_.slice(at, child.begin)).append(temporary);
    at = child.end;
  }
  return text.append(source_.slice(at, left.end));
}

// What is assigned to by subscripts, `whole`, as MATLAB text: the number of bytes; nothing where a subscript may not be
// evaluated once more.
std::string StatementTranslator::part_stored(const Node& accessor, const std::string& whole) const {
  std::string subscripts;
  for (std::size_t k = 0; k < accessor.children.size(); ++k) {
    const Node& child = accessor.children[k];
    const auto before = subscripts_.find(&child);
    if (before == subscripts_.end() && !is_pure(child, scope_, true)) return {};
    subscripts +=
        ", " + (before != subscripts_.end() ? before->second
                                            : subscript_text(source_, whole, child, k, accessor.children.size()));
  }
  return subscripts;
}

std::vector<Term> StatementTranslator::stored(const Node& left, ExpressionRewriter& rewriter) {
  const std::string& name = base_of(left).text;
  if (left.kind == NodeKind::identifier)
    return {scope_.numbers.contains(name) ? Term{"8", {}} : Term{size_name(name), name}};
  const Node& accessor = left.children.back();
  if (accessor.kind == NodeKind::arguments)  // subscripts that are arrays are read
    for (const Node& child : accessor.children)
      if (!scope_.is_scalar(child) && inner(child).kind == NodeKind::identifier &&
          scope_.is_variable(inner(child).text))
        rewriter.rewrite(child, Role::subscript);
  if (left.children.size() == 2 && accessor.kind == NodeKind::arguments) {
    const bool scalar = !accessor.children.empty() && std::ranges::all_of(accessor.children, [&](const Node& child) {
      return child.kind != NodeKind::colon && scope_.is_scalar(child);
    });
    if (scalar) return {{element_name(name), {}}};
    const std::string subscripts = part_stored(accessor, name);
    if (!subscripts.empty()) return {{fmt::format("{}*SLMspan({}{})", element_name(name), name, subscripts), {}, true}};
    return {{fmt::format("SLMbytes({})", name), {}, true}};
  }
  if (accessor.kind == NodeKind::arguments) {  // a part of what a field or a cell holds
    const std::string head = rewriter.held_head(left);
    const std::string subscripts = head.empty() ? head : part_stored(accessor, head);
    if (!subscripts.empty()) return {{fmt::format("SLMpart({}{})", head, subscripts), {}, true}};
  }
  // A field or a cell: what it holds now, unless asking for it might not be the same place any more.
  bool repeatable = true;
  for (std::size_t i = 1; i < left.children.size(); ++i)
    for (const Node& child : left.children[i].children)
      repeatable = repeatable && scope_.is_scalar(child) && is_pure(child, scope_);
  if (!repeatable) return {};
  return {{"SLMbytes(" + std::string(source_.slice(left.begin, left.end)) + ")", {}, true}};
}
}  // namespace sparsecast::memory_traffic
