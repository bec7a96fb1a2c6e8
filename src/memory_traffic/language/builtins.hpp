#pragma once
// What is known of MATLAB's own functions. The table is data/builtins.tsv; a new function is a row there.

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace sparsecast::memory_traffic {
enum class BuiltinKind { silent, runs, code, call, elementwise, reduction, whole, factor };
enum class ResultShape { scalar, logical, constant, same, array, size, other };

struct Builtin {
  BuiltinKind kind = BuiltinKind::silent;
  ResultShape shape = ResultShape::other;
  /// The library has a profiled version, SLM<name>.
  [[nodiscard]] bool profiled() const { return kind >= BuiltinKind::elementwise; }
};

const std::map<std::string, Builtin, std::less<>>& builtins();
/// nullptr for a name that is not in the table.
const Builtin* find_builtin(std::string_view name);
}  // namespace sparsecast::memory_traffic
