#include "cluster/scheme/iterates.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

#include "base/interrupt.hpp"

namespace sparsecast::cluster {
namespace {
double max_magnitude(std::span<const double> x) {
  double most = 0;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}
}  // namespace

int matrix_exponent(double max_value, std::int64_t longest_row) {
  if (max_value == 0 || longest_row == 0) return 0;
  return std::ilogb(max_value) + 1 + static_cast<int>(std::bit_width(static_cast<std::uint64_t>(longest_row)));
}

int vector_exponent(double max_entry) { return max_entry == 0 ? 0 : std::ilogb(max_entry); }

IteratedVector iterate_sequentially(const Matrix& matrix, int iterations) {
  return matrix.visit([&](const auto& csr) {
    std::int64_t longest = 0;
    for (std::int64_t r = 0; r < csr.rows; ++r)
      longest = std::max<std::int64_t>(longest, csr.row_pointers[r + 1] - csr.row_pointers[r]);
    std::vector<double> values(csr.values.begin(), csr.values.end());
    const int scale = matrix_exponent(max_magnitude(values), longest);
    for (double& value : values) value = std::ldexp(value, -scale);
    IteratedVector x;
    x.values.resize(static_cast<std::size_t>(csr.cols));
    for (std::int64_t i = 0; i < csr.cols; ++i) x.values[i] = start_value(i);
    std::vector<double> y(static_cast<std::size_t>(csr.rows));
    for (int k = 1; k <= iterations; ++k) {
      base::throw_if_interrupted();
      for (std::int64_t r = 0; r < csr.rows; ++r) {
        double sum = 0;
        for (auto e = csr.row_pointers[r]; e < csr.row_pointers[r + 1]; ++e)
          sum += values[e] * x.values[csr.column_indices[e]];
        y[r] = sum;
      }
      x.values.swap(y);
      x.exponent += scale;
      if (k % renormalize_every == 0) {
        const int out = vector_exponent(max_magnitude(x.values));
        for (double& value : x.values) value = std::ldexp(value, -out);
        x.exponent += out;
      }
    }
    return x;
  });
}

double relative_distance(const IteratedVector& x, const IteratedVector& reference) {
  const auto shift = static_cast<int>(std::clamp<std::int64_t>(x.exponent - reference.exponent, -4000, 4000));
  double distance = 0;
  const double size = max_magnitude(reference.values);
  for (std::size_t i = 0; i < reference.values.size(); ++i) {
    const double d = std::abs(std::ldexp(x.values[i], shift) - reference.values[i]);
    if (std::isnan(d)) return d;
    distance = std::max(distance, d);
  }
  return size == 0 ? distance : distance / size;
}

double log2_norm(const IteratedVector& x) {
  const double size = max_magnitude(x.values);
  if (size == 0) return -std::numeric_limits<double>::infinity();
  double sum = 0;
  for (const double value : x.values) sum += (value / size) * (value / size);
  return 0.5 * std::log2(sum) + std::log2(size) + static_cast<double>(x.exponent);
}
}  // namespace sparsecast::cluster
