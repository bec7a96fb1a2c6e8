#pragma once
// What was measured for one kernel, as a fit sees it: amounts, times, and which benchmark matrices are of one family.

#include <Eigen/Core>
#include <vector>

#include "formats/workload.hpp"

namespace sparsecast::forecast {
/// Families are numbered from 0.
struct Observations {
  std::vector<formats::Workload> workloads;
  Eigen::VectorXd log_seconds;
  std::vector<int> families;

  [[nodiscard]] std::size_t size() const { return workloads.size(); }
  [[nodiscard]] int family_count() const;
  /// The observations whose family is kept, at most `most` of them, taken evenly from every family.
  [[nodiscard]] Observations subset(const std::vector<bool>& keep_family, std::size_t most) const;
};
}  // namespace sparsecast::forecast
