#pragma once
// Benchmark matrices beyond the papers' grids: samples of the space of real matrices, for models that see more of a
// matrix than its rows and row length. Sizes from the smallest cache to several times the last, row lengths from
// constant to a few very long ones, columns from banded to anywhere, plus meshes, stencils and graphs.

#include <cstdint>
#include <sparsecast/device.hpp>
#include <sparsecast/profile.hpp>
#include <vector>

#include "formats/kernels.hpp"

namespace sparsecast::calibration {

/// The first `count` samples of a sequence that fills the space evenly at any length (so the first are the most
/// informative). The same on every machine for the same largest size.
std::vector<MatrixSpec> survey_matrices(int count, std::int64_t most_nonzeros);

/// The first `count` (≤ 8) of stencil, band, graphs, mesh, power law and random columns, of one to two times so many
/// non-zeros: matrices beyond the last cache, whose terms no smaller one tells.
std::vector<MatrixSpec> large_matrices(int count, std::int64_t nonzeros);
/// One for kernels made for a structure, and which structures it has.
struct FormMatrix {
  MatrixSpec spec;
  std::vector<formats::MadeFor> suits;
};
/// `count` matrices with such structures: stencils and bands, meshes of blocks, graphs, from sequences as above.
std::vector<FormMatrix> form_matrices(int count, std::int64_t most_nonzeros);

}  // namespace sparsecast::calibration
