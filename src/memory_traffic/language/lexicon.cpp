#include "memory_traffic/language/lexicon.hpp"

#include <cctype>
#include <set>

#include "memory_traffic/language/table.hpp"

namespace sparsecast::memory_traffic {
namespace {
// Longest first: the first that fits is the one.
constexpr std::array<std::string_view, 50> symbols = {
    ".*=", "./=", ".\\=", ".^=", "==", "~=", "!=",  "<=", ">=", "&&", "||", ".*", "./", ".\\", ".^", ".'", "**",
    "++",  "--",  "+=",   "-=",  "*=", "/=", "\\=", "^=", "|=", "&=", "+",  "-",  "*",  "/",   "\\", "^",  "<",
    ">",   "&",   "|",    "!",   "~",  ":",  "=",   "@",  ".",  "(",  ")",  "[",  "]",  "{",   "}",  "'"};

bool same_but_for_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, {}, [](unsigned char c) { return std::tolower(c); }, [](unsigned char c) { return std::tolower(c); });
}

// Without what may stand in front of it.
std::string_view behind(std::string_view text, std::string_view skipped) {
  return text.substr(std::min(text.find_first_not_of(skipped), text.size()));
}
}  // namespace

bool is_keyword(std::string_view word) {
  static const auto rows = rows_of_table("keywords.tsv");
  static const std::set<std::string_view> keywords(rows.begin(), rows.end());
  return keywords.contains(word);
}

bool opens_statement(std::string_view keyword) {
  return keyword.starts_with("end") ||
         is_one_of(keyword, {"else", "try", "do", "otherwise", "unwind_protect", "unwind_protect_cleanup"});
}

bool resembles_directive(std::string_view comment) {
  constexpr std::string_view blanks = " \t\r\f\v";
  std::string_view rest = behind(comment.substr(std::min<std::size_t>(1, comment.size())), blanks);
  if (!same_but_for_case(rest.substr(0, 3), "SLM")) return false;
  rest = behind(rest.substr(3), blanks);
  const std::string_view word = rest.substr(0, std::min(rest.find_first_of(blanks), rest.size()));
  if (std::ranges::none_of(directive_words, [&](std::string_view known) { return same_but_for_case(word, known); }))
    return false;
  rest = behind(rest.substr(word.size()), blanks);
  const std::size_t end = std::min(rest.find(';'), rest.size());
  if (!behind(rest.substr(std::min(end + 1, rest.size())), blanks).empty()) return false;
  // One name, or several with commas: words that are only next to each other are prose.
  bool between = true;
  for (std::size_t at = 0; at < end;) {
    if (is_blank(rest[at]) || rest[at] == ',') {
      between |= rest[at++] == ',';
    } else if (is_name_start(rest[at]) && between) {
      while (at < end && is_name(rest[at])) ++at;
      between = false;
    } else {
      return false;
    }
  }
  return !between;
}

std::string_view symbol_at(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  for (const std::string_view s : symbols)
    if (!rest.empty() && rest[0] == s[0] && rest.starts_with(s)) return s;
  return {};
}

bool is_assignment(std::string_view op) {
  return op == "=" || (op.size() == 3 && op[2] == '=') ||
         (op.size() == 2 && op[1] == '=' && std::string_view("+-*/\\^|&").find(op[0]) != std::string_view::npos);
}
}  // namespace sparsecast::memory_traffic
