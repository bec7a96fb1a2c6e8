#pragma once
// Whether to hold Aᵀ beside A for y = Aᵀ·x: what a product then takes, what making it costs, and from how many products
// on that pays.

#include <sparsecast/plan.hpp>

namespace sparsecast::planning {
struct TransposeAdvice {
  bool symmetric = false;       ///< Aᵀ is A: there is nothing to hold
  std::string kernel;           ///< of the stored transpose
  double seconds = 0;           ///< one of its products, predicted
  double conversion_s = 0;      ///< its kernel's, predicted
  double transpose_s = 0;       ///< making Aᵀ in CSR, measured just now
  std::int64_t pays_from = -1;  ///< products of Aᵀ, against multiplying by A's own arrays; −1: never
};

/// `transposed`: the planner's strategy for y = Aᵀ·x from A's own arrays with the same options. Makes the transpose and
/// drops it; takes as much memory as the matrix.
[[nodiscard]] TransposeAdvice advise_transpose(const Planner& planner, const Matrix& matrix, const Strategy& transposed,
                                               const StrategyOptions& options);
}  // namespace sparsecast::planning
