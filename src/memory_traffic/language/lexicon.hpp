#pragma once
// What MATLAB's words are made of: classes of characters, keywords and operators. Where they stand in a text and what
// they mean there is the lexer's business.

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <string_view>

namespace sparsecast::memory_traffic {
inline bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
inline bool is_name(char c) { return is_name_start(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }
inline bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

[[nodiscard]] constexpr bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}
/// Names that no variable can have.
[[nodiscard]] bool is_keyword(std::string_view word);
/// After these words a new statement may start on the same line.
[[nodiscard]] bool opens_statement(std::string_view keyword);

/// What follows %SLM in the directives of regions.
inline constexpr std::array<std::string_view, 7> directive_words = {"start", "end",  "FuncStart", "FuncEnd",
                                                                    "print", "Func", "IncFunc"};
/// A comment that was meant as a directive and is none, "#SLM start a;" or "% slm end a": its mark, the letters and one
/// of the words in any case, names up to its end. With a second mark, "%%SLM start a;", it was made a comment.
[[nodiscard]] bool resembles_directive(std::string_view comment);

/// The longest operator or bracket that stands there; empty where there is none.
[[nodiscard]] std::string_view symbol_at(std::string_view text, std::size_t at);
/// `x += 1`; inside brackets `[a -=b]` would not be one, nor is it anything else.
[[nodiscard]] bool is_assignment(std::string_view op);
}  // namespace sparsecast::memory_traffic
