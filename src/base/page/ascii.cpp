#include "base/page/ascii.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

namespace sparsecast::base {
namespace {

constexpr auto likenesses = std::to_array<std::pair<char32_t, const char*>>({
    {U'\u00A0', " "}, {U'°', "o"},   {U'±', "+-"}, {U'²', "2"},   {U'³', "3"},     {U'µ', "u"},    {U'·', "*"},
    {U'×', "x"},      {U'ß', "ss"},  {U'à', "a"},  {U'á', "a"},   {U'â', "a"},     {U'ä', "a"},    {U'ç', "c"},
    {U'è', "e"},      {U'é', "e"},   {U'ê', "e"},  {U'ë', "e"},   {U'í', "i"},     {U'ï', "i"},    {U'ñ', "n"},
    {U'ó', "o"},      {U'ô', "o"},   {U'ö', "o"},  {U'ø', "o"},   {U'ú', "u"},     {U'ü', "u"},    {U'Å', "A"},
    {U'Ä', "A"},      {U'É', "E"},   {U'Ö', "O"},  {U'Ü', "U"},   {U'α', "alpha"}, {U'β', "beta"}, {U'μ', "u"},
    {U'Σ', "sum"},    {U'ᵀ', "T"},   {U'‐', "-"},  {U'‑', "-"},   {U'–', "-"},     {U'—', "-"},    {U'‘', "'"},
    {U'’', "'"},      {U'“', "\""},  {U'”', "\""}, {U'…', "..."}, {U'⁻', "-"},     {U'→', ">"},    {U'↓', "v"},
    {U'−', "-"},      {U'∞', "inf"}, {U'≈', "~"},  {U'≠', "!="},  {U'≤', "<="},    {U'≥', ">="},   {U'─', "-"},
    {U'│', "|"},      {U'┌', "+"},   {U'┐', "+"},  {U'└', "+"},   {U'┘', "+"},     {U'├', "+"},    {U'┤', "+"},
    {U'┬', "+"},      {U'┴', "+"},   {U'┼', "+"},  {U'█', "#"},   {U'▉', "#"},     {U'▊', "#"},    {U'▋', "#"},
    {U'▌', "#"},      {U'▍', "-"},   {U'▎', "-"},  {U'▏', "-"},   {U'●', "*"},     {U'★', "*"},    {U'\u202F', " "},
    {U'\u2009', " "},
});

// The next code point and its bytes; U+FFFD and one byte where they are no UTF-8.
std::pair<char32_t, std::size_t> next_letter(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const std::size_t length = byte(0) < 0x80 ? 1 : byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : byte(0) >= 0xC0 ? 2 : 0;
  if (length == 0 || length > text.size()) return {U'\uFFFD', 1};
  if (length == 1) return {byte(0), 1};
  char32_t letter = byte(0) & (0x7FU >> length);
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xC0) != 0x80) return {U'\uFFFD', 1};
    letter = letter << 6 | (byte(k) & 0x3FU);
  }
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
