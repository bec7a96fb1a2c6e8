// What is known of the functions that a program calls.

#include "memory_traffic/language/builtins.hpp"
#include "memory_traffic/translate/expression_rewriter.hpp"

namespace sparsecast::memory_traffic {
bool ProgramNames::analysed(const std::string& name) const {
  if (silent.contains(name) || counted.contains(name) || annotated.contains(name)) return true;
  if (functions.contains(name)) return false;
  if (const Neighbour beside = file(name); beside != Neighbour::none) return beside != Neighbour::plain;
  const Builtin* known = find_builtin(name);
  return known != nullptr && known->kind != BuiltinKind::runs && known->kind != BuiltinKind::code;
}

bool ProgramNames::counts_itself(const std::string& name) const {
  if (counted.contains(name) || file(name) == Neighbour::counted) return true;
  const Builtin* known = find_builtin(name);
  return known != nullptr && known->kind == BuiltinKind::code && file(name) == Neighbour::annotated;
}
}  // namespace sparsecast::memory_traffic
