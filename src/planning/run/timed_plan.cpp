#include "planning/run/timed_plan.hpp"

#include <algorithm>

#include "base/clock.hpp"

namespace sparsecast::planning {
namespace {
template <class Value>
void fill_for_timing(Array<Value>& x, std::int64_t entries) {
  x.resize(static_cast<std::size_t>(entries));
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = value_from<Value>(0.5 + static_cast<double>(i * 2654435761U % 65536) / 65536);
}

class TimedPlan final : public hardware::Product {
 public:
  explicit TimedPlan(const Plan& plan) : plan_(plan), vectors_(Runner::of(plan)) {}
  double run(int times) override { return vectors_.run(Runner::of(plan_), times); }
  std::vector<double> multiply(std::span<const double> x) override {
    return with_value_of(plan_.strategy().precision, [&]<class Value>(Value) {
      std::vector<Value> from(x.size());
      std::ranges::transform(x, from.begin(), value_from<Value, double>);
      std::vector<Value> y(static_cast<std::size_t>(plan_.rows()));
      plan_.apply(std::span<const Value>(from), std::span<Value>(y));
      std::vector<double> parts;
      for (const Value value : y) {
        if constexpr (is_complex_value<Value>) {
          parts.insert(parts.end(), {value.real(), value.imag()});
        } else {
          parts.push_back(value);
        }
      }
      return parts;
    });
  }
  [[nodiscard]] double preprocess_seconds() const override { return plan_.conversion_seconds(); }
  [[nodiscard]] std::int64_t bytes() const override { return plan_.bytes(); }

 private:
  const Plan& plan_;
  TimingVectors vectors_;
};
}  // namespace

TimingVectors::TimingVectors(const Runner& runner)
    : vectors_(runner.strategy.vectors),
      from_(runner.strategy.transposed ? runner.rows : runner.cols),
      to_(runner.strategy.transposed ? runner.cols : runner.rows),
      transposed_(runner.strategy.transposed) {
  if (runner.has_timer()) return;  // its products have x and y of their own
  with_value_of(runner.strategy.precision, [&]<class Value>(Value) {
    auto& arrays = arrays_.emplace<Arrays<Value>>();
    fill_for_timing(arrays.x, from_ * vectors_);
    arrays.y.resize(static_cast<std::size_t>(to_ * vectors_));
  });
}

template <class Value>
void TimingVectors::multiply(const Runner& runner, Arrays<Value>& arrays) const {
  auto& [x, y] = arrays;
  if constexpr (!is_complex_value<Value>)
    if (vectors_ == 1 && !transposed_) return runner.apply(std::span<const Value>(x), std::span<Value>(y));
  runner.run(
      Call<Value>{{}, {x.data(), from_, vectors_, vectors_, 1}, {y.data(), to_, vectors_, vectors_, 1}, transposed_});
}

double TimingVectors::run(const Runner& runner, int times) {
  if (runner.has_timer()) return runner.timed_by_device(times);
  const double start = base::now_s();
  std::visit(
      [&](auto& arrays) {
        for (int i = 0; i < times; ++i) multiply(runner, arrays);
      },
      arrays_);
  return base::now_s() - start;
}

double TimingVectors::run_one(const Runner& runner) {
  if (!runner.has_timer()) return run(runner, 1);
  // Starting and reading a device's timer takes as long as a small product; the difference of two runs has none of it.
  constexpr int more = 8;
  const double once = runner.timed_by_device(1), several = runner.timed_by_device(1 + more);
  return several > once ? (several - once) / more : once;
}

std::unique_ptr<hardware::Product> timed_plan(const Plan& plan) { return std::make_unique<TimedPlan>(plan); }
}  // namespace sparsecast::planning
