// Sizes of variables: where they are found, and found again because something may have changed them.

#include <fmt/format.h>
#include <utility>

#include "memory_traffic/language/builtins.hpp"
#include "memory_traffic/language/lexicon.hpp"
#include "memory_traffic/translate/statement_translator.hpp"

namespace sparsecast::memory_traffic {
namespace {
// Functions that may assign to any variable of their caller.
bool changes_callers_variables(const std::string& name) {
  return is_one_of(name, {"eval", "evalc", "evalin", "assignin", "load", "source", "run"});
}

// Functions of MATLAB's own that run code of the program.
bool runs_code(const std::string& name) {
  const Builtin* known = find_builtin(name);
  return known != nullptr &&
         (known->kind == BuiltinKind::runs || known->kind == BuiltinKind::code || known->kind == BuiltinKind::call);
}
}  // namespace

// The beginning of a call of a function of MATLAB's own, whatever the program has by that name.
std::string StatementTranslator::plain_call(const std::string& name) const {
  if (!scope_.is_variable(name) && !names_.own(name)) return name + "(";
  if (scope_.is_variable("builtin") || names_.own("builtin"))
    source_.refuse(body_->begin, fmt::format("'{}' and 'builtin' are both names of the program's own", name),
                   "rename one of them");
  return fmt::format("builtin('{}', ", name);
}

std::vector<std::string> StatementTranslator::size_code(const std::string& variable) {
  if (scope_.numbers.contains(variable)) return {};
  const std::string size = size_name(variable);
  if (names_.sliced.contains(variable))
    return {fmt::format("[{}, {}] = SLMbytes({});", size, element_name(variable), variable)};
  return {fmt::format("{} = SLMbytes({});", size, variable)};
}

// Of the variables that an expression assigns to, or may change by what it calls.
std::vector<std::string> StatementTranslator::sizes_of_assigned(const Node& expression) {
  std::vector<std::string> code;
  for (const Node* target : assigned_nodes(expression)) append(code, size_code(base_of(*target).text));
  append(code, sizes_changed_elsewhere(expression));
  return code;
}

std::string StatementTranslator::size_if_there(const std::string& variable) {
  return fmt::format("if {}'{}', 'var'), {} end;", plain_call("exist"), variable, size_code(variable)[0]);
}

// Of variables that others than the statement's own left side may have changed: a script, evaluated text, "load"; of
// global variables, and of those that nested functions share, whatever runs code of the program. In a family of nested
// functions the sizes are shared like the variables, also where a variable is one function's own.
std::vector<std::string> StatementTranslator::sizes_changed_elsewhere(const Node& expression) {
  bool all = false, shared = false;
  const Node& bare = inner(expression);
  visit(expression, [&](const Node& node) {
    // A handle is called: "f(x)", "s.f(x)", "c{1}()", where arrays are known to be none.
    if (node.kind == NodeKind::index && node.children.back().kind == NodeKind::arguments) {
      const Node& base = base_of(node);
      shared = shared || base.kind != NodeKind::identifier ||
               (scope_.is_variable(base.text) && !scope_.arrays.contains(base.text));
    }
    if (node.kind != NodeKind::identifier || scope_.is_variable(node.text)) return;
    const bool own = names_.own(node.text);
    all = all || (own && &node == &bare) || changes_callers_variables(node.text);
    shared = shared || own || runs_code(node.text);
  });
  if (all || (shared && scope_.nested)) return sizes_again(variables_in(*body_));
  return shared ? sizes_again(scope_.shared) : std::vector<std::string>();
}

std::vector<std::string> StatementTranslator::sizes_again(const std::set<std::string>& variables) {
  std::vector<std::string> code;
  for (const std::string& name : variables) {
    if (scope_.numbers.contains(name)) continue;
    append(code, account_.before_resize(name, false));
    code.push_back(size_if_there(name));
  }
  return code;
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
}  // namespace sparsecast::memory_traffic
