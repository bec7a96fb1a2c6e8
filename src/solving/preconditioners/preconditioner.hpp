#pragma once
// A preconditioner made for a matrix, and what it consists of for a forecast.

#include <memory>
#include <optional>
#include <sparsecast/matrix.hpp>

#include "solving/preconditioners/preconditioner_table.hpp"
#include "solving/preconditioners/triangle.hpp"
#include "solving/step.hpp"

namespace sparsecast::solving {
/// Immutable once made.
class Preconditioner {
 public:
  virtual ~Preconditioner() = default;
  /// Where it is a diagonal, what the passes multiply by; else nullptr.
  [[nodiscard]] virtual const double* diagonal() const { return nullptr; }
  /// z = M⁻¹·r; they do not overlap. Of none: z = r.
  virtual void apply(const double* r, double* z) const = 0;
};

/// Error bad_input where a pivot or a block is zero, or, of ic0 and wherever it is to be `positive` definite, not
/// positive; too_large beyond 2³¹ rows.
[[nodiscard]] std::unique_ptr<Preconditioner> make_preconditioner(const Matrix& matrix, PreconditionerKind kind,
                                                                  int threads, bool positive = false);

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
