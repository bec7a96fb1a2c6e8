#pragma once
// The plan behind a sequential AIJ matrix: made at its first product, on the matrix's own arrays, and following the
// matrix's state from then on.

#include <petscmat.h>

#include <optional>
#include <sparsecast/plan.hpp>
#include <string>

namespace sparsecast::petsc {

/// What the user asked for by options.
struct Settings {
  std::string kernel;  ///< empty: the planner's choice
  int threads = 1;
  std::int64_t iterations = 1000;
};

class PlanProducts {
 public:
  /// Brings the plan to the matrix's state. What goes wrong is an Error, but for a matrix that is none for a plan:
  /// then there is no plan().
  PetscErrorCode follow(Mat a);
  [[nodiscard]] const Plan* plan() const { return plan_ ? &*plan_ : nullptr; }

 private:
  PetscErrorCode renew(Mat a, bool same_pattern);

  std::optional<Plan> plan_;
  PetscObjectState state_ = -1, pattern_state_ = -1;
};

}  // namespace sparsecast::petsc
