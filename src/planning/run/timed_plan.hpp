#pragma once
// A plan's products as they are timed: with x and y of their own, as hardware/host/host.cpp times single kernels.

#include <memory>
#include <variant>

#include "planning/run/plan_runner.hpp"

namespace sparsecast::planning {
/// x and y of the product that a strategy is for, which several runners share.
class TimingVectors {
 public:
  explicit TimingVectors(const Runner& runner);
  /// Seconds of so many products; those of a device by its own timer, without x and y on their way.
  double run(const Runner& runner, int times);
  /// Of one product, as a look at it takes them.
  double run_one(const Runner& runner);

 private:
  template <class Value>
  struct Arrays {
    Array<Value> x, y;
  };
  template <class Value>
  void multiply(const Runner& runner, Arrays<Value>& arrays) const;

  std::int64_t vectors_, from_, to_;
  bool transposed_;
  std::variant<Arrays<double>, Arrays<float>, Arrays<std::complex<double>>, Arrays<std::complex<float>>> arrays_;
};

/// A plan as something that can be timed beside the single kernels. `plan` must outlive it.
[[nodiscard]] std::unique_ptr<hardware::Product> timed_plan(const Plan& plan);
}  // namespace sparsecast::planning
