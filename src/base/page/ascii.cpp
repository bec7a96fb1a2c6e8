#include "base/page/ascii.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "base/guard/printable.hpp"

namespace sparsecast::base {
namespace {
constexpr auto likenesses = std::to_array<std::pair<char32_t, const char*>>({
#include "base/page/likenesses.def"
});

// The next code point and its bytes; U+FFFD and one byte where they are no UTF-8.
std::pair<char32_t, std::size_t> next_letter(std::string_view text) {
  const std::size_t length = utf8_length(text);
  if (length == 0) return {U'\uFFFD', 1};
  char32_t letter = static_cast<unsigned char>(text[0]) & (length == 1 ? 0x7FU : 0x7FU >> length);
  for (std::size_t k = 1; k < length; ++k) letter = letter << 6 | (static_cast<unsigned char>(text[k]) & 0x3FU);
  return {letter, length};
}

// A braille character of a picture by how many of its eight dots are set.
char shade(char32_t braille) {
  constexpr std::string_view shades = " .:-=+*#@";
  return shades[static_cast<std::size_t>(std::popcount(static_cast<std::uint32_t>(braille & 0xFF)))];
}
}  // namespace

std::string to_ascii(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto [letter, length] = next_letter(text);
    text.remove_prefix(length);
    if (letter < 0x80) {
      out += static_cast<char>(letter);
    } else if (letter >= 0x2800 && letter < 0x2900) {
      out += shade(letter);
    } else {
      const char32_t wanted = letter;
      const auto* const found =
          std::ranges::find(likenesses, wanted, [](const auto& likeness) { return likeness.first; });
      out += found == likenesses.end() ? "?" : found->second;
    }
  }
  return out;
}
}  // namespace sparsecast::base
