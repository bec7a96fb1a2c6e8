#include "memory_traffic/language/builtins.hpp"

#include <algorithm>
#include <iterator>
#include <sparsecast/error.hpp>

#include "base/text.hpp"
#include "memory_traffic/language/table.hpp"

namespace sparsecast::memory_traffic {
namespace {
// In the order of BuiltinKind and of ResultShape.
constexpr std::string_view kinds[] = {"silent", "runs", "code", "call", "elementwise", "reduction", "whole", "factor"};
constexpr std::string_view shapes[] = {"scalar", "logical", "constant", "same", "array", "size", "other"};

[[noreturn]] void refuse_row(std::string_view row, const std::string& reason) {
  throw Error(ErrorCode::failed, "a row of builtins.tsv " + reason + ": " + std::string(row));
}

template <class Enumeration, std::size_t count>
Enumeration meant(std::string_view word, const std::string_view (&words)[count], std::string_view row) {
  const auto* const found = std::ranges::find(words, word);
  if (found == std::end(words)) refuse_row(row, "says '" + std::string(word) + "', which is not known");
  return static_cast<Enumeration>(found - words);
}

std::map<std::string, Builtin, std::less<>> read_table() {
  std::map<std::string, Builtin, std::less<>> table;
  for (const std::string_view row : rows_of_table("builtins.tsv")) {
    const auto columns = base::split(row, '\t');
    if (columns.size() != 3) refuse_row(row, "has not three columns");
    table[std::string(columns[0])] = {meant<BuiltinKind>(columns[1], kinds, row),
                                      meant<ResultShape>(columns[2], shapes, row)};
  }
  return table;
}
}  // namespace

const std::map<std::string, Builtin, std::less<>>& builtins() {
  static const auto table = read_table();
  return table;
}

const Builtin* find_builtin(std::string_view name) {
  const auto found = builtins().find(name);
  return found == builtins().end() ? nullptr : &found->second;
}
}  // namespace sparsecast::memory_traffic
