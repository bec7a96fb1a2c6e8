#pragma once
// The matrices that calibration runs: of every structure for the regression and for our own model, random ones for the
// linear model.

#include <sparsecast/matrix_spec.hpp>
#include <vector>

namespace sparsecast::cluster {
/// Kinds of every structure, for the regression and for our own model.
std::vector<MatrixSpec> training_matrices(bool large);
/// Every second of them and, of the small ones, one mesh beyond all caches.
std::vector<MatrixSpec> quick_matrices(bool large);
/// As many as the paper trained its regression on, ninety: those and further sizes and row lengths of the same kinds.
std::vector<MatrixSpec> ninety_matrices(bool large);

/// Random matrices of the linear model (Hossain & Saule, section III-A): a few numbers of rows per block of a p × p
/// grid, each with 1, 2, 4 … 128 non-zeros per row as far as most_nonzeros allows.
std::vector<MatrixSpec> linear_matrices(int grid_side, bool large);

/// The counts of processes in the order in which a matrix is run on them: the smallest, the largest, those between. Of
/// a calibration that runs out of time the runs then span the counts: what lies between two of them is interpolated,
/// while beyond the largest that ran nothing is known.
std::vector<int> outermost_first(std::vector<int> counts);
}  // namespace sparsecast::cluster
