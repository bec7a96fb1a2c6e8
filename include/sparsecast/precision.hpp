#pragma once
// Precision: in which numbers a product is computed, whatever the precision of a Matrix's own values.
// Thread safety: all of it is safe from several threads at once.

#include <complex>
#include <string_view>

#pragma GCC visibility push(default)
namespace sparsecast {

/// The complex ones are pairs of numbers, real and imaginary part.
enum class Precision { single_, double_, complex_single_, complex_double_ };

/// In which type a matrix's values are stored, whatever the product is computed in: as they are, or rounded.
enum class ValueStorage { given, single_, half, bfloat16 };

[[nodiscard]] constexpr bool is_complex(Precision p) noexcept {
  return p == Precision::complex_single_ || p == Precision::complex_double_;
}
/// Of the numbers, or of both parts of complex ones.
[[nodiscard]] constexpr bool is_single(Precision p) noexcept {
  return p == Precision::single_ || p == Precision::complex_single_;
}
/// The complex one with parts of that precision.
[[nodiscard]] constexpr Precision complex_of(Precision p) noexcept {
  return is_single(p) ? Precision::complex_single_ : Precision::complex_double_;
}
/// Bytes of one number; of both parts.
[[nodiscard]] constexpr int value_bytes(Precision p) noexcept {
  return (is_single(p) ? 4 : 8) * (is_complex(p) ? 2 : 1);
}

/// Additions and multiplications of a non-zero's product and sum.
[[nodiscard]] constexpr double flops_of(Precision p) noexcept { return is_complex(p) ? 8 : 2; }

template <class Value>
inline constexpr bool is_complex_value = false;
template <class Part>
inline constexpr bool is_complex_value<std::complex<Part>> = true;
/// The precision of a type: float, double, and std::complex of them.
template <class Value>
inline constexpr Precision precision_of = is_complex_value<Value>
                                              ? complex_of(sizeof(Value) == 8 ? Precision::single_ : Precision::double_)
                                          : sizeof(Value) == 4 ? Precision::single_
                                                               : Precision::double_;
/// A number as that type; real ones become complex ones.
template <class Value, class Number>
[[nodiscard]] constexpr Value value_from(Number number) noexcept {
  if constexpr (is_complex_value<Value> && !is_complex_value<Number>) {
    return Value(static_cast<typename Value::value_type>(number));
  } else {
    return static_cast<Value>(number);
  }
}
/// Calls f with a value of the type: with_value_of(precision, []<class Value>(Value) { … }).
template <class F>
decltype(auto) with_value_of(Precision p, F&& f) {
  switch (p) {
    case Precision::single_: return f(0.0F);
    case Precision::double_: break;
    case Precision::complex_single_: return f(std::complex<float>());
    case Precision::complex_double_: return f(std::complex<double>());
  }
  return f(0.0);
}
/// As documents write it: "single", "double", "complex-single", "complex-double".
[[nodiscard]] std::string_view to_string(Precision p) noexcept;
/// Likewise: "given", "single", "half", "bfloat16".
[[nodiscard]] std::string_view to_string(ValueStorage storage) noexcept;

}  // namespace sparsecast
#pragma GCC visibility pop
