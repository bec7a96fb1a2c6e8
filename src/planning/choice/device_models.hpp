#pragma once
// The device that is planned for, as the room that chooses asks it: its profile, and planners that were fitted to it.
// Whoever answers keeps them, so that a second question about the same device fits nothing anew.

#include <memory>
#include <sparsecast/plan.hpp>
#include <string>

namespace sparsecast::planning {
/// Asked only where a model is needed: few products of a matrix on the host are planned without a profile.
/// Thread safety: threads may ask one at once.
class DeviceModels {
 public:
  virtual ~DeviceModels() = default;
  /// What was measured there. Error failed where it never was, unavailable where nothing of that name is here.
  [[nodiscard]] virtual const Profile& profile() = 0;
  /// What a model is fitted for, with so many threads (0: all).
  [[nodiscard]] virtual FitOptions fit(Precision precision, int threads) = 0;
  /// `model` as PlanRequest names it.
  [[nodiscard]] virtual std::shared_ptr<const Planner> planner(const std::string& model, const FitOptions& fit) = 0;
};
}  // namespace sparsecast::planning
