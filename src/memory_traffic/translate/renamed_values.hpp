#pragma once
// Values that are variables as they are: an assignment gives them another name and moves nothing (the paper's copy
// correction), whether it says "y = x", "y = x(:)", "c = {x}" or "[p, q] = deal(x, y)".

#include "memory_traffic/language/names.hpp"
#include "memory_traffic/translate/expression_rewriter.hpp"

namespace sparsecast::memory_traffic {
/// What a cell or a field holds, s.x{k}, rather than a part of an array.
[[nodiscard]] bool is_held(const Node& bare, const VariableScope& scope);
/// The variable that is the value, in whatever shape: "x", "x(:)", "reshape(x, 2, 8)"; nothing for all else.
[[nodiscard]] const Node* renamed_variable(const Node& value, const VariableScope& scope, const ProgramNames& names);
/// The values of "{x, 3}" and "struct('a', x)", where each is a variable, what one holds, or a number; else none.
[[nodiscard]] std::vector<const Node*> packed_values(const Node& value, const VariableScope& scope,
                                                     const ProgramNames& names);
/// The arguments of "deal(x, y)", each a variable or what one holds, one for each of so many outputs; else none.
[[nodiscard]] std::vector<const Node*> dealt_values(const Node& value, std::size_t outputs, const VariableScope& scope,
                                                    const ProgramNames& names);
}  // namespace sparsecast::memory_traffic
