#pragma once
// One field of a text file as a number, carefully: every way of being wrong has its own reason. The fast scanners
// (number_scan.hpp) hand over to these whatever they do not understand.

#include <cstdint>
#include <string>
#include <string_view>

namespace sparsecast::matrix {
/// A number, or why the field is none (then `reason` is not empty).
template <class T>
struct FieldNumber {
  T value{};
  std::string reason;
};

/// Integers with an optional sign; what does not fit 64 bits is refused.
FieldNumber<std::int64_t> integer_field(std::string_view field);

/// Finite real numbers: C's notation, with an optional '+', and Fortran's exponents (1.5D-3). NaN, infinities and
/// what overflows a double are refused; what is too small becomes 0 or the nearest subnormal.
FieldNumber<double> real_field(std::string_view field);

/// The field as a message may show it: shortened, and what is not printable as \xNN.
std::string shown(std::string_view field);

/// The blank-separated fields of a line (blanks: space, tab, vertical tab, form feed, carriage return).
struct FieldReader {
  std::string_view line;
  std::size_t at = 0;

  /// The next field, empty at the end of the line; its column counts from 1.
  std::string_view next(std::int64_t& column);
};
}  // namespace sparsecast::matrix
