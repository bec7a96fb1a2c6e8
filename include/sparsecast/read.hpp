#pragma once
// Reading a sparse matrix from a file: Matrix Market, Rutherford-Boeing (and its forerunner Harwell-Boeing) and SciPy's
// .npz, also in archives. What a file is follows from its first bytes, never from its name. Writing is in write.hpp.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <sparsecast/matrix.hpp>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace sparsecast {

/// How to read. Thread safety: a value; threads may share one that none of them changes.
struct ReadOptions {
  /// Threads that parse and assemble; 0: default_threads() (threads.hpp). The result does not depend on it.
  int threads = 0;
  /// A file whose matrix would need more memory than this is refused before anything is allocated; 0: all of the
  /// machine's physical memory.
  std::int64_t memory_bytes = 0;
  /// Told in one line of what is read although its format forbids it (blanks before a banner, one percent sign instead
  /// of two), and of what was chosen of an archive. Empty: nothing is told.
  std::function<void(std::string_view)> remark = {};
};

/// Reads one matrix. Its name is the file's, without folder and without .gz, .mtx, .rb, .npz, .tar and the like. Text
/// may be compressed by gzip, and where the library was built with libarchive by bzip2, xz and zstd. It may have a byte
/// order mark, be in UTF-16, and end its lines with a carriage return alone; it is then unpacked to memory.
///
/// Of an archive (tar, also compressed as text may be; zip) the only matrix is read, or of several the one that is
/// called as its folder, NAME/NAME.mtx, with a remark. Members may be compressed by gzip in it; archives in archives,
/// and members compressed otherwise, are passed over.
///
/// Matrix Market: coordinate and array; real (double), integer and pattern; general, symmetric, skew-symmetric (and
/// hermitian, which for real numbers is symmetric). Rutherford-Boeing: assembled real, integer and
/// pattern matrices; right-hand sides are skipped. npz: csr, csc, coo, bsr and dia.
///
/// What comes out is canonical whatever the file's order:
/// - duplicate entries are summed in the order of the file; explicit zeros of sparse formats are kept; zeros of dense
///   ones (Matrix Market "array", dia) are not entries;
/// - a pattern's values are 1; integers beyond 2^53 are rounded to the nearest double;
/// - of a symmetric matrix both triangles are stored. An entry is mirrored whichever triangle it stands in, as SciPy
///   does, so that a file that holds both triangles has every pair twice, and sums them.
///
/// Error bad_input, with file, line and column where there are lines, for whatever is not such a matrix: a missing
/// file, complex values, NaN or infinity (also as a sum of duplicates), wrong counts, sizes that the file cannot hold.
/// Error unavailable for a compression that the library was built without.
/// Error too_large where the matrix is sound but larger than the memory allowed; Error interrupted after Ctrl-C in the
/// command. Thread safety: safe from several threads at once.
[[nodiscard]] Matrix read_matrix(const std::filesystem::path& file, const ReadOptions& options = {});

/// The name that read_matrix gives: "a/b/west0067.mtx.gz" → "west0067". Thread safety: safe from several threads at
/// once.
[[nodiscard]] std::string matrix_name(const std::filesystem::path& file);

}  // namespace sparsecast
#pragma GCC visibility pop
