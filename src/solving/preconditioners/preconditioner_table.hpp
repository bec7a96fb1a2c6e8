#pragma once
// The preconditioners by name.

#include <span>
#include <string_view>

#include "solving/method.hpp"

namespace sparsecast::solving {
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
}  // namespace sparsecast::solving
