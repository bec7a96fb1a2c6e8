#pragma once
// SciPy's sparse matrices as scipy.sparse.save_npz writes them: a zip archive of NumPy arrays.

#include <sparsecast/read.hpp>
#include <string>
#include <string_view>

namespace sparsecast::matrix {
/// `bytes` is the archive; `file` is for messages. Formats csr, csc, coo, bsr and dia; Error as read_matrix.
Matrix::Storage read_npz(std::string_view bytes, const std::string& file, const ReadOptions& options);
}  // namespace sparsecast::matrix
