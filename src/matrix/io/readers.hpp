#pragma once
// Rutherford-Boeing files (Duff, Grimes & Lewis 1997, RAL-TR-97-031) and their forerunner Harwell-Boeing (1992), which
// differs in the head only: compressed columns as text in Fortran's fixed formats.

#include <sparsecast/error.hpp>
#include <sparsecast/read.hpp>

#include "matrix/io/number_text.hpp"

namespace sparsecast::matrix {
// The Matrix Market reader: whole files, mapped or gzipped. Stretches of a file: market_entries.hpp.

/// `bytes` is the file, compressed or not; `file` is for messages. Error as read_matrix.
Matrix::Storage read_market(std::string_view bytes, const std::string& file, const ReadOptions& options);

// SciPy's sparse matrices as scipy.sparse.save_npz writes them: a zip archive of NumPy arrays.

/// `bytes` is the archive; `file` is for messages. Formats csr, csc, coo, bsr and dia; Error as read_matrix.
Matrix::Storage read_npz(std::string_view bytes, const std::string& file, const ReadOptions& options);

/// True where the third line begins with one of the formats' matrix types ("rua", "psa", …).
bool is_rutherford_boeing(std::string_view text);

/// `text` is the whole file, not compressed; `file` is for messages. Assembled real, integer and pattern matrices;
/// Error bad_input for complex and elemental ones and whatever read_matrix refuses. Right-hand sides are not read.
Matrix::Storage read_rutherford_boeing(std::string_view text, const std::string& file, const ReadOptions& options);

// No size in a file is trusted: before anything is allocated it is held against the length of the file and against the
// memory of the machine.


struct ClaimedSize {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t entries = 0;       ///< entries that the file must hold
  std::int64_t most_entries = 0;  ///< entries that it can hold, from its length
  int entry_bytes = 28;           ///< peak memory per stored entry: staging and result
  int stored_per_entry = 1;       ///< 2 where entries are mirrored
};

/// Error bad_input where the file is too short for what it claims, or claims an absurd number of rows or columns (more
/// than 2^27 of them and more than 64 for every byte of the file). Error too_large where the matrix may be sound but
/// needs more than memory_bytes.
void check_plausible(const ClaimedSize& size, std::int64_t file_bytes, std::int64_t memory_bytes, const Place& place);

// Triplets: entries in the order in which a file brought them, and their assembly into canonical CSR.

/// A block of entries, 0-based. `values` is empty where all are 1.
template <class Index>
struct Triplets {
  Array<Index> rows;
  Array<Index> cols;
  Array<double> values;
};

/// Whether an entry (r, c) off the diagonal also stands for (c, r).
enum class Mirror { none, same, negated };

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

// Fortran edit descriptors, as far as the head of a Rutherford-Boeing file uses them: "(26I3)", "(1P,4D20.12)",
// "(3(1X,E25.16E3))". Fields have fixed widths, so neighbours may touch and only the format tells them apart.

struct FortranField {
  int begin = 0;  ///< offset in the line
  int width = 0;
  int decimals = 0;  ///< digits after an implied point: what stands without a point is divided by 10^decimals
  int scale = 0;     ///< kP: what stands without an exponent is divided by 10^k
};

/// The fields of one line.
struct FortranFormat {
  bool integer = false;
  std::vector<FortranField> fields;
};

/// `reason` is not empty where the format is not understood.
struct ParsedFormat {
  FortranFormat format;
  std::string reason;
};
ParsedFormat parse_fortran_format(std::string_view text);

/// The value of field number `k` of a line as Fortran reads it (exponents E, D or a bare sign; an implied point).
/// A field beyond the line's end or of blanks is missing.
FieldNumber<std::int64_t> fortran_integer(std::string_view line, const FortranField& field);
FieldNumber<double> fortran_real(std::string_view line, const FortranField& field);
}  // namespace sparsecast::matrix
