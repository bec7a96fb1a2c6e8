#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <sparsecast/error.hpp>

#include "base/clock.hpp"
#include "devices/device.hpp"
#include "plan/run/host_blocks.hpp"
#include "plan/run/plan_runner.hpp"
#include "plan/run/row_range.hpp"

namespace sparsecast {
namespace {

[[noreturn]] void refuse_precision(Precision have) {
  throw Error(ErrorCode::usage, fmt::format("the plan is in {} precision and the vectors are not", to_string(have)), {},
              "plan in the precision of the vectors");
}

class HostRunner final : public planning::Runner {
 public:
  HostRunner(Strategy chosen, const Matrix& matrix) : Runner(std::move(chosen), matrix) {
    const double start = base::now_s();
    if (strategy.precision == Precision::double_) {
      double_ = planning::build_host_blocks<double>(matrix, strategy.blocks, strategy.threads);
    } else {
      single_ = planning::build_host_blocks<float>(matrix, strategy.blocks, strategy.threads);
    }
    conversion_s = base::now_s() - start;
  }
  void apply(std::span<const double> x, std::span<double> y) const override {
    if (!double_) refuse_precision(Precision::single_);
    double_->apply(x, y);
  }
  void apply(std::span<const float> x, std::span<float> y) const override {
    if (!single_) refuse_precision(Precision::double_);
    single_->apply(x, y);
  }
  [[nodiscard]] std::int64_t bytes() const override { return double_ ? double_->bytes() : single_->bytes(); }

 private:
  std::unique_ptr<formats::HostProduct<double>> double_;
  std::unique_ptr<formats::HostProduct<float>> single_;
};

// Every block is a product of the device, with its own x and y there; their launches follow each other. Concurrent
// callers take turns, as they would on the device.
class DeviceRunner final : public planning::Runner {
 public:
  DeviceRunner(Strategy chosen, const Matrix& matrix) : Runner(std::move(chosen), matrix) {
    const double start = base::now_s();
    device_ = devices::open_device(strategy.device);
    for (const PlannedBlock& block : strategy.blocks) {
      const Matrix rows = planning::row_range(matrix, block.first_row, block.last_row + 1);
      blocks_.push_back(
          {block.first_row, rows.rows(), device_->prepare(rows, analyze(rows), block.kernel, strategy.precision)});
    }
    conversion_s = base::now_s() - start;
  }
  void apply(std::span<const double> x, std::span<double> y) const override {
    if (strategy.precision != Precision::double_) refuse_precision(strategy.precision);
    multiply(x, y);
  }
  void apply(std::span<const float> x, std::span<float> y) const override {
    if (strategy.precision != Precision::single_) refuse_precision(strategy.precision);
    multiply(std::vector<double>(x.begin(), x.end()), y);
  }
  [[nodiscard]] std::int64_t bytes() const override {
    std::int64_t bytes = 0;
    for (const Block& block : blocks_) bytes += block.product->bytes();
    return bytes;
  }
  double run(int times) const {
    const std::lock_guard lock(mutex_);
    double seconds = 0;
    for (const Block& block : blocks_) seconds += block.product->run(times);
    return seconds;
  }

 private:
  struct Block {
    std::int64_t first_row, rows;
    std::unique_ptr<devices::Product> product;
  };
  template <class Value>
  void multiply(std::span<const double> x, std::span<Value> y) const {
    const std::lock_guard lock(mutex_);
    for (const Block& block : blocks_) {
      const std::vector<double> part = block.product->multiply(x);
      std::ranges::transform(part, y.begin() + block.first_row, [](double value) { return static_cast<Value>(value); });
    }
  }

  std::unique_ptr<devices::Device> device_;
  std::vector<Block> blocks_;
  mutable std::mutex mutex_;
};

void check_blocks(const Strategy& strategy, const Matrix& matrix) {
  std::int64_t row = 0;
  for (const PlannedBlock& block : strategy.blocks) {
    if (block.first_row != row || block.last_row < block.first_row - (matrix.rows() == 0 ? 1 : 0))
      throw Error(ErrorCode::usage, fmt::format("the blocks of a plan do not follow each other at row {}", row));
    row = block.last_row + 1;
  }
  if (strategy.blocks.empty() || row != matrix.rows())
    throw Error(ErrorCode::usage, fmt::format("the blocks of a plan cover {} rows of {}", row, matrix.rows()));
}

std::shared_ptr<const planning::Runner> make_runner(const Matrix& matrix, Strategy strategy) {
  check_blocks(strategy, matrix);
  if (strategy.device == "host") {
    strategy.threads = std::max(1, strategy.threads);
    return std::make_shared<HostRunner>(std::move(strategy), matrix);
  }
  return std::make_shared<DeviceRunner>(std::move(strategy), matrix);
}

class TimedPlan final : public devices::Product {
 public:
  explicit TimedPlan(const Plan& plan) : plan_(plan) {
    const auto fill = [](auto& x) {
      for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<std::decay_t<decltype(x[0])>>(0.5 + static_cast<double>(i * 2654435761U % 65536) / 65536);
    };
    // As devices/host/host.cpp fills its own x.
    if (dynamic_cast<const DeviceRunner*>(&planning::Runner::of(plan)) != nullptr) return;
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
    if (const auto* device = dynamic_cast<const DeviceRunner*>(&planning::Runner::of(plan_))) return device->run(times);
    const double start = base::now_s();
    for (int i = 0; i < times; ++i) {
      if (plan_.strategy().precision == Precision::double_) {
        planning::Runner::of(plan_).apply(std::span<const double>(x_), std::span<double>(y_));
      } else {
        planning::Runner::of(plan_).apply(std::span<const float>(single_x_), std::span<float>(single_y_));
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

Plan::Plan(const Matrix& matrix, Strategy strategy) : runner_(make_runner(matrix, std::move(strategy))) {}

namespace {
template <class Value>
void check_vectors(const Plan& plan, std::span<const Value> x, std::span<Value> y) {
  if (static_cast<std::int64_t>(x.size()) != plan.cols() || static_cast<std::int64_t>(y.size()) != plan.rows())
    throw Error(ErrorCode::usage, fmt::format("x has {} and y {} entries, the plan {} columns and {} rows", x.size(),
                                              y.size(), plan.cols(), plan.rows()));
}
}  // namespace

void Plan::apply(std::span<const double> x, std::span<double> y) const {
  check_vectors(*this, x, y);
  runner_->apply(x, y);
}
void Plan::apply(std::span<const float> x, std::span<float> y) const {
  check_vectors(*this, x, y);
  runner_->apply(x, y);
}

const Strategy& Plan::strategy() const noexcept { return runner_->strategy; }
std::int64_t Plan::rows() const noexcept { return runner_->rows; }
std::int64_t Plan::cols() const noexcept { return runner_->cols; }
std::int64_t Plan::bytes() const noexcept { return runner_->bytes(); }
double Plan::conversion_seconds() const noexcept { return runner_->conversion_s; }

Plan plan(const Matrix& matrix, const Profile& profile, const PlanOptions& options) {
  const Planner planner(profile, options.precision, options.threads, options.notice);
  return {matrix, planner.strategy(matrix, options.strategy)};
}

std::unique_ptr<devices::Product> planning::timed_plan(const Plan& plan) { return std::make_unique<TimedPlan>(plan); }

}  // namespace sparsecast
