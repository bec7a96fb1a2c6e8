#include "gpu_code/compile/source_parameters.hpp"

#include <cxxabi.h>
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "gpu_code/compile/source_text.hpp"

namespace sparsecast::gpu_code {
namespace {
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
}  // namespace

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

namespace {
/// "void space::k<float>(float*)"; empty where the name is none of C++'s.
std::string demangled(const std::string& symbol) {
  int status = 1;
  const std::unique_ptr<char, decltype(&std::free)> text(
      symbol.starts_with("_Z") ? abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status) : nullptr, &std::free);
  return status == 0 && text ? text.get() : "";
}
}  // namespace

std::string without_blanks(std::string text) {
  std::erase_if(text, is_blank);
  return text;
}

std::string qualified_name(const std::string& symbol) {
  const std::string name = demangled(symbol);
  if (name.empty()) return symbol;
  int depth = 0;  // of template arguments, and of "(anonymous namespace)"
  std::size_t begin = 0, end = 0;
  for (; end < name.size(); ++end) {
    const char c = name[end];
    if (depth == 0 && c == '(' && !name.substr(end).starts_with("(anonymous namespace)")) break;
    if (depth == 0 && c == ' ') begin = end + 1;
    depth += (c == '<' || c == '(') - (c == '>' || c == ')');
  }
  return without_blanks(name.substr(begin, end - begin));
}

std::string source_name(const std::string& symbol) {
  // What stands before the parameters and template arguments, behind the last "::".
  const std::string name = demangled(symbol);
  if (name.empty()) return symbol;
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
}  // namespace sparsecast::gpu_code
