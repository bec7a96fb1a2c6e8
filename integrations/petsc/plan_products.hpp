#pragma once
// The plans of a sequential AIJ matrix, on the matrix's own arrays: made when their turn comes (contest.hpp), and
// following the matrix's state from then on.

#include <petscmat.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <sparsecast/plan.hpp>
#include <string>
#include <vector>

#include "contest.hpp"

namespace sparsecast::petsc {

/// What the user asked for by options.
struct Settings {
  std::string kernel;  ///< of all products; empty: the fastest of those that were tried
  int threads = 1;
  std::int64_t iterations = 1000;
};

/// The options with that prefix; -help lists them. PETSC_ERR_ARG_OUTOFRANGE for a value that is none.
PetscErrorCode read_settings(const std::string& prefix, Settings& settings);

/// Of plans made and brought up to date.
extern PetscLogEvent planning_event;

/// Of one matrix; `prefix` is that of its options.
class PlanProducts {
 public:
  /// The way of the next product, whose plan is ready for it. A plan that cannot be made (rows that are not sorted)
  /// drops out; of a kernel that the user named, what else is wrong is PETSC_ERR_LIB.
  PetscErrorCode next(Mat a, const std::string& prefix, bool transposed, Way& way);
  [[nodiscard]] bool is_timed(bool transposed) const {
    return settings_.kernel.empty() && !contest_.settled(transposed);
  }
  void took(Way way, bool transposed, double seconds) { contest_.took(way, transposed, seconds); }
  /// Has the planner's strategy made now, where there is a calibration, so that describe() tells of it.
  PetscErrorCode foresee(Mat a, const std::string& prefix);

  /// y = A·x + beta·y, or with Aᵀ, by that plan. Errors as Plan::apply(), and usage where it was not made.
  void multiply(Way way, std::span<const double> x, std::span<double> y, double beta, bool transposed);
  [[nodiscard]] std::int64_t entries() const { return entries_; }
  /// The kernels, what was forecast and what was seen, for people.
  [[nodiscard]] std::string describe() const;

 private:
  struct Made {
    std::optional<Plan> plan;
    PetscObjectState state = -1;  // of the values in it
    double update_s = 0;          // what the last new values took
    double forecast_s = 0;        // of a product; 0: not known
  };

  [[nodiscard]] Made& of(Way way) { return made_[static_cast<std::size_t>(way)]; }
  [[nodiscard]] const Made& of(Way way) const { return made_[static_cast<std::size_t>(way)]; }
  PetscErrorCode look_at(Mat a, const std::string& prefix);
  PetscErrorCode bring_up_to_date(Mat a, Way way);
  void make_or_update(Way way, const Matrix& matrix);
  [[nodiscard]] bool pays_to_update(Way way, bool transposed) const;
  void leave_out_empty_rows(std::span<const PetscInt> row_pointers);

  Settings settings_;
  Contest contest_;
  std::array<Made, ways.size()> made_;
  PetscObjectState state_ = -1, pattern_state_ = -1;
  std::int64_t entries_ = 0, since_change_ = 0;  // products since the values are others
  bool was_checked_ = false;
  // Where most rows are empty, as of a block that couples processes: the plan's rows are those that are not.
  std::vector<PetscInt> rows_, row_pointers_;
  std::vector<double> sums_;
};

}  // namespace sparsecast::petsc
