#pragma once
// What MATLAB's words are made of: classes of characters, keywords, operators. Not here: where in a text they stand and
// what they mean there (lexer.hpp).

#include <cctype>
#include <map>
#include <string>
#include <string_view>

namespace sparsecast::memory_traffic {
inline bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
inline bool is_name(char c) { return is_name_start(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }
inline bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

/// Names that no variable can have.
[[nodiscard]] bool is_keyword(std::string_view word);
/// After these words a new statement may start on the same line.
[[nodiscard]] bool opens_statement(std::string_view keyword);

/// The longest operator or bracket that stands there; empty where there is none.
[[nodiscard]] std::string_view symbol_at(std::string_view text, std::size_t at);
/// `x += 1`; inside brackets `[a -=b]` would not be one, nor is it anything else.
[[nodiscard]] bool is_assignment(std::string_view op);

// What is known of MATLAB's own functions: one table, data/builtins.tsv.

enum class BuiltinKind { silent, call, elementwise, reduction, whole };
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
