#pragma once
// Runner: what carries out a strategy, on the host or on a device behind devices/device.hpp. A Plan is a handle to one.

#include <memory>
#include <sparsecast/plan.hpp>

#include "devices/device.hpp"

namespace sparsecast::planning {

class Runner {
 public:
  /// What runs that plan.
  [[nodiscard]] static const Runner& of(const Plan& plan) noexcept { return *plan.runner_; }

  explicit Runner(Strategy strategy, const Matrix& matrix)
      : strategy(std::move(strategy)), checksum(matrix_checksum(matrix)), rows(matrix.rows()), cols(matrix.cols()) {}
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;
  virtual ~Runner() = default;
  /// Sizes are checked already.
  virtual void apply(std::span<const double> x, std::span<double> y) const = 0;
  virtual void apply(std::span<const float> x, std::span<float> y) const = 0;
  [[nodiscard]] virtual std::int64_t bytes() const = 0;

  Strategy strategy;
  std::string checksum;
  std::int64_t rows, cols;
  double conversion_s = 0;
};

/// A plan as something that can be timed beside the single kernels. `plan` must outlive it.
[[nodiscard]] std::unique_ptr<devices::Product> timed_plan(const Plan& plan);

}  // namespace sparsecast::planning
