#pragma once
// Sizes of formats before anything is allocated. A size that does not fit 64 bits saturates, so that "does it fit the
// memory?" is always one comparison; the conversions refuse such a size (allocate).

#include <cmath>
#include <limits>
#include <sparsecast/matrix.hpp>

namespace sparsecast::formats {
/// Column index of a padded slot. Kernels skip it rather than multiply by zero: 0·x would be NaN where x is infinite.
inline constexpr int padding_column = -1;

/// Bytes of one row or column index in every format that stores its own: 4 where 32 bits hold both, else 8.
constexpr int index_bytes(std::int64_t rows, std::int64_t cols) noexcept {
  return Matrix::fits32(rows) && Matrix::fits32(cols) ? 4 : 8;
}

/// a·b and a + b for sizes (not negative), the largest std::int64_t where the result would not fit.
constexpr std::int64_t saturating_product(std::int64_t a, std::int64_t b) noexcept {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return b != 0 && a > most / b ? most : a * b;
}
constexpr std::int64_t saturating_sum(std::int64_t a, std::int64_t b) noexcept {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return a > most - b ? most : a + b;
}

/// Error too_large, naming the format.
[[noreturn]] void refuse_size(const char* format, std::int64_t elements);

/// Gives the array so many elements (not initialised); Error too_large where they cannot be had.
template <class T>
void allocate(Array<T>& array, std::int64_t elements, const char* format) {
  if (elements > std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(sizeof(T)))
    refuse_size(format, elements);
  try {
    array.resize(static_cast<std::size_t>(elements));
  } catch (const std::exception&) {  // bad_alloc, bad_array_new_length, length_error
    refuse_size(format, elements);
  }
}

/// Bytes that an array holds.
template <class T>
std::int64_t array_bytes(const Array<T>& array) noexcept {
  return static_cast<std::int64_t>(array.size() * sizeof(T));
}

// Padding of the forms whose slots have no column of their own (DIA, BSR): −0, which adds nothing as long as x is
// finite. Where a sum is not a number, it is added up once more without the padded slots, so that 0·∞ of an entry that
// is not there never shows. An entry that is −0 itself is stored as +0.

template <class Value>
inline constexpr Value padding_value = Value{-0.0};
template <class Part>
inline constexpr std::complex<Part> padding_value<std::complex<Part>> = {-Part{0}, -Part{0}};

template <class Value>
bool is_padding(Value slot) noexcept {
  return slot == 0 && std::signbit(slot);
}
template <class Part>
bool is_padding(std::complex<Part> slot) noexcept {
  return is_padding(slot.real()) && is_padding(slot.imag());
}

/// An entry as such a form stores it.
template <class Value, class Entry>
Value stored(Entry entry) noexcept {
  return value_from<Value>(entry) + Value{0};  // −0 + 0 = 0
}
}  // namespace sparsecast::formats
