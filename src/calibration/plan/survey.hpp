#pragma once
// The survey: benchmark matrices beyond the papers' grids, samples of the space of real matrices, for models that see
// more of a matrix than its rows and row length. Sizes from the smallest cache to several times the last, row lengths
// from constant to a few very long ones, columns from banded to anywhere, plus meshes, stencils and graphs.

#include <sparsecast/matrix_spec.hpp>
#include <vector>

namespace sparsecast::calibration {
/// The first `count` samples of a sequence that fills the space evenly at any length (so the first are the most
/// informative). The same on every machine for the same largest size.
std::vector<MatrixSpec> survey_matrices(int count, std::int64_t most_nonzeros);
}  // namespace sparsecast::calibration
