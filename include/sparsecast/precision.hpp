#pragma once
// Precision: in which numbers a product is computed, whatever the precision of a Matrix's own values.
// Thread safety: all of it is safe from several threads at once.

#include <sparsecast/fields.hpp>
#include <string_view>

#pragma GCC visibility push(default)
namespace sparsecast {

enum class Precision { single_, double_ };
template <>
struct Words<Precision> {
  static constexpr std::array table{std::pair{Precision::single_, std::string_view("single")},
                                    std::pair{Precision::double_, std::string_view("double")}};
};
/// Bytes of one number.
[[nodiscard]] constexpr int value_bytes(Precision p) noexcept { return p == Precision::single_ ? 4 : 8; }
/// As documents write it: "single", "double".
[[nodiscard]] std::string_view to_string(Precision p) noexcept;

}  // namespace sparsecast
#pragma GCC visibility pop
