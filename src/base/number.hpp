#pragma once
// Numbers in texts.

#include <charconv>
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
}  // namespace sparsecast::base
