#pragma once
// Candidates converted and multiplied as a course of trials asks for them.

#include "planning/run/plan_runner.hpp"
#include "planning/trials/contenders.hpp"

namespace sparsecast::planning {
/// Contenders converted as a course asks for them: the best one so far and the one beside it are held, no other.
/// Thread safety: none.
class Contest {
 public:
  Contest(Matrix matrix, const Strategy& planned, const TrialOptions& options);

  [[nodiscard]] TrialCourse& course() { return course_; }
  [[nodiscard]] const TrialCourse& course() const { return course_; }
  /// Converts where that is the next step, until a product is or everything is over.
  void convert();
  /// What the next product is made with; the best one where all is over.
  [[nodiscard]] const std::shared_ptr<Runner>& next() const;
  [[nodiscard]] const std::shared_ptr<Runner>& best() const { return best_; }
  /// The next product took so long.
  void took(double seconds);
  /// No more: what was seen counts.
  void interrupt();
  /// All over again, from the best one on.
  void again();
  /// The strategy of the best one, with times as they were measured and the report.
  [[nodiscard]] Strategy outcome() const;
  /// The matrix has other values now: what is converted from now on takes them.
  void replace(Matrix matrix, std::shared_ptr<Runner> best);

 private:
  void follow();
  void look();

  Matrix matrix_;
  TrialOptions options_;
  std::vector<Contender> contenders_;
  std::vector<TriedKernel> screened_;
  TrialCourse course_;
  std::size_t best_place_ = 0;
  std::shared_ptr<Runner> best_, challenger_;
};
}  // namespace sparsecast::planning
