#include "memory_traffic/translate/expression_rewriter.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <span>
#include <utility>

#include "memory_traffic/language/builtins.hpp"
#include "memory_traffic/language/lexicon.hpp"
#include "memory_traffic/translate/elements.hpp"

namespace sparsecast::memory_traffic {
namespace {
// Operators whose movement depends on what they are applied to.
std::string operator_function(const std::string& op) {
  if (op == "*") return "mtimes";
  if (op == "/") return "mrdivide";
  if (op == "\\") return "mldivide";
  if (op == "^" || op == "**") return "mpower";
  return {};
}

bool is_literal(const Node& node) {
  const Node& bare = inner(node);
  return bare.kind == NodeKind::number || bare.kind == NodeKind::string || bare.kind == NodeKind::colon ||
         bare.kind == NodeKind::cell || bare.kind == NodeKind::handle || bare.kind == NodeKind::anonymous ||
         bare.kind == NodeKind::end || bare.kind == NodeKind::tilde ||
         (bare.kind == NodeKind::matrix && bare.children.empty());
}

bool all_colons(const Node& arguments) {
  return std::ranges::all_of(arguments.children, [](const Node& n) { return n.kind == NodeKind::colon; });
}

// The function that "@f" and 'f' name.
std::string told_name(const Node& node) {
  if (node.kind == NodeKind::handle) return node.text;
  if (node.kind == NodeKind::string && node.text.size() > 2) return node.text.substr(1, node.text.size() - 2);
  return {};
}

// Hands its first argument on in another shape, without touching it.
bool only_reshapes(const Node& node) {
  return is_slice(node) && !node.children[1].children.empty() &&
         (node.children[0].text == "reshape" || node.children[0].text == "vec" || node.children[0].text == "squeeze");
}
}  // namespace

// Octave evaluates a'*b in one step (and so rounds differently from t = a'; t*b), but not ctranspose(a)*b: the library
// must, too. Capitals mark what is transposed by name.
const Node* ExpressionRewriter::transposed(const Node& operand, char& mark) const {
  const Node& node = inner(operand);
  if (node.kind == NodeKind::postfix && (node.text == "'" || node.text == ".'")) {
    mark = node.text == "'" ? 'h' : 't';
    return &node.children[0];
  }
  if (!is_slice(node) || node.children[1].children.size() != 1) return nullptr;
  const std::string& name = node.children[0].text;
  if ((name != "ctranspose" && name != "transpose") || scope_.is_variable(name) || names_.own(name)) return nullptr;
  mark = name == "ctranspose" ? 'H' : 'T';
  return &node.children[1].children[0];
}

std::string size_name(const std::string& variable) { return "slm_" + variable; }
std::string element_name(const std::string& variable) { return "slme_" + variable; }

bool ExpressionRewriter::has_free_end(const Node& node) const {
  if (node.kind == NodeKind::end) return true;
  if (node.kind == NodeKind::index && node.children[0].kind == NodeKind::identifier &&
      scope_.is_variable(node.children[0].text))
    return false;
  return std::ranges::any_of(node.children, [&](const Node& child) { return has_free_end(child); });
}

ExpressionRewriter::ExpressionRewriter(const SourceText& source, const VariableScope& scope, const ProgramNames& names,
                                       std::function<std::string()> slot, bool may_split)
    : source_(source), scope_(scope), names_(names), slot_(std::move(slot)), may_split_(may_split) {}

std::string ExpressionRewriter::position(std::size_t offset) const {
  return fmt::format("L{}C{}", source_.line(offset), source_.column(offset));
}

// The node's own text around the new texts of its children.
std::string ExpressionRewriter::splice(const Node& node, const std::vector<std::string>& children) {
  std::string text;
  std::size_t at = node.begin;
  for (std::size_t i = 0; i < children.size(); ++i) {
    text.append(source_.slice(at, node.children[i].begin)).append(children[i]);
    at = node.children[i].end;
  }
  return text.append(source_.slice(at, node.end));
}

std::string ExpressionRewriter::rewrite_children(const Node& node, Role role) {
  std::vector<std::string> texts;
  for (const Node& child : node.children) texts.push_back(rewrite(child, role));
  return splice(node, texts);
}

// A variable in a cell is renamed; a part of one is made anew, and what a handle returns is not known.
std::string ExpressionRewriter::rewrite_cell(const Node& node) {
  std::vector<std::string> rows;
  for (const Node& row : node.children) {
    std::vector<std::string> texts;
    for (const Node& child : row.children) {
      const bool part = is_slice(inner(child)) && scope_.is_variable(inner(child).children[0].text);
      texts.push_back(rewrite(child, part && whole_array(inner(child)) == nullptr ? Role::load : Role::argument));
    }
    rows.push_back(splice(row, texts));
  }
  return splice(node, rows);
}

// A part of an array that the function of that name puts somewhere else, as "reshape(x(1:4), 2, 2)" does.
bool ExpressionRewriter::is_kept_part(const Node& argument, const std::string& function) const {
  return is_slice(argument) && scope_.is_variable(argument.children[0].text) && whole_array(argument) == nullptr &&
         !names_.own(function) && is_one_of(function, {"reshape", "vec", "squeeze", "struct", "deal", "setfield"});
}

std::string ExpressionRewriter::unsplit(const Node& node, Role role) {
  const bool before = may_split_;
  may_split_ = false;
  std::string text = rewrite(node, role);
  may_split_ = before;
  return text;
}

std::string ExpressionRewriter::evaluated_before(const Node& node) {
  if (!may_split_ || has_free_end(node)) return {};
  const std::string text = rewrite(node, Role::load);
  if (!may_split_) return {};
  std::string temporary = "slm_sub_" + position(node.begin);
  before_.push_back(temporary + " = " + text + ";");
  return temporary;
}

bool ExpressionRewriter::part_of_loaded(const Node& node) const {
  const std::string& base = base_of(node).text;
  // Of a name that may be a function handle the call is to be seen.
  return is_slice(node) && scope_.arrays.contains(base) && (loaded_.contains(base) || whole_.contains(base));
}

// The array that the expression is with all its elements, as "A(:, :)" is; a handle called with ':' is none.
const Node* ExpressionRewriter::whole_array(const Node& node) const {
  const bool all = is_slice(node) && scope_.arrays.contains(node.children[0].text) && all_colons(node.children[1]);
  return all ? &node.children[0] : nullptr;
}

void ExpressionRewriter::load_variable(const std::string& name) {
  certain_.insert(name);
  if (!load_once(name)) return;
  const bool known = take_back_subscript(name);
  if (scope_.numbers.contains(name))
    loads_.push_back({"8", {}});
  else {
    loads_.push_back({size_name(name), name});
    if (!known) touched_.push_back({name});
  }
}

// A subscript that is one number is in a register. Whether it is may be known at run time alone: what some other
// statement puts into the variable is no matter of this one.
void ExpressionRewriter::load_subscript(const std::string& name) {
  certain_.insert(name);
  if (loaded_.contains(name) || subscripts_.contains(name)) return;
  subscripts_[name] = loads_.size();
  loads_.push_back({fmt::format("({0} > {1})*{0}", size_name(name), element_name(name)), name});
  touched_.push_back({name});
}

// What is read as a whole needs no count as a subscript as well.
bool ExpressionRewriter::take_back_subscript(const std::string& name) {
  const auto found = subscripts_.find(name);
  if (found == subscripts_.end()) return false;
  loads_[found->second] = {"0", {}};
  subscripts_.erase(found);
  return true;
}

void ExpressionRewriter::note_call(const std::string& name) {
  if (name != "ans" && !names_.analysed(name)) unanalysed_.push_back(name);
}

std::string ExpressionRewriter::rewrite(const Node& node, Role role) {
  switch (node.kind) {
    case NodeKind::identifier:
      if (scope_.is_variable(node.text)) {
        if (role == Role::subscript && !scope_.numbers.contains(node.text) && names_.sliced.contains(node.text))
          load_subscript(node.text);
        else if (role != Role::argument)
          load_variable(node.text);
      } else {
        const Builtin* known = find_builtin(node.text);
        if (known == nullptr || known->shape == ResultShape::other) may_split_ = false;
        note_call(node.text);
      }
      return std::string(source_.slice(node.begin, node.end));
    case NodeKind::anonymous: return std::string(source_.slice(node.begin, node.end));
    case NodeKind::parenthesis:
    case NodeKind::row: return rewrite_children(node, role);
    case NodeKind::cell: return rewrite_cell(node);
    case NodeKind::index: return rewrite_index(node, role);
    case NodeKind::assign:
    case NodeKind::multi_assign:
      // Handled by the statement; inside an expression only its value counts.
      return splice(node,
                    {std::string(source_.slice(node.children[0].begin, node.children[0].end)),
                     unsplit(node.children[1],
                             inner(node.children[1]).kind == NodeKind::identifier ? Role::argument : Role::load)});
    default: break;
  }
  // "++x(k)": the statement counts it, and what is incremented must stay what it is.
  if (node.text == "++" || node.text == "--") return std::string(source_.slice(node.begin, node.end));
  ProfiledCall called;
  if (profile_of(node, called)) return rewrite_profiled(node, called);
  const bool lazy =
      node.kind == NodeKind::binary && (node.text == "&&" || node.text == "||" || node.text == "&" || node.text == "|");
  if (lazy) {
    std::vector<std::string> texts{rewrite(node.children[0], Role::load)};
    const bool before = std::exchange(maybe_, true);
    texts.push_back(unsplit(node.children[1], Role::load));
    maybe_ = before;
    may_split_ = false;
    return splice(node, texts);
  }
  return rewrite_children(node, node.kind == NodeKind::matrix ? Role::element : Role::load);
}

bool ExpressionRewriter::profile_of(const Node& node, ProfiledCall& called) const {
  if (node.kind == NodeKind::binary) {
    called.word = operator_function(node.text);
    if (called.word.empty()) return false;
    const Node &a = node.children[0], &b = node.children[1];
    const bool one = scope_.is_scalar(a), other = scope_.is_scalar(b);
    const std::string& word = called.word;
    if (word == "mpower" ? one && other : word == "mtimes" ? one || other : word == "mrdivide" ? other : one)
      return false;
    called.operands = {&a, &b};
    called.keeps_operands = true;
    char mark = ' ';
    if (called.word == "mtimes" || called.word == "mldivide") {
      if (const Node* bare = transposed(a, mark)) {
        called.operands[0] = bare;
        called.form = std::string(1, mark) + node.text;
      }
    }
    // DGEMM takes either operand transposed, or both.
    if (called.word == "mtimes") {
      if (const Node* bare = transposed(b, mark)) {
        called.operands[1] = bare;
        called.form = (called.form.empty() ? node.text : called.form) + mark;
      }
    }
    called.at = source_.text().find(node.text[0], a.end);
  } else if (is_slice(node)) {
    std::string name = node.children[0].text;
    if (scope_.is_variable(name) || names_.own(name)) return false;
    std::span<const Node> arguments = node.children[1].children;
    if (name == "feval" && !arguments.empty() && !told_name(arguments[0]).empty()) {
      name = told_name(arguments[0]);
      arguments = arguments.subspan(1);
      if (names_.own(name)) return false;
    }
    const Builtin* builtin = find_builtin(name);
    if (builtin == nullptr || !builtin->profiled()) return false;
    if (std::ranges::all_of(arguments, [&](const Node& n) { return scope_.is_scalar(n); })) return false;
    called.word = name;
    for (const Node& argument : arguments) called.operands.push_back(&argument);
    called.keeps_operands = builtin->kind >= BuiltinKind::whole;
    called.at = node.begin;
  } else {
    return false;
  }
  called.library_name = "SLM" + called.word;
  return true;
}

// One letter per operand: v a variable that is loaded here, d one that this statement has loaded already, s a slice
// whose load is counted with the other parts of its variable, t the result of an expression, f such a result that is
// used as it is produced, - nothing to load.
std::string ExpressionRewriter::arguments(const ProfiledCall& called, std::string& flags) {
  std::string text;
  for (const Node* operand : called.operands) {
    const Node& bare = inner(*operand);
    std::string argument;
    const bool named = bare.kind == NodeKind::identifier && scope_.is_variable(bare.text);
    if (const Node* variable = named ? &bare : whole_array(bare)) {
      const std::string& name = variable->text;
      argument = std::string(source_.slice(operand->begin, operand->end));
      if (!maybe_) certain_.insert(name);
      flags += load_once(name) ? 'v' : 'd';
      if (flags.back() == 'v' && !take_back_subscript(name) && !scope_.numbers.contains(name))
        touched_.push_back({name});
    } else if (is_literal(bare)) {
      argument = rewrite(*operand, Role::argument);
      flags += '-';
    } else if (bare.kind == NodeKind::index && scope_.is_variable(base_of(bare).text)) {
      if (is_slice(bare) && !part_of_loaded(bare)) {
        const bool again = loaded_.contains(std::string(source_.slice(bare.begin, bare.end)));
        argument = rewrite(*operand, Role::load);
        flags += again ? 'd' : 's';
      } else {
        argument = unsplit(*operand, Role::argument);
        flags += !is_slice(bare) && load_once(std::string(source_.slice(bare.begin, bare.end))) ? 'v' : 'd';
      }
    } else if (only_reshapes(bare) && !names_.own(bare.children[0].text)) {
      argument = rewrite(*operand, Role::load);
      flags += 'd';
    } else {
      argument = rewrite(*operand, Role::load);
      flags += scope_.is_scalar(bare) ? '-' : called.keeps_operands ? 't' : 'f';
    }
    text += ", " + argument;
  }
  return called.form.empty() ? text : text + ", '" + called.form + "'";
}

bool ExpressionRewriter::profiled_call(const Node& node, std::string& call, std::string& analysis) {
  ProfiledCall called;
  const Node& bare = inner(node);
  if (!may_split_ || !profile_of(bare, called)) return false;
  std::string flags;
  const std::string operands = arguments(called, flags);
  analysis = "slm_" + called.word + "_" + position(called.at);
  call = fmt::format("{}('{}'{})", called.library_name, flags, operands);
  analyses_.push_back(analysis);
  return true;
}

std::string ExpressionRewriter::rewrite_profiled(const Node& node, const ProfiledCall& called) {
  std::string flags;
  const std::string operands = arguments(called, flags);
  if (!may_split_ || has_free_end(node))
    return fmt::format("{}({{{}, '{}'}}{})", called.library_name, slot_(), flags, operands);
  const std::string where = position(called.at), analysis = "slm_" + called.word + "_" + where;
  std::string temporary = "slm_" + where;
  before_.push_back(fmt::format("[{}, {}] = {}('{}'{});", temporary, analysis, called.library_name, flags, operands));
  analyses_.push_back(analysis);
  return temporary;
}

std::string ExpressionRewriter::rewrite_index(const Node& node, Role role) {
  const Node& base = node.children[0];
  ProfiledCall called;
  if (profile_of(node, called)) return rewrite_profiled(node, called);
  const bool variable = base.kind == NodeKind::identifier && scope_.is_variable(base.text);
  const bool slice = is_slice(node);
  // Arguments of something unknown are evaluated where they stand: it may look at their names, and whatever comes
  // behind it must not move in front of it.
  bool builtin = false, reads = false;
  if (slice && !variable && !names_.own(base.text)) {
    const Builtin* known = find_builtin(base.text);
    builtin = known != nullptr && known->shape != ResultShape::other;
    reads = known != nullptr && known->profiled();  // of numbers only, else it would have been profiled
  }
  if (base.kind == NodeKind::identifier && !variable && &node != counted_call_) {
    note_call(base.text);
    // feval('f', x) and feval(@f, x)
    const Builtin* known = slice && !names_.own(base.text) ? find_builtin(base.text) : nullptr;
    if (known != nullptr && known->kind == BuiltinKind::call && !node.children[1].children.empty()) {
      const std::string name = told_name(node.children[1].children[0]);
      if (!name.empty()) note_call(name);
    }
  }
  const bool hands_on = only_reshapes(node) && !variable && !names_.own(base.text) && role != Role::argument;
  const bool handle = inner(base).kind == NodeKind::anonymous && node.children.back().kind == NodeKind::arguments;
  const std::size_t loads_before = loads_.size();
  std::vector<std::string> texts;
  texts.push_back(base.kind == NodeKind::identifier || base.kind == NodeKind::string
                      ? std::string(source_.slice(base.begin, base.end))
                      : rewrite(base, Role::argument));
  for (std::size_t i = 1; i < node.children.size(); ++i) {
    const Node& accessor = node.children[i];
    std::vector<std::string> inside;
    for (const Node& child : accessor.children) {
      const bool plain = inner(child).kind == NodeKind::identifier;
      // A subscript that is one number is in a register; an array of subscripts is read.
      const bool handed_on = hands_on && &child == &accessor.children[0];
      const bool only_named = role == Role::argument && &child == &accessor.children[0] && only_reshapes(node) &&
                              only_reshapes(inner(child)) && !names_.own(inner(child).children[0].text);
      const Role use = only_named           ? Role::argument
                       : variable || handle ? (plain && scope_.is_scalar(child) ? Role::argument : Role::subscript)
                                            : (plain && !reads && !handed_on ? Role::argument : Role::load);
      const bool as_it_is = !variable && !handle && !handed_on && !reads && !is_kept_part(inner(child), base.text) &&
                            inner(child).kind == NodeKind::index && scope_.is_variable(base_of(inner(child)).text);
      inside.push_back((builtin || (slice && variable)) && !has_free_end(child)
                           ? rewrite(child, as_it_is ? Role::argument : use)
                           : unsplit(child, as_it_is ? Role::argument : use));
    }
    texts.push_back(splice(accessor, inside));
  }
  std::string text = splice(node, texts);
  if (variable && slice && !scope_.arrays.contains(base.text)) note_handle(node, loads_before);
  if (!variable) {
    if (!builtin) may_split_ = false;
    return handle ? "SLMload(" + slot_() + ", " + texts[0] + ", " + text + ")" : text;
  }
  if (role == Role::argument || (role == Role::subscript && !slice)) {
    // Only arrays are known not to be calls.
    if (!scope_.arrays.contains(base.text)) may_split_ = false;
    return text;
  }
  // s.f and c{:} may be several values in a row of a matrix.
  if (role == Role::element && !slice) {
    if (!scope_.arrays.contains(base.text)) may_split_ = false;
    return load_once(text) ? "SLMparts(" + slot_() + ", {" + text + "}){:}" : text;
  }
  if (whole_array(node) != nullptr) {
    load_variable(base.text);
    return text;
  }
  if (part_of_loaded(node)) return text;
  if (slice && scope_.is_scalar(node)) {
    elements_[base.text].insert(element_key(source_, scope_, node.children[1]));
    return text;
  }
  if (!load_once(std::string(source_.slice(node.begin, node.end)))) return text;
  return measured(node, text, slice);
}
}  // namespace sparsecast::memory_traffic
