#pragma once
// Which preconditioner, number of threads and format finish a solve first.

#include <cstdint>
#include <vector>

#include "solve/forecast/forecast.hpp"
#include "solve/method.hpp"

namespace sparsecast::solving {
struct Choice {
  SolveForecast forecast;
  std::int64_t iterations = 0;  ///< what is known of the chosen preconditioner's, times what preconditioners save
  double total_s = 0;
};

struct ChoiceOptions {
  Method method;
  PreconditionerKind preconditioner = PreconditionerKind::none;  ///< that `iterations` are of
  std::int64_t iterations = 1;
  std::vector<int> threads;  ///< to choose from; 0 for a device without threads
  Precision precision = Precision::double_;
  FitNotice notice = {};
  bool present = false;  ///< the profile is of this machine: what threads hand over is timed
};

/// The best format of every preconditioner that the matrix and the method take, on every number of threads that the
/// profile has records of; fastest first.
[[nodiscard]] std::vector<Choice> solve_choices(const Matrix& matrix, const Structure& structure,
                                                const Profile& profile, const ChoiceOptions& options);

// From how far away the steps of an iteration get what they read: the bytes that went by since a vector, the matrix or
// the preconditioner was used last, in an iteration that repeats.

struct ReachSizes {
  double vector = 0;  ///< bytes of one vector
  double matrix = 0;  ///< of the format, and of the preconditioner
  double preconditioner = 0;
};

/// Of one step, in bytes: of each of its reads and writes, and of the matrix or preconditioner that it goes through.
struct StepReach {
  std::vector<double> reads, writes;
  double data = 0;
};

[[nodiscard]] std::vector<StepReach> reaches_of(const std::vector<Step>& steps, const ReachSizes& sizes);
}  // namespace sparsecast::solving
