#pragma once
// The matrix that a request means: in memory, in a file, by name, or known by its structure alone.

#include <filesystem>
#include <sparsecast/matrix.hpp>
#include <sparsecast/structure.hpp>
#include <variant>

#pragma GCC visibility push(default)
namespace sparsecast {

/// A matrix in memory (which may borrow the caller's arrays: csr_view.hpp), a file or "ss:GROUP/NAME", or, where
/// nothing is multiplied, what is known of one. Thread safety: a value; threads may share one that none of them
/// changes.
using MatrixInput = std::variant<Matrix, std::filesystem::path, Structure>;

}  // namespace sparsecast
#pragma GCC visibility pop
