#include "base/guard/printable.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace sparsecast::base {
namespace {
bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  // C1 controls (U+0080 to U+009F), and the marks that turn the direction of writing or break a line.
  if (character.size() == 2) return first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
  if (character.size() == 3 && character.substr(0, 2) == "\xE2\x80") {
    const auto last = static_cast<unsigned char>(character[2]);
    return last == 0xA8 || last == 0xA9 || (last >= 0xAA && last <= 0xAE);
  }
  return character.size() == 1 && (first < 0x20 || first == 0x7F);
}

void append_escaped(std::string& out, std::string_view bytes) {
  constexpr std::array<std::pair<char, char>, 3> named{{{'\n', 'n'}, {'\t', 't'}, {'\r', 'r'}}};
  for (const char c : bytes) {
    const auto* const it = std::ranges::find(named, c, &std::pair<char, char>::first);
    out +=
        it != named.end() ? fmt::format("\\{}", it->second) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
}

// "\x1b[1;31m" at the beginning; 0 where it is something else.
std::size_t colour_length(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  const std::size_t end = text.find_first_not_of("0123456789;", 2);
  return end != std::string_view::npos && end <= 16 && text[end] == 'm' ? end + 1 : 0;
}
}  // namespace

std::size_t utf8_length(std::string_view text) noexcept {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 && first <= 0xF4   ? 4
                             : first >= 0xE0 && first <= 0xEF ? 3
                             : first >= 0xC2 && first <= 0xDF ? 2
                                                              : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t k = 1; k < length; ++k)
    if ((byte(k) & 0xC0) != 0x80) return 0;
  // Overlong forms, surrogates and what is beyond U+10FFFF.
  if ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F) || (first == 0xF0 && byte(1) < 0x90) ||
      (first == 0xF4 && byte(1) > 0x8F))
    return 0;
  return length;
}

std::string printable(std::string_view text, std::size_t most) {
  std::string out;
  out.reserve(text.size());
  std::vector<std::size_t> begins;  // of the characters of `out`
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text.substr(at));
    const std::string_view character = text.substr(at, std::max<std::size_t>(length, 1));
    const std::size_t from = out.size();
    if (length > 0 && !is_control(character)) {
      out += character;
      begins.push_back(from);
    } else {
      append_escaped(out, character);
      for (std::size_t k = from; k < out.size(); ++k) begins.push_back(k);
    }
    at += character.size();
  }
  if (begins.size() <= most) return out;
  constexpr std::string_view gap = " … ";
  const std::size_t kept = most > 3 ? most - 3 : 0, tail = kept / 3, head = kept - tail;
  begins.push_back(out.size());
  return out.substr(0, begins[head]).append(gap).append(out.substr(begins[begins.size() - 1 - tail]));
}

std::string printable_lines(std::string_view text, bool colours) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const bool stays = rest[0] == '\n' || rest[0] == '\t';
    const std::size_t colour = colours ? colour_length(rest) : 0, length = utf8_length(rest);
    const std::string_view taken = rest.substr(0, std::max<std::size_t>({colour, length, 1}));
    if (stays || colour > 0 || (length > 0 && !is_control(taken)))
      out += taken;
    else
      append_escaped(out, taken);
    at += taken.size();
  }
  return out;
}
}  // namespace sparsecast::base
