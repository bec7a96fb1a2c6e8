#include "gpu_code/compile/source_parameters.hpp"

#include <cxxabi.h>
#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <sstream>

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

constexpr std::string_view remedy_of_names = "a macro's name is a C identifier that the language leaves free";
constexpr std::string_view remedy_of_values =
    "a value is made of numbers, names, blanks and . , + - * / % & | ^ ~ ! < > = ? : ( ) [ ] { }";

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
  if (!identifier(name)) refuse("that is no name for a macro", remedy_of_names);
  if (reserved(name)) refuse("that name is the language's own", remedy_of_names);
  constexpr std::string_view signs = " _.,+-*/%&|^~!<>=?:()[]{}";
  for (const char c : value)
    if (!letter(c) && !digit(c) && signs.find(c) == std::string_view::npos)
      refuse(c > ' ' && c <= '~' ? fmt::format("a value cannot hold {}", c)
                                 : fmt::format("a value cannot hold the byte {:#04x}", static_cast<unsigned char>(c)),
             remedy_of_values);
  for (const std::string_view pair : {"//", "/*", "??", "%:"})
    if (value.find(pair) != std::string_view::npos)
      refuse(fmt::format("a value cannot hold {}", pair), "a value is an expression without comments and digraphs");
  return {name, value};
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// Where a word stands, on from `from`, that is no part of another.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0) {
  auto at = text.find(word, from);
  const auto part = [&] {
    const auto end = at + word.size();
    return (at > 0 && is_word(text[at - 1])) || (end < text.size() && is_word(text[end]));
  };
  while (at != std::string_view::npos && part()) at = text.find(word, at + 1);
  return at;
}

/// The text with blanks where its comments were.
std::string without_comments(const std::string& source) {
  std::string text = source;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] == '"') {  // what stands in quotes is no comment
      for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i)
        if (text[i] == '\\') ++i;
      continue;
    }
    const auto begins = std::string_view(text).substr(i, 2);
    if (begins != "//" && begins != "/*") continue;
    const auto found = text.find(begins == "//" ? "\n" : "*/", i + 2);
    const auto end = found == std::string::npos ? text.size() : begins == "//" ? found : found + 2;
    std::replace_if(
        text.begin() + static_cast<std::ptrdiff_t>(i), text.begin() + static_cast<std::ptrdiff_t>(end),
        [](char c) { return c != '\n'; }, ' ');
    i = end - 1;
  }
  return text;
}

/// Whether what stands before a name makes it a kernel's: __global__ or __kernel (or kernel), and no end of something
/// else behind that.
bool is_kernel(std::string_view before) {
  constexpr std::size_t reach = 400;
  if (before.size() > reach) before.remove_prefix(before.size() - reach);
  std::size_t marker = 0;
  for (const std::string_view word : {"__global__", "__kernel", "kernel"})
    for (auto at = find_word(before, word); at != std::string_view::npos; at = find_word(before, word, at + 1))
      if (at + word.size() < before.size()) marker = std::max(marker, at + 1);
  const auto ended = std::max(before.rfind(';') + 1, before.rfind('}') + 1);
  return marker > 0 && ended < marker;
}

struct ParameterList {
  std::vector<std::string> names;
  bool defined = false;  ///< the function's body follows
};

/// The last word of every part between commas. `open`: where the parenthesis stands.
ParameterList read_parameters(std::string_view text, std::size_t open) {
  ParameterList list;
  std::string last;
  int depth = 0, in_brackets = 0;
  bool in_value = false;  // of "int n = most"
  for (auto i = open; i < text.size(); ++i) {
    const char c = text[i];
    depth += (c == '(' || c == '<') - (c == ')' || c == '>');
    in_brackets += (c == '[') - (c == ']');
    if ((c == ',' && depth == 1) || depth == 0) {
      if (!last.empty() && last != "void") list.names.push_back(last);
      last.clear();
      in_value = false;
      if (depth > 0) continue;
      for (++i; i < text.size() && is_blank(text[i]); ++i) {
      }
      list.defined = i < text.size() && text[i] == '{';
      return list;
    }
    in_value |= c == '=';
    if (!is_word(c)) continue;
    const auto begin = i;
    while (i + 1 < text.size() && is_word(text[i + 1])) ++i;
    const auto word = text.substr(begin, i + 1 - begin);
    const bool number = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!number && !in_value && in_brackets == 0 && word != "__restrict__" && word != "restrict") last = word;
  }
  return {};
}

/// "} name ;" with any space between: the end of a structure's typedef.
bool ends_structure(std::string_view text, std::string_view name) {
  for (auto at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const auto before = text.substr(0, at).find_last_not_of(" \t\r\n");
    const auto after = text.find_first_not_of(" \t\r\n", at + name.size());
    if (before != std::string_view::npos && text[before] == '}' && after != std::string_view::npos &&
        text[after] == ';')
      return true;
  }
  return false;
}

namespace fs = std::filesystem;

/// "FILE(3)", "FILE:3:5", "FILE:3".
Place parse_place(std::string_view text) {
  auto end = text.size();
  if (end > 0 && text[end - 1] == ')') {
    const auto line = number_before(text, --end);
    if (line > 0 && end > 0 && text[end - 1] == '(') return {std::string(text.substr(0, end - 1)), line};
    return {};
  }
  const auto last = number_before(text, end);
  if (last == 0 || end == 0 || text[end - 1] != ':') return {};
  auto before = end - 1;
  const auto line = number_before(text, before);
  if (line > 0 && before > 0 && text[before - 1] == ':') return {std::string(text.substr(0, before - 1)), line, last};
  return {std::string(text.substr(0, end - 1)), last};
}

/// The first line with an error; without one the first line.
std::string first_error(const std::string& log, const std::string& folder) {
  std::string first, error;
  std::istringstream in(log);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(folder + "/")) line.erase(0, folder.size() + 1);
    if (line.starts_with("./")) line.erase(0, 2);
    if (first.empty()) first = line;
    if (line.find("error: ") != std::string::npos) return line;
    // Not what tells of a file by that name.
    if (error.empty() && line.find("error") != std::string::npos && line.find("include") == std::string::npos)
      error = line;
  }
  return error.empty() ? first : error;
}
}  // namespace

void check_define(const std::string& define, const wording::Text& origin) { (void)parse_macro(define, origin); }

std::string defines_header(const std::vector<std::string>& defines) {
  std::string text;
  for (const auto& define : defines) {
    const auto [name, value] = parse_macro(define, "define");
    text += fmt::format("#define {} {}\n", name, value);
  }
  return text;
}

std::vector<std::string> parameter_names(const std::string& source, const std::string& kernel) {
  if (kernel.empty()) return {};
  const auto text = without_comments(source);
  std::vector<std::string> declared;
  for (auto at = find_word(text, kernel); at != std::string::npos; at = find_word(text, kernel, at + 1)) {
    auto open = at + kernel.size();
    while (open < text.size() && is_blank(text[open])) ++open;
    if (open >= text.size() || text[open] != '(' || !is_kernel(std::string_view(text).substr(0, at))) continue;
    auto list = read_parameters(text, open);
    // A declaration may leave names out: "__global__ void k(float*, int);".
    if (list.defined) return list.names;
    if (declared.empty()) declared = std::move(list.names);
  }
  return declared;
}

std::string source_name(const std::string& symbol) {
  int status = 1;
  const std::unique_ptr<char, decltype(&std::free)> text(
      symbol.starts_with("_Z") ? abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status) : nullptr, &std::free);
  if (status != 0 || !text) return symbol;
  // "void space::k<float>(float*)": what stands before the parameters and template arguments, behind the last "::".
  std::string name(text.get());
  int depth = 0;
  std::size_t begin = 0, end = name.size();
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (depth == 0 && (c == '(' || c == '<') && i > begin) {
      end = i;
      break;
    }
    if (depth == 0 && (c == ' ' || c == ':')) begin = i + 1;
    depth += (c == '<') - (c == '>');
  }
  return name.substr(begin, end - begin);
}

std::vector<OpenclVectorType> opencl_vector_structures(const std::string& source) {
  constexpr std::pair<std::string_view, int> elements[] = {{"char", 1}, {"uchar", 1}, {"short", 2}, {"ushort", 2},
                                                           {"half", 2}, {"int", 4},   {"uint", 4},  {"float", 4},
                                                           {"long", 8}, {"ulong", 8}, {"double", 8}};
  std::vector<OpenclVectorType> found;
  if (find_word(source, "__kernel") == std::string::npos) return found;
  for (const auto& [element, bytes] : elements)
    for (const int count : {8, 16}) {
      const auto name = fmt::format("{}{}", element, count);
      if (ends_structure(source, name)) found.push_back({name, bytes * count});
    }
  return found;
}

std::string aligned_definition(const OpenclVectorType& type) {
  return fmt::format("{0}=__align__({1}) {0}", type.name, type.bytes);
}

std::int64_t number_before(std::string_view text, std::size_t& end) {
  auto begin = end;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(text[begin - 1]))) --begin;
  std::int64_t number = 0;
  if (begin == end || std::from_chars(text.data() + begin, text.data() + end, number).ec != std::errc()) return 0;
  end = begin;
  return number;
}

CompilerMessage parse_message(const std::string& line) {
  for (auto colon = line.find(": "); colon != std::string::npos; colon = line.find(": ", colon + 1))
    if (auto place = parse_place(std::string_view(line).substr(0, colon)); place.line > 0)
      return {std::move(place), line.substr(colon + 2)};
  return {{}, line};
}

void refuse_source(const fs::path& source, const std::vector<std::string>& defines, const std::string& compiler,
                   const ToolFolder& folder) {
  const auto line = first_error(folder.log(), folder.path().string());
  auto message = parse_message(line);
  const std::string beside = fmt::format("{}/", linked_folder);
  const wording::Text remedy =
      wording::format("does it compile by itself, with the same {}?", wording::option("kernel.defines"));
  if (message.place.file.starts_with(beside)) {
    message.place.file = (source.parent_path() / message.place.file.substr(beside.size())).string();
    throw Error(ErrorCode::bad_input, fmt::format("{} refuses the source: {}", compiler, message.text), message.place,
                remedy);
  }
  const auto number = static_cast<std::size_t>(message.place.line);
  if (message.place.file == "defines.h" && number <= defines.size())
    throw Error(ErrorCode::bad_input,
                fmt::format("{} refuses the define {}: {}", compiler, defines[number - 1], message.text),
                {source.string()}, remedy);
  throw Error(ErrorCode::bad_input, fmt::format("{} refuses the source: {}", compiler, line), {source.string()},
              remedy);
}
}  // namespace sparsecast::gpu_code
