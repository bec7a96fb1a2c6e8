#pragma once
// Writing a sparse matrix as Matrix Market text, plain or gzipped, or as SciPy's npz. Reading is in read.hpp.

#include <filesystem>
#include <sparsecast/matrix.hpp>
#include <string>

#pragma GCC visibility push(default)
namespace sparsecast {

/// How to write. Thread safety: a value; threads may share one that none of them changes.
struct WriteOptions {
  /// Write the lower triangle only, under a "symmetric" banner. Error usage where the matrix is not exactly symmetric.
  bool symmetric = false;
  /// Write positions only, under a "pattern" banner; the values are lost (reading gives 1).
  bool pattern = false;
  /// Lines of comment after the banner; each gets its leading "%".
  std::string comment = {};
  /// Threads that format; 0: default_threads() (threads.hpp).
  int threads = 0;
};

/// Writes rows in order, 1-based, each number with the fewest digits that read back to the same double; gzipped where
/// the name ends in .gz. A regular file appears whole or not at all (it is written beside its place and renamed);
/// pipes and devices (/dev/stdout) are written to as they are. Error failed where it cannot be written (disk full …).
/// Thread safety: safe from several threads at once, into different files.
void write_matrix_market(const Matrix& matrix, const std::filesystem::path& file, const WriteOptions& options = {});

/// Writes the arrays as they are, as scipy.sparse.save_npz does without compression: as fast as the
/// disk takes them. Otherwise as write_matrix_market(). Error usage for complex values.
void write_npz(const Matrix& matrix, const std::filesystem::path& file);

}  // namespace sparsecast
#pragma GCC visibility pop
