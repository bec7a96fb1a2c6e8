#pragma once
// Numbers in texts, and the number that a text is known by.

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

namespace sparsecast::base {
/// The number that a text is, all of it; nothing where it is none or does not fit. `base` is of whole numbers.
template <class Number>
[[nodiscard]] std::optional<Number> number_in(std::string_view text, int base = 10) {
  Number value{};
  std::from_chars_result result;
  if constexpr (std::is_floating_point_v<Number>)
    result = std::from_chars(text.data(), text.data() + text.size(), value);
  else
    result = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

/// FNV-1a: names contents, guards against nothing. `so_far` of the text in front of this one.
[[nodiscard]] constexpr std::uint64_t fnv1a(std::string_view text, std::uint64_t so_far = 0xcbf29ce484222325U) {
  for (const char c : text) so_far = (so_far ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return so_far;
}
}  // namespace sparsecast::base
