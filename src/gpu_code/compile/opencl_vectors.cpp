#include "gpu_code/compile/opencl_vectors.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <string_view>

#include "gpu_code/compile/source_text.hpp"

namespace sparsecast::gpu_code {
namespace {
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
}  // namespace

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
}  // namespace sparsecast::gpu_code
