#include "memory_traffic/language/lexicon.hpp"

#include <array>
#include <set>

#include "memory_traffic/language/table.hpp"

namespace sparsecast::memory_traffic {
namespace {
// Longest first: the first that fits is the one.
constexpr std::array<std::string_view, 50> symbols = {
    ".*=", "./=", ".\\=", ".^=", "==", "~=", "!=",  "<=", ">=", "&&", "||", ".*", "./", ".\\", ".^", ".'", "**",
    "++",  "--",  "+=",   "-=",  "*=", "/=", "\\=", "^=", "|=", "&=", "+",  "-",  "*",  "/",   "\\", "^",  "<",
    ">",   "&",   "|",    "!",   "~",  ":",  "=",   "@",  ".",  "(",  ")",  "[",  "]",  "{",   "}",  "'"};
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
