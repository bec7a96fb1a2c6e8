#pragma once
// One array in NumPy's .npy format (versions 1 to 3) inside an archive, read as a stream of numbers.

#include <functional>
#include <span>

#include "matrix/io/packed/zip_archive.hpp"

namespace sparsecast::matrix {
class NpyArray {
 public:
  /// Numbers that a callback gets at a time; every call but the last brings exactly so many.
  static constexpr std::int64_t step = 8192;

  /// Reads the header. Error bad_input where it is no array of plain numbers (or text), or where its
  /// shape does not make the member's size.
  NpyArray(const ZipMember& member, std::string file);

  [[nodiscard]] const std::vector<std::int64_t>& shape() const { return shape_; }
  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] bool fortran_order() const { return fortran_order_; }
  [[nodiscard]] bool is_complex() const { return kind_ == 'c'; }
  /// Which part of complex numbers reals() takes: the real one, unless this is called.
  void take_imaginary() { imaginary_ = true; }

  /// The whole of a text array of one element: b'csr' or 'csr'.
  std::string text();
  /// Every number in the order in which they are stored: (position of the first, numbers). Once only.
  /// Integers, booleans and whole numbers in floating point; Error bad_input, with the position, for others and for a
  /// number outside low … high.
  void integers(std::int64_t low, std::int64_t high,
                const std::function<void(std::int64_t, std::span<const std::int64_t>)>& take);
  /// Whether reals() met whole numbers that doubles do not hold exactly.
  [[nodiscard]] bool beyond_exact() const { return beyond_exact_; }
  /// Integers, booleans and floating point up to 64 bits; of complex numbers one part. Error bad_input for NaN and
  /// infinity.
  void reals(const std::function<void(std::int64_t, std::span<const double>)>& take);

 private:
  [[noreturn]] void refuse(const std::string& reason, const std::string& remedy = "save it again") const;
  void parse_header(const std::string& header);
  void take_part(std::vector<char>& raw, std::size_t count) const;
  template <class T, class Check>
  void numbers(const std::function<void(std::int64_t, std::span<const T>)>& take, Check&& check);

  std::string file_, name_;
  ZipStream stream_;
  char kind_ = ' ';  ///< NumPy's: i, u, f, b, c; S, U for text
  bool imaginary_ = false, beyond_exact_ = false;
  bool swapped_ = false;  ///< the bytes of every number stand the other way round
  int item_bytes_ = 0;
  bool fortran_order_ = false;
  std::vector<std::int64_t> shape_;
  std::int64_t count_ = 1;
};
}  // namespace sparsecast::matrix
