#include "planning/run/matrix_checksums.hpp"

#include <fmt/format.h>
#include <bit>
#include <sparsecast/plan.hpp>

#include "planning/run/bulk_hash.hpp"

namespace sparsecast {
namespace {
// What stored observations know a pattern by: a multiply-and-rotate hash over 64-bit words in four lanes.
class WordHash {
 public:
  void add(std::uint64_t word) { mix(lanes_[next_++ & 3], word); }
  // The same, four at a time: each lane waits for its own last word alone.
  template <class Number>
  void add_all(std::span<const Number> numbers) {
    const auto word = [&](std::size_t k) {
      if constexpr (std::is_floating_point_v<Number>) {
        return std::bit_cast<std::uint64_t>(static_cast<double>(numbers[k]));
      } else {
        return static_cast<std::uint64_t>(numbers[k]);
      }
    };
    std::size_t k = 0;
    for (; k < numbers.size() && (next_ & 3) != 0; ++k) add(word(k));
    auto [a, b, c, d] = lanes_;
    for (; k + 4 <= numbers.size(); k += 4, next_ += 4) {
      mix(a, word(k));
      mix(b, word(k + 1));
      mix(c, word(k + 2));
      mix(d, word(k + 3));
    }
    lanes_ = {a, b, c, d};
    for (; k < numbers.size(); ++k) add(word(k));
  }
  [[nodiscard]] std::string text() const {
    std::uint64_t a = next_, b = ~next_;
    for (const std::uint64_t lane : lanes_) {
      a = std::rotl((a ^ lane) * 0xC2B2AE3D27D4EB4FULL, 31);
      b = std::rotl((b + lane) * 0x9E3779B97F4A7C15ULL, 27) ^ a;
    }
    return fmt::format("{:016x}{:016x}", a, b);
  }

 private:
  static void mix(std::uint64_t& lane, std::uint64_t word) {
    lane = std::rotl((lane ^ word) * 0x9E3779B97F4A7C15ULL, 29);
  }

  std::array<std::uint64_t, 4> lanes_{0x243F6A8885A308D3ULL, 0x13198A2E03707344ULL, 0xA4093822299F31D0ULL,
                                      0x082EFA98EC4E6C89ULL};
  std::uint64_t next_ = 0;
};

// By value, so that the widths of the indices do not matter.
WordHash pattern_hash(const Matrix& matrix) {
  WordHash hash;
  hash.add(static_cast<std::uint64_t>(matrix.rows()));
  hash.add(static_cast<std::uint64_t>(matrix.cols()));
  matrix.visit_pattern([&](const auto& csr) {
    hash.add_all(csr.row_pointers);
    hash.add_all(csr.column_indices);
  });
  return hash;
}

// add() of the values as an array of numbers: of complex ones, of their parts.
template <class Add>
void add_values(const Matrix& matrix, const Add& add) {
  matrix.visit_any([&]<class Value, class Offset, class Index>(const CsrSpans<Value, Offset, Index>& csr) {
    if constexpr (is_complex_value<Value>) {
      using Part = typename Value::value_type;
      add(std::span(reinterpret_cast<const Part*>(csr.values.data()), 2 * csr.values.size()));
    } else {
      add(std::span(csr.values));
    }
  });
}
}  // namespace

planning::MatrixChecksums planning::matrix_checksums(const Matrix& matrix) {
  BulkHash hash;
  hash.add(std::span<const std::int64_t>(std::array{matrix.rows(), matrix.cols()}));
  matrix.visit_pattern([&](const auto& csr) {
    hash.add(csr.row_pointers);
    hash.add(csr.column_indices);
  });
  const std::string pattern = hash.text();
  add_values(matrix, [&](auto values) { hash.add(values); });
  return {pattern, hash.text()};
}

std::string planning::pattern_checksum(const Matrix& matrix) { return pattern_hash(matrix).text(); }

std::string planning::earlier_checksum(const Matrix& matrix) {
  WordHash hash = pattern_hash(matrix);
  add_values(matrix, [&](auto values) { hash.add_all(values); });
  return hash.text();
}

std::string matrix_checksum(const Matrix& matrix) { return planning::matrix_checksums(matrix).whole; }
}  // namespace sparsecast
