#pragma once
// Benchmark matrices beyond the last cache, as people bring them, whose terms no smaller one tells.

#include <sparsecast/matrix_spec.hpp>
#include <vector>

namespace sparsecast::calibration {
/// The first `count` (≤ 8) of stencil, band, graphs, mesh, power law and random columns, of one to two times so many
/// non-zeros.
std::vector<MatrixSpec> large_matrices(int count, std::int64_t nonzeros);
}  // namespace sparsecast::calibration
