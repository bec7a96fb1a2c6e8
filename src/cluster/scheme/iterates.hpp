#pragma once
// What an iteration of x ← A·x starts from and how it is kept inside the range of double, the same on one process and
// on many. All scaling is by powers of two, so it rounds nothing; the exponent taken out is part of the result.
//  · The values of A are scaled once by 2^−e with max|a_ij| · (longest row) ≤ 2^e, so no iterate grows.
//  · Every `renormalize_every` iterations x is scaled by the power of two that brings its largest entry into [1, 2), so
//    that no iterate fades into the denormal numbers (which would also falsify the times).
// A distributed result is within ‖x − x₁‖∞ ≤ 1e-10 · ‖x₁‖∞ of the one of a single process: the sums of a row are taken
// in another order, which changes each iterate by a few units in the last place.

#include <cstdint>
#include <sparsecast/matrix.hpp>
#include <vector>

#include "cluster/scheme/index_permutation.hpp"

namespace sparsecast::cluster {
inline constexpr int renormalize_every = 32;

/// Entry `index` of the first x, in [0.5, 1.5).
constexpr double start_value(std::int64_t index) {
  return 0.5 + static_cast<double>(mix_bits(static_cast<std::uint64_t>(index)) >> 12) * 0x1p-52;
}

/// e of the scaling of A. max_value is max|a_ij|.
int matrix_exponent(double max_value, std::int64_t longest_row);
/// The exponent that brings max_entry into [1, 2); 0 for a zero vector.
int vector_exponent(double max_entry);

/// The vector after some iterations is values · 2^exponent.
struct IteratedVector {
  std::vector<double> values;
  std::int64_t exponent = 0;
};

/// The iteration on one process, plain loops: what all schemes are compared with. Polls for interruption.
IteratedVector iterate_sequentially(const Matrix& matrix, int iterations);

/// ‖x − reference‖∞ / ‖reference‖∞; the norm of x where the reference is zero.
double relative_distance(const IteratedVector& x, const IteratedVector& reference);

/// The 2-norm as mantissa · 2^exponent would overflow where the true one does; this is log2 of it (−inf for zero).
double log2_norm(const IteratedVector& x);
}  // namespace sparsecast::cluster
