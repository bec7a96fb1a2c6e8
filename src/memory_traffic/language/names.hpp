#pragma once
// The variable name space: which names of one file's script part or of one function are variables, which of them can
// only ever hold one number, and which only arrays. The last two are found from the assignments alone, without running
// the program, and save the translated program from asking at run time.

#include <set>

#include "memory_traffic/language/syntax.hpp"

namespace sparsecast::memory_traffic {
struct VariableScope {
  std::set<std::string> variables;  ///< everything that is assigned to, parameters and declared globals included
  std::set<std::string> parameters;
  std::set<std::string> shared;   ///< global, persistent or of nested functions: others may change them
  std::set<std::string> outer;    ///< variables of the functions around a nested one
  bool nested = false;            ///< the function is nested, or has nested functions
  std::set<std::string> numbers;  ///< only ever one real number
  std::set<std::string> arrays;   ///< only ever a numeric array (so that a(1) is no call)

  [[nodiscard]] bool is_variable(const std::string& name) const { return variables.contains(name); }
  /// The expression is one number, whatever its class.
  [[nodiscard]] bool is_scalar(const Node& node) const;
  /// One real number of class double.
  [[nodiscard]] bool is_number(const Node& node) const;
  [[nodiscard]] bool is_array(const Node& node) const;
};

/// The scope of a function (a function statement); `around` is that of the function in which it is nested.
VariableScope function_scope(const Statement& function, const VariableScope* around = nullptr);
/// The scope of a script: all statements that stand in no function.
VariableScope script_scope(const Block& body);

/// Whether a statement of the block gives the variable another value, elements of it included.
bool assigns_to(const Block& block, const std::string& name);
/// Names that an expression assigns to, in order: x in "x = y", and in "if ((x = f()) > 0)".
std::vector<const Node*> assigned_nodes(const Node& expression);
/// The variable that a left side (a name or a part of one) belongs to.
const Node& base_of(const Node& left_side);
/// "A(:, k)": the variable, or the function, and one pair of parentheses.
bool is_slice(const Node& node);
/// Strips parentheses.
const Node& inner(const Node& node);
/// An expression that can be evaluated a second time without being noticed; `end_too`: an `end` of the index that it
/// stands in counts as one.
[[nodiscard]] bool is_pure(const Node& node, const VariableScope& scope, bool end_too = false);
}  // namespace sparsecast::memory_traffic
