#pragma once
// The device of a planning request, read when it is first asked for: few products are planned without a profile.

#include <sparsecast/plan_request.hpp>

#include "answers/machine.hpp"
#include "planning/choice/device_models.hpp"

namespace sparsecast::answers {
/// Thread safety: none; a request has one of its own.
class RequestedDevice final : public planning::DeviceModels {
 public:
  /// The request must outlive it. A device of an unknown name is one that is not here: whoever plans wants to multiply
  /// there. `by_name`: asked about any machine, one of which there is a description too; a name that nobody knows is an
  /// error of usage.
  explicit RequestedDevice(const PlanRequest& request, bool by_name = false) : request_(request), by_name_(by_name) {}

  [[nodiscard]] Machine& machine();
  [[nodiscard]] const Profile& profile() override { return machine().profile(); }
  [[nodiscard]] FitOptions fit(Precision precision, int threads) override;
  [[nodiscard]] std::shared_ptr<const Planner> planner(const std::string& model, const FitOptions& fit) override;

 private:
  const PlanRequest& request_;
  bool by_name_;
  std::shared_ptr<Machine> machine_;
};
}  // namespace sparsecast::answers
