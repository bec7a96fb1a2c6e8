#pragma once
// block-jacobi: the inverses of the dense blocks of four rows on the diagonal.

#include <memory>

#include "solve/preconditioners/preconditioner.hpp"

namespace sparsecast::solve {

/// Error bad_input where a block has no inverse.
[[nodiscard]] std::unique_ptr<Preconditioner> make_dense_blocks(const Matrix& matrix, int threads);

}  // namespace sparsecast::solve
