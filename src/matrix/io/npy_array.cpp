#include "matrix/io/npy_array.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <sparsecast/error.hpp>

#include "base/interrupt.hpp"
#include "matrix/io/numbers/number_field.hpp"
#include "matrix/io/numbers/number_scan.hpp"
#include "matrix/io/triplets.hpp"

namespace sparsecast::matrix {
namespace {
/// IEEE half precision, which C++20 has no type for.
double half(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31, mantissa = bits & 1023;
  const double magnitude = exponent == 31  ? (mantissa == 0 ? INFINITY : NAN)
                           : exponent == 0 ? std::ldexp(mantissa, -24)
                                           : std::ldexp(1024 + mantissa, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

template <class Stored, class T>
void convert(const char* raw, std::size_t count, T* out) {
  for (std::size_t k = 0; k < count; ++k) {
    Stored value;
    std::memcpy(&value, raw + k * sizeof value, sizeof value);
    out[k] = static_cast<T>(value);  // NOLINT(bugprone-signed-char-misuse): int8 is a number here
  }
}

/// False where there is no such type.
template <class T>
bool convert_any(char kind, int item_bytes, const char* raw, std::size_t count, T* out) {
  switch (kind << 8 | item_bytes) {
    case 'b' << 8 | 1: convert<std::uint8_t>(raw, count, out); return true;
    case 'i' << 8 | 1: convert<std::int8_t>(raw, count, out); return true;
    case 'i' << 8 | 2: convert<std::int16_t>(raw, count, out); return true;
    case 'i' << 8 | 4: convert<std::int32_t>(raw, count, out); return true;
    case 'i' << 8 | 8: convert<std::int64_t>(raw, count, out); return true;
    case 'u' << 8 | 1: convert<std::uint8_t>(raw, count, out); return true;
    case 'u' << 8 | 2: convert<std::uint16_t>(raw, count, out); return true;
    case 'u' << 8 | 4: convert<std::uint32_t>(raw, count, out); return true;
    case 'u' << 8 | 8: convert<std::uint64_t>(raw, count, out); return true;  // beyond 2^63 an index turns negative
    default: break;
  }
  if constexpr (std::is_same_v<T, double>) {
    switch (kind << 8 | item_bytes) {
      case 'f' << 8 | 4: convert<float>(raw, count, out); return true;
      case 'f' << 8 | 8: convert<double>(raw, count, out); return true;
      case 'f' << 8 | 2:
        for (std::size_t k = 0; k < count; ++k) {
          std::uint16_t bits;
          std::memcpy(&bits, raw + 2 * k, 2);
          out[k] = half(bits);
        }
        return true;
      default: break;
    }
  }
  return false;
}

/// Turns every item of so many bytes round: numbers of the other byte order.
void swap_bytes(char* raw, std::size_t count, std::size_t item_bytes) {
  for (std::size_t k = 0; k < count; ++k) std::reverse(raw + k * item_bytes, raw + (k + 1) * item_bytes);
}

/// What stands behind "'key':" in the header's Python literal; empty where the key is missing.
std::string_view entry(std::string_view header, std::string_view key) {
  for (const char quote : {'\'', '"'}) {
    const std::size_t at = header.find(fmt::format("{}{}{}", quote, key, quote));
    if (at == std::string_view::npos) continue;
    const std::size_t colon = header.find(':', at + key.size() + 2);
    if (colon == std::string_view::npos) return {};
    const std::size_t begin = header.find_first_not_of(' ', colon + 1);
    return begin == std::string_view::npos ? std::string_view{} : header.substr(begin);
  }
  return {};
}
}  // namespace

NpyArray::NpyArray(const ZipMember& member, std::string file)
    : file_(file), name_(member.name), stream_(member, std::move(file)) {
  char start[8];
  if (member.size < sizeof start) refuse("is not a NumPy array");
  stream_.read(start, sizeof start);
  if (std::memcmp(start, "\x93NUMPY", 6) != 0 || start[6] < 1 || start[6] > 3)
    refuse("is not a NumPy array of version 1 to 3");
  std::uint32_t length = 0;
  const std::size_t length_bytes = start[6] == 1 ? 2 : 4;
  stream_.read(reinterpret_cast<char*>(&length), length_bytes);
  constexpr std::uint32_t longest_header = 1U << 20;
  if (length > longest_header) refuse("has a header of more than a megabyte");
  std::string header(length, '\0');
  stream_.read(header.data(), header.size());
  parse_header(header);
  std::int64_t bytes = item_bytes_;
  for (const std::int64_t extent : shape_) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) refuse("has a shape that does not fit 64 bits");
    count_ = extent == 0 ? 0 : count_ * extent;
  }
  const std::uint64_t body = member.size - sizeof start - length_bytes - length;
  if (static_cast<std::uint64_t>(bytes) != body)
    refuse(fmt::format("has {} bytes of numbers, and its shape needs {}", body, bytes));
}

void NpyArray::refuse(const std::string& reason, const std::string& remedy) const {
  throw Error(ErrorCode::bad_input, fmt::format("member {} {}", shown(name_), reason), {file_}, remedy);
}

void NpyArray::parse_header(const std::string& header) {
  std::string_view type = entry(header, "descr");
  const std::string_view order = entry(header, "fortran_order");
  std::string_view extents = entry(header, "shape");
  if (type.size() < 2 || (type[0] != '\'' && type[0] != '"'))
    refuse("does not have a plain number type", "save it as float64");
  const std::size_t type_end = type.find(type[0], 1);
  type = type.substr(1, type_end == std::string_view::npos ? type_end : type_end - 1);
  const auto item = type.size() > 2 ? integer_field(type.substr(2)) : FieldNumber<std::int64_t>{0, "none"};
  if (!item.reason.empty() || item.value < 1 || item.value > 64)
    refuse("has the number type " + shown(type), "save it as float64");
  swapped_ = type[0] == '>';
  kind_ = type[1];
  item_bytes_ = static_cast<int>(item.value) * (kind_ == 'U' ? 4 : 1);
  if (!order.starts_with("True") && !order.starts_with("False")) refuse("has a damaged header");
  fortran_order_ = order.starts_with("True");
  if (!extents.starts_with("(") || extents.find(')') == std::string_view::npos) refuse("has a damaged header");
  extents = extents.substr(1, extents.find(')') - 1);
  while (!extents.empty()) {
    const std::size_t comma = extents.find(',');
    std::string_view extent = extents.substr(0, comma);
    extents.remove_prefix(comma == std::string_view::npos ? extents.size() : comma + 1);
    while (extent.starts_with(' ')) extent.remove_prefix(1);
    while (extent.ends_with(' ')) extent.remove_suffix(1);
    if (extent.empty()) continue;
    const auto number = integer_field(extent);
    if (!number.reason.empty() || number.value < 0) refuse("has the shape " + shown(extent));
    shape_.push_back(number.value);
    if (shape_.size() > 8) refuse("has more than 8 dimensions");
  }
}

std::string NpyArray::text() {
  if ((kind_ != 'S' && kind_ != 'U') || count_ != 1) refuse("is not text");
  std::string raw(static_cast<std::size_t>(item_bytes_), '\0');
  stream_.read(raw.data(), raw.size());
  std::erase(raw, '\0');  // padding, and the upper bytes of ASCII in UTF-32
  return raw;
}

// Moves one part of every complex number to the front.
void NpyArray::take_part(std::vector<char>& raw, std::size_t count) const {
  const std::size_t part = static_cast<std::size_t>(item_bytes_) / 2, first = imaginary_ ? part : 0;
  for (std::size_t k = 0; k < count; ++k) std::memmove(&raw[k * part], &raw[2 * k * part + first], part);
}

template <class T, class Check>
void NpyArray::numbers(const std::function<void(std::int64_t, std::span<const T>)>& take, Check&& check) {
  std::vector<char> raw(static_cast<std::size_t>(step * item_bytes_));
  std::vector<T> values(static_cast<std::size_t>(step));
  for (std::int64_t first = 0; first < count_; first += step) {
    if (first % (step * 128) == 0) base::throw_if_interrupted();
    const auto size = static_cast<std::size_t>(std::min(step, count_ - first));
    stream_.read(raw.data(), size * static_cast<std::size_t>(item_bytes_));
    if (is_complex()) {
      if constexpr (std::is_same_v<T, std::int64_t>) refuse("holds complex numbers where whole numbers belong");
      take_part(raw, size);
    }
    const bool pair = is_complex();
    if (swapped_) swap_bytes(raw.data(), size, static_cast<std::size_t>(pair ? item_bytes_ / 2 : item_bytes_));
    if (!convert_any(pair ? 'f' : kind_, pair ? item_bytes_ / 2 : item_bytes_, raw.data(), size, values.data()))
      refuse(fmt::format("holds numbers of type {}{}", kind_, item_bytes_),
             "save it as float64 with int32 or int64 indices");
    for (std::size_t k = 0; k < size; ++k) check(first + static_cast<std::int64_t>(k), values[k]);
    take(first, {values.data(), size});
  }
}

void NpyArray::integers(std::int64_t low, std::int64_t high,
                        const std::function<void(std::int64_t, std::span<const std::int64_t>)>& take) {
  const auto check = [&](std::int64_t position, std::int64_t value) {
    if (value < low || value > high)
      refuse(fmt::format("holds {} at position {}, outside {} … {}", value, position, low, high));
  };
  if (kind_ != 'f') return numbers<std::int64_t>(take, check);
  // Other programs keep indices in floating point. Beyond 2^53 what is read need not be what was meant.
  std::vector<std::int64_t> whole;
  const auto take_whole = [&](std::int64_t first, std::span<const double> values) {
    whole.resize(values.size());
    for (std::size_t k = 0; k < values.size(); ++k) {
      const std::int64_t position = first + static_cast<std::int64_t>(k);
      if (values[k] != std::trunc(values[k]) || std::fabs(values[k]) > first_inexact)
        refuse(fmt::format("holds {} at position {} where whole numbers belong", values[k], position),
               "save it as int32 or int64");
      whole[k] = static_cast<std::int64_t>(values[k]);
      check(position, whole[k]);
    }
    take(first, whole);
  };
  numbers<double>(take_whole, [](std::int64_t, double) {});
}

void NpyArray::reals(const std::function<void(std::int64_t, std::span<const double>)>& take) {
  const bool whole = kind_ == 'i' || kind_ == 'u';
  numbers<double>(take, [&](std::int64_t position, double value) {
    if (!std::isfinite(value))
      refuse(fmt::format("holds {} at position {}", std::isnan(value) ? "NaN" : "infinity", position),
             "values must be finite");
    beyond_exact_ |= whole && std::abs(value) >= first_inexact;
  });
}
}  // namespace sparsecast::matrix
