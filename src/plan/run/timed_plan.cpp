// A plan as a product that the timing protocol can run beside single kernels.

#include <algorithm>

#include "base/clock.hpp"
#include "plan/run/device_runner.hpp"

namespace sparsecast::planning {
namespace {

class TimedPlan final : public devices::Product {
 public:
  explicit TimedPlan(const Plan& plan) : plan_(plan) {
    const auto fill = [](auto& x) {
      for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<std::decay_t<decltype(x[0])>>(0.5 + static_cast<double>(i * 2654435761U % 65536) / 65536);
    };
    // As devices/host/host.cpp fills its own x.
    if (dynamic_cast<const DeviceRunner*>(&Runner::of(plan)) != nullptr) return;
    const auto rows = static_cast<std::size_t>(plan.rows()), cols = static_cast<std::size_t>(plan.cols());
    if (plan.strategy().precision == Precision::double_) {
      x_.resize(cols);
      y_.resize(rows);
      fill(x_);
    } else {
      single_x_.resize(cols);
      single_y_.resize(rows);
      fill(single_x_);
    }
  }
  double run(int times) override {
    if (const auto* device = dynamic_cast<const DeviceRunner*>(&Runner::of(plan_))) return device->seconds_of(times);
    const double start = base::now_s();
    for (int i = 0; i < times; ++i) {
      if (plan_.strategy().precision == Precision::double_) {
        Runner::of(plan_).apply(std::span<const double>(x_), std::span<double>(y_));
      } else {
        Runner::of(plan_).apply(std::span<const float>(single_x_), std::span<float>(single_y_));
      }
    }
    return base::now_s() - start;
  }
  std::vector<double> multiply(std::span<const double> x) override {
    std::vector<double> y(static_cast<std::size_t>(plan_.rows()));
    if (plan_.strategy().precision == Precision::double_) {
      plan_.apply(x, std::span<double>(y));
    } else {
      const std::vector<float> single(x.begin(), x.end());
      std::vector<float> out(y.size());
      plan_.apply(std::span<const float>(single), std::span<float>(out));
      std::ranges::copy(out, y.begin());
    }
    return y;
  }
  [[nodiscard]] double preprocess_seconds() const override { return plan_.conversion_seconds(); }
  [[nodiscard]] std::int64_t bytes() const override { return plan_.bytes(); }

 private:
  const Plan& plan_;
  Array<double> x_, y_;
  Array<float> single_x_, single_y_;
};

}  // namespace

std::unique_ptr<devices::Product> timed_plan(const Plan& plan) { return std::make_unique<TimedPlan>(plan); }

}  // namespace sparsecast::planning
