#include "gpu_code/compile/macros.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <sparsecast/error.hpp>
#include <string_view>

#include "fields/wording.hpp"

namespace sparsecast::gpu_code {
namespace {
bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool digit(char c) { return c >= '0' && c <= '9'; }

bool identifier(std::string_view name) {
  return !name.empty() && letter(name[0]) && std::ranges::all_of(name, [](char c) { return letter(c) || digit(c); });
}

/// What the preprocessor keeps to itself, and C++'s operators that are words.
bool reserved(std::string_view name) {
  constexpr std::array<std::string_view, 19> names{"defined",  "__VA_ARGS__", "__VA_OPT__",  "__FILE__", "__LINE__",
                                                   "__DATE__", "__TIME__",    "__cplusplus", "and",      "or",
                                                   "not",      "xor",         "compl",       "bitand",   "bitor",
                                                   "and_eq",   "or_eq",       "not_eq",      "xor_eq"};
  return std::ranges::find(names, name) != names.end() || name.starts_with("__has_");
}

/// Fit for a message of one line.
std::string shown(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string result(text.substr(0, longest));
  std::ranges::replace_if(
      result, [](char c) { return c < ' ' || c > '~'; }, '?');
  return result + (text.size() > longest ? "..." : "");
}

constexpr std::string_view remedy_of_names = "a macro's name must be a C identifier that the language does not reserve";
constexpr std::string_view remedy_of_values =
    "a value may consist of numbers, names, blanks and . , + - * / % & | ^ ~ ! < > = ? : ( ) [ ] { }";

struct Macro {
  std::string_view name, value;
};

Macro parse_macro(std::string_view define, const wording::Text& origin) {
  const auto equal = define.find('=');
  const auto name = define.substr(0, equal);
  const auto value = equal == std::string_view::npos ? std::string_view("1") : define.substr(equal + 1);
  const auto refuse = [&](const std::string& reason, std::string_view remedy) {
    throw Error(ErrorCode::usage, wording::format("{} {}: {}", origin, shown(define), reason), {}, remedy);
  };
  if (!identifier(name)) refuse("that is not a name for a macro", remedy_of_names);
  if (reserved(name)) refuse("that name is reserved by the language", remedy_of_names);
  constexpr std::string_view signs = " _.,+-*/%&|^~!<>=?:()[]{}";
  for (const char c : value)
    if (!letter(c) && !digit(c) && signs.find(c) == std::string_view::npos)
      refuse(c > ' ' && c <= '~' ? fmt::format("a value cannot hold {}", c)
                                 : fmt::format("a value cannot hold the byte {:#04x}", static_cast<unsigned char>(c)),
             remedy_of_values);
  for (const std::string_view pair : {"//", "/*", "??", "%:"})
    if (value.find(pair) != std::string_view::npos)
      refuse(fmt::format("a value cannot hold {}", pair),
             "a value must be an expression without comments and digraphs");
  return {name, value};
}
}  // namespace

void check_define(const std::string& define, const wording::Text& origin) { (void)parse_macro(define, origin); }

void check_define(const std::string& define, const wording::Text& origin, std::set<std::string>& names) {
  if (!names.emplace(parse_macro(define, origin).name).second)
    throw Error(ErrorCode::usage, wording::format("{} {}: that macro is given twice", origin, shown(define)), {},
                "give each macro once");
}

std::string defines_header(const std::vector<std::string>& defines) {
  std::string text;
  for (const auto& define : defines) {
    const auto [name, value] = parse_macro(define, "define");
    text += fmt::format("#define {} {}\n", name, value);
  }
  return text;
}
}  // namespace sparsecast::gpu_code
