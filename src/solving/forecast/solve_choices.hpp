#pragma once
// Which preconditioner, number of threads and format finish a solve first.

#include <vector>

#include "solving/forecast/forecast.hpp"

namespace sparsecast::solving {
struct Choice {
  SolveForecast forecast;
  std::int64_t iterations = 0;  ///< what is known of the chosen preconditioner's, times what preconditioners save
  double total_s = 0;
};

/// What is known of this machine beside its profile, by the number of threads; nothing where the functions are empty.
/// Asked twice it must say the same, so that one answer has one time for one solve.
struct HereAndNow {
  std::function<SeenProducts(int threads)> seen = {};  ///< what was observed of products
  std::function<Handover(int threads)> handover = {};  ///< what threads hand to each other, and what that costs

  [[nodiscard]] SeenProducts seen_by(int threads) const { return seen ? seen(threads) : SeenProducts(); }
  [[nodiscard]] Handover handover_by(int threads) const { return handover ? handover(threads) : Handover(); }
};

struct ChoiceOptions {
  Method method;
  PreconditionerKind preconditioner = PreconditionerKind::none;  ///< that `iterations` are of
  std::int64_t iterations = 1;
  std::vector<int> threads;  ///< to choose from; 0 for a device without threads
  Precision precision = Precision::double_;
  FitNotice notice = {};
  HereAndNow here = {};  ///< of a profile that is this machine's
  /// Whether the device runs the method with that preconditioner; empty: all are chosen from.
  std::function<bool(PreconditionerKind)> runs = {};
};

/// The best format of every preconditioner that the matrix and the method take, on every number of threads that the
/// profile has records of; fastest first.
[[nodiscard]] std::vector<Choice> solve_choices(const Matrix& matrix, const Structure& structure,
                                                const Profile& profile, const ChoiceOptions& options);
}  // namespace sparsecast::solving
