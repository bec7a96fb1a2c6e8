#pragma once
// The plan behind a sequential AIJ matrix: made at its first product, on the matrix's own arrays, and following the
// matrix's state from then on.

#include <petscmat.h>

#include <cstdint>
#include <optional>
#include <span>
#include <sparsecast/plan.hpp>
#include <string>
#include <vector>

namespace sparsecast::petsc {

/// What the user asked for by options.
struct Settings {
  std::string kernel;  ///< empty: the planner's choice
  int threads = 1;
  std::int64_t iterations = 1000;
};

/// The options with that prefix; -help lists them.
PetscErrorCode read_settings(const std::string& prefix, Settings& settings);

class PlanProducts {
 public:
  /// Brings the plan to the matrix's state. A matrix that is none for a plan (no entries, rows that are not sorted) has
  /// none afterwards (ready() is false); what else goes wrong is PETSC_ERR_LIB.
  PetscErrorCode follow(Mat a, const std::string& prefix);
  /// Whether it is at the matrix's state already.
  PetscErrorCode follows(Mat a, bool& follows) const;
  [[nodiscard]] bool ready() const { return plan_.has_value(); }

  /// y = A·x + beta·y, or with Aᵀ. Errors as Plan::apply(), and usage where no plan is ready.
  void multiply(std::span<const double> x, std::span<double> y, double beta, bool transposed);
  [[nodiscard]] std::int64_t entries() const { return entries_; }
  /// The kernels and what was forecast, for people.
  [[nodiscard]] std::string describe() const;

 private:
  PetscErrorCode renew(Mat a, const std::string& prefix, bool same_pattern);
  void leave_out_empty_rows(std::span<const PetscInt> row_pointers);

  std::optional<Plan> plan_;
  PetscObjectState state_ = -1, pattern_state_ = -1;
  std::int64_t entries_ = 0;
  // Where most rows are empty, as of a block that couples processes: the plan's rows are those that are not.
  std::vector<PetscInt> rows_, row_pointers_;
  std::vector<double> sums_;
};

}  // namespace sparsecast::petsc
