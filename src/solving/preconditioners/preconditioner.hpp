#pragma once
// A preconditioner made for a matrix, and what it consists of for a forecast.

#include <optional>
#include <sparsecast/matrix.hpp>

#include "solving/method.hpp"

namespace sparsecast::solving {
// The preconditioners by name.

enum class PreconditionerKind { none, jacobi, block_jacobi, ic0, ilu0 };

struct PreconditionerInfo {
  PreconditionerKind kind;
  std::string_view name;
  std::string_view summary;
  Preconditioning applied;
  /// Iterations beside those without a preconditioner: the geometric mean over symmetric matrices,
  /// docs/results-solve.md.
  double iterations = 1;
  bool symmetric = false;  ///< asks for a symmetric positive definite matrix
};

[[nodiscard]] std::span<const PreconditionerInfo> preconditioner_table();
[[nodiscard]] const PreconditionerInfo& info_of(PreconditionerKind kind);
[[nodiscard]] std::string_view name_of(PreconditionerKind kind);
/// Error usage with the names for another one.
[[nodiscard]] PreconditionerKind parse_preconditioner(std::string_view name);

// Triangular solves. Rows of one level depend on rows of earlier levels alone (Anderson & Saad 1989). Where levels are
// wide, several threads share each; one thread, and all where levels are narrow, goes through the rows in the order of
// the matrix, in which they find their neighbours in the first cache.

/// The sides of the diagonal.
enum class Side { lower, upper };

/// What a triangular solve consists of, as far as the pattern tells.
struct TriangleWork {
  double rows = 0;
  double entries = 0;  ///< off the diagonal
  double levels = 0;
  double chained = 0;  ///< rows that wait for one of the rows just before, in the order of the matrix
  /// Threads share each level; else one goes through the rows in order.
  bool shared = false;
};

/// Of the strict lower or upper triangle of the matrix and a diagonal, on so many threads.
[[nodiscard]] TriangleWork triangle_work(const Matrix& matrix, Side side, int threads);

/// Rows in the order in which they are solved.
struct Triangle {
  Array<std::int32_t> rows;          ///< row number, in order
  Array<std::int64_t> row_pointers;  ///< of the rows in order
  Array<std::int32_t> columns;
  Array<double> values;
  Array<double> inverse;       ///< of the diagonal, in order
  Array<std::int64_t> levels;  ///< first row of each and the end; empty where threads do not share them
  int threads = 1;

  /// z = triangle⁻¹·r; r and z may be the same.
  void solve(const double* r, double* z) const;
};

// Incomplete factors on the pattern of the matrix, ILU(0) (Meijerink & van der Vorst 1977; Saad, Iterative Methods,
// 10.3.2). Of a symmetric matrix they are those of IC(0): L·D·Lᵀ, D being the diagonal of U.

struct IncompleteFactors {
  Array<double> values;   ///< in the matrix's pattern: L below the diagonal, whose own is 1, U from it on
  Array<double> inverse;  ///< of the diagonal of U
};

/// Error bad_input for a pivot that is zero or not there or, where they are to be `positive`, not positive.
[[nodiscard]] IncompleteFactors incomplete_factors(const Matrix& matrix, bool positive);

/// Multiplications that it takes, but for those that fall outside of the pattern.
[[nodiscard]] double eliminations(const Matrix& matrix);

/// Immutable once made.
class Preconditioner {
 public:
  virtual ~Preconditioner() = default;
  /// Where it is a diagonal, what the passes multiply by; else nullptr.
  [[nodiscard]] virtual const double* diagonal() const { return nullptr; }
  /// z = M⁻¹·r; they do not overlap. Of none: z = r.
  virtual void apply(const double* r, double* z) const = 0;
};

/// Error bad_input where a pivot or a block is zero, or of ic0 not positive; too_large beyond 2³¹ rows.
[[nodiscard]] std::unique_ptr<Preconditioner> make_preconditioner(const Matrix& matrix, PreconditionerKind kind,
                                                                  int threads);

/// What one application and the making of it consist of.
struct PreconditionerWork {
  PreconditionerKind kind = PreconditionerKind::none;
  double rows = 0, nonzeros = 0;
  std::optional<TriangleWork> lower, upper;  ///< of factors
  double eliminations = 0;                   ///< multiplications of an incomplete factorisation
};

[[nodiscard]] PreconditionerWork preconditioner_work(const Matrix& matrix, PreconditionerKind kind, int threads);

/// Rows of a dense block of block-jacobi.
inline constexpr int block_rows = 4;
}  // namespace sparsecast::solving
