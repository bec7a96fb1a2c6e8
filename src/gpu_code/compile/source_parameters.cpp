// See source_parameters.hpp.

#include "gpu_code/compile/source_parameters.hpp"

#include <cxxabi.h>
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>

namespace sparsecast::gpu_code {

std::vector<std::string> parameter_names(const std::string& source, const std::string& kernel) {
  // NAME ( … ) somewhere after __global__ or __kernel: the last identifier of every part between commas.
  const auto identifier = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (auto at = source.find(kernel); at != std::string::npos; at = source.find(kernel, at + 1)) {
    if (at > 0 && identifier(source[at - 1])) continue;
    auto open = at + kernel.size();
    while (open < source.size() && std::isspace(static_cast<unsigned char>(source[open]))) ++open;
    if (open >= source.size() || source[open] != '(') continue;
    const auto before = source.substr(at > 400 ? at - 400 : 0, std::min<std::size_t>(at, 400));
    const auto marker =
        std::max({before.rfind("__global__") + 1, before.rfind("__kernel") + 1, before.rfind("kernel ") + 1});
    const auto ended = std::max(before.rfind(';') + 1, before.rfind('}') + 1);
    if (marker == 0 || ended > marker) continue;
    std::vector<std::string> names;
    std::string last;
    int depth = 0;
    bool comment_line = false;
    for (auto i = open; i < source.size(); ++i) {
      const char c = source[i];
      if (comment_line) {
        comment_line = c != '\n';
        continue;
      }
      if (c == '/' && i + 1 < source.size() && source[i + 1] == '/') {
        comment_line = true;
        continue;
      }
      if (c == '(' || c == '<') ++depth;
      if (c == ')' || c == '>') --depth;
      if ((c == ',' && depth == 1) || depth == 0) {
        if (!last.empty() && last != "void") names.push_back(last);
        last.clear();
        if (depth == 0) return names;
        continue;
      }
      if (identifier(c)) {
        std::string word;
        while (i < source.size() && identifier(source[i])) word += source[i++];
        --i;
        if (!std::isdigit(static_cast<unsigned char>(word[0])) && word != "__restrict__" && word != "restrict")
          last = word;
      }
    }
  }
  return {};
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

bool same_function(const std::string& symbol, const std::string& name) {
  return symbol == name || source_name(symbol) == name;
}

}  // namespace sparsecast::gpu_code
