#include "support/matrices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <map>
#include <random>
#include <utility>

namespace sparsecast::test {
namespace {

double random_value(std::mt19937_64& random) {
  const double mantissa = static_cast<double>(static_cast<std::int64_t>(random())) / 4.0e18;
  return std::ldexp(mantissa, static_cast<int>(random() % 400) - 200);
}

}  // namespace

namespace {
std::string number(double value) { return fmt::format("{}", value); }
std::string number(std::complex<double> value) { return fmt::format("{}{:+}i", value.real(), value.imag()); }
}  // namespace

std::string dense(const Matrix& matrix) {
  std::string text;
  matrix.visit_any([&](const auto& csr) {
    for (std::int64_t r = 0; r < csr.rows; ++r) {
      auto k = csr.row_pointers[r];
      for (std::int64_t c = 0; c < csr.cols; ++c) {
        const bool entry = k < csr.row_pointers[r + 1] && csr.column_indices[k] == c;
        if (c > 0) text += ' ';
        if (entry)
          text += number(csr.values[k++]);
        else
          text += '.';
      }
      text += '\n';
    }
  });
  return text;
}

bool same(const Matrix& a, const Matrix& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols() || a.nonzeros() != b.nonzeros()) return false;
  return a.visit([&](const auto& left) {
    return b.visit([&](const auto& right) {
      return std::ranges::equal(left.row_pointers, right.row_pointers) &&
             std::ranges::equal(left.column_indices, right.column_indices) &&
             std::ranges::equal(
                 left.values, right.values, {}, [](double v) { return std::bit_cast<std::uint64_t>(v); },
                 [](double v) { return std::bit_cast<std::uint64_t>(v); });
    });
  });
}

Matrix random_matrix(std::int64_t rows, std::int64_t cols, std::int64_t entries, std::uint64_t seed, bool symmetric) {
  std::mt19937_64 random(seed);
  std::map<std::pair<std::int64_t, std::int64_t>, double> places;
  for (std::int64_t k = 0; k < entries && rows > 0 && cols > 0; ++k) {
    const auto row = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(rows));
    const auto col = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(cols));
    const double value = random_value(random);
    places[{row, col}] = value;
    if (symmetric) places[{col, row}] = value;
  }
  Csr<std::int32_t, std::int32_t> csr{rows, cols, Array<std::int32_t>(static_cast<std::size_t>(rows) + 1, 0), {}, {}};
  for (const auto& [place, value] : places) {
    ++csr.row_pointers[place.first + 1];
    csr.column_indices.push_back(static_cast<std::int32_t>(place.second));
    csr.values.push_back(value);
  }
  for (std::int64_t r = 0; r < rows; ++r) csr.row_pointers[r + 1] += csr.row_pointers[r];
  return Matrix(std::move(csr), fmt::format("random-{}", seed));
}

std::string random_market_text(std::int64_t n, std::int64_t entries, bool symmetric, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string text = fmt::format("%%MatrixMarket matrix coordinate real {}\n{} {} {}\n",
                                 symmetric ? "symmetric" : "general", n, n, entries);
  for (std::int64_t k = 0; k < entries; ++k) {
    std::uint64_t row = random() % static_cast<std::uint64_t>(n), col = random() % static_cast<std::uint64_t>(n);
    if (symmetric && col > row) std::swap(row, col);
    text += fmt::format("{} {} {}\n", row + 1, col + 1, random_value(random));
  }
  return text;
}

std::string identifier(const std::string& text) {
  std::string out;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) out += c;
  return out;
}

}  // namespace sparsecast::test
