// See lexicon.hpp.

#include "traffic/language/lexicon.hpp"

#include <algorithm>
#include <array>

namespace sparsecast::traffic {
namespace {

constexpr std::array<std::string_view, 32> keywords = {"break",
                                                       "case",
                                                       "catch",
                                                       "classdef",
                                                       "continue",
                                                       "do",
                                                       "else",
                                                       "elseif",
                                                       "end",
                                                       "end_try_catch",
                                                       "end_unwind_protect",
                                                       "endclassdef",
                                                       "endfor",
                                                       "endfunction",
                                                       "endif",
                                                       "endparfor",
                                                       "endswitch",
                                                       "endwhile",
                                                       "for",
                                                       "function",
                                                       "global",
                                                       "if",
                                                       "otherwise",
                                                       "parfor",
                                                       "persistent",
                                                       "return",
                                                       "switch",
                                                       "try",
                                                       "until",
                                                       "unwind_protect",
                                                       "unwind_protect_cleanup",
                                                       "while"};

// Longest first: the first that fits is the one.
constexpr std::array<std::string_view, 50> symbols = {
    ".*=", "./=", ".\\=", ".^=", "==", "~=", "!=",  "<=", ">=", "&&", "||", ".*", "./", ".\\", ".^", ".'", "**",
    "++",  "--",  "+=",   "-=",  "*=", "/=", "\\=", "^=", "|=", "&=", "+",  "-",  "*",  "/",   "\\", "^",  "<",
    ">",   "&",   "|",    "!",   "~",  ":",  "=",   "@",  ".",  "(",  ")",  "[",  "]",  "{",   "}",  "'"};

}  // namespace

bool is_keyword(std::string_view word) { return std::find(keywords.begin(), keywords.end(), word) != keywords.end(); }

bool opens_statement(std::string_view keyword) {
  return keyword == "else" || keyword == "try" || keyword == "do" || keyword == "otherwise" ||
         keyword == "unwind_protect" || keyword == "unwind_protect_cleanup" || keyword.starts_with("end");
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

}  // namespace sparsecast::traffic
