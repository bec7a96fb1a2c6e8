#pragma once
// Logarithm, exponential and normal quantile from + − × ÷ and √ alone. IEEE 754 fixes the result of those to the last
// bit, while the C library's log and exp differ between systems; a generated matrix must not.
// These sources are compiled with -ffp-contract=off (src/matrix/room.cmake): a fused multiply-add rounds once less.

namespace sparsecast::matrix {
/// Natural logarithm of a positive normal number, to about 1e-15.
double portable_log(double x) noexcept;
/// e^x for |x| < 700, to about 1e-15.
double portable_exp(double x) noexcept;
/// The z with P(Z ≤ z) = p for a standard normal Z, 0 < p < 1; relative error below 1.2e-9 (Acklam's rational forms).
double normal_quantile(double p) noexcept;
}  // namespace sparsecast::matrix
