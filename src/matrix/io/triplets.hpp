#pragma once
// Entries in the order in which a file brought them, and their assembly into canonical CSR.

#include <sparsecast/matrix.hpp>

namespace sparsecast::matrix {
/// A block of entries, 0-based. `values` is empty where all are 1.
template <class Index>
struct Triplets {
  Array<Index> rows;
  Array<Index> cols;
  Array<double> values;
};

/// Whether an entry (r, c) off the diagonal also stands for (c, r).
enum class Mirror { none, same, negated };

/// On which sides of the diagonal the entries of a symmetric file stand. Every entry stands for its mirror image too,
/// so that pairs of which both are there are added, as SciPy adds them; who wrote both mostly meant otherwise.
struct Sides {
  bool above = false, below = false;
  [[nodiscard]] bool both() const { return above && below; }
  void add(std::int64_t row, std::int64_t col) {
    above |= row < col;
    below |= row > col;
  }
  void add(const Sides& other) {
    above |= other.above;
    below |= other.below;
  }
};

/// What to say of a file with entries on both.
std::string remark_on_both_triangles(const std::string& file);

/// The first whole number beyond which a double does not hold each, and what to say of a file that has such values.
constexpr double first_inexact = 9007199254740992.0;
std::string remark_on_inexact_integers(const std::string& file);

struct AssemblyOptions {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  Mirror mirror = Mirror::none;
  bool ones = false;  ///< the blocks have no values; all are 1
  int threads = 1;
  std::string file;  ///< for messages
};

/// Canonical CSR of all blocks together: rows sorted, duplicates summed in the order of the blocks. The indices must be
/// in range. The blocks are freed on the way. The result does not depend on the number of threads.
/// Error bad_input where a sum of duplicates overflows.
template <class Index>
Matrix::Storage assemble(std::vector<Triplets<Index>>&& blocks, const AssemblyOptions& options);

/// The same for one block whose rows never descend: its columns and values become the result's where they stand.
template <class Index>
Matrix::Storage assemble_in_row_order(Triplets<Index>&& triplets, const AssemblyOptions& options);

/// The same for one block of any order, of which every thread takes a part.
template <class Index>
Matrix::Storage assemble_whole(Triplets<Index>&& triplets, const AssemblyOptions& options);

/// Complex values are read as two matrices of one pattern: the first takes the second's values as imaginary parts.
void add_imaginary(Matrix::Storage& real, Matrix::Storage&& imaginary);

/// Sorts the rows of a CSR and sums duplicates in the order in which they stand. Error bad_input as above.
template <class Csr>
void canonicalize(Csr& csr, int threads, const std::string& file);
}  // namespace sparsecast::matrix
