#pragma once
// Benchmark matrices for the kernels that are made for a structure: dense diagonals, blocks, symmetry, values that
// repeat.

#include <sparsecast/matrix_spec.hpp>

#include "formats/kernels.hpp"

namespace sparsecast::calibration {
/// One of them, and which structures it has.
struct FormMatrix {
  MatrixSpec spec;
  std::vector<formats::MadeFor> suits;
};
/// `count` matrices with such structures: stencils and bands, meshes of blocks, graphs, repeated values.
std::vector<FormMatrix> form_matrices(int count, std::int64_t most_nonzeros);
}  // namespace sparsecast::calibration
