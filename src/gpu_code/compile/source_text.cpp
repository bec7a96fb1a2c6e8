#include "gpu_code/compile/source_text.hpp"

#include <algorithm>
#include <cctype>

namespace sparsecast::gpu_code {
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::size_t find_word(std::string_view text, std::string_view word, std::size_t from) {
  auto at = text.find(word, from);
  const auto part = [&] {
    const auto end = at + word.size();
    return (at > 0 && is_word(text[at - 1])) || (end < text.size() && is_word(text[end]));
  };
  while (at != std::string_view::npos && part()) at = text.find(word, at + 1);
  return at;
}
}  // namespace sparsecast::gpu_code
