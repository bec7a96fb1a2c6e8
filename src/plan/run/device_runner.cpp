#include "plan/run/device_runner.hpp"

#include <sparsecast/error.hpp>

#include "base/clock.hpp"
#include "plan/run/row_range.hpp"

namespace sparsecast::planning {

DeviceRunner::DeviceRunner(Strategy chosen, const Matrix& matrix) : Runner(std::move(chosen), matrix) {
  const double start = base::now_s();
  device_ = devices::open_device(strategy.device);
  for (const PlannedBlock& planned : strategy.blocks) {
    const Matrix rows = row_range(matrix, planned.first_row, planned.last_row + 1);
    Block block{planned.first_row, rows.rows(), analyze(rows), nullptr};
    block.product = device_->prepare(rows, block.structure, planned.kernel, strategy.precision);
    blocks_.push_back(std::move(block));
  }
  conversion_s = base::now_s() - start;
}

void DeviceRunner::apply(std::span<const double> x, std::span<double> y) const {
  run(Call<double>{{}, {x.data(), cols}, {y.data(), rows}});
}
void DeviceRunner::apply(std::span<const float> x, std::span<float> y) const {
  run(Call<float>{{}, {x.data(), cols}, {y.data(), rows}});
}
void DeviceRunner::run(const Call<double>& call) const {
  if (strategy.precision != Precision::double_) refuse_precision(strategy.precision);
  multiply(call);
}
void DeviceRunner::run(const Call<float>& call) const {
  if (strategy.precision != Precision::single_) refuse_precision(strategy.precision);
  multiply(call);
}

template <class Value>
void DeviceRunner::multiply(const Call<Value>& call) const {
  if (call.transposed)
    throw Error(ErrorCode::unavailable, "the kernels of " + strategy.device + " multiply by A and not by its transpose",
                {}, "plan for the host, or make the transpose a matrix of its own");
  const std::lock_guard lock(mutex_);
  std::vector<double> x(static_cast<std::size_t>(cols));
  const formats::Scaling<Value>& scaling = call.scaling;
  for (std::int64_t v = 0; v < call.x.vectors; ++v) {
    const Value* from = call.x.data + v * call.x.vector_stride;
    for (std::int64_t i = 0; i < cols; ++i) x[static_cast<std::size_t>(i)] = from[i * call.x.row_stride];
    for (const Block& block : blocks_) {
      const std::vector<double> part = block.product->multiply(x);
      Value* to = call.y.data + v * call.y.vector_stride + block.first_row * call.y.row_stride;
      for (std::int64_t i = 0; i < block.rows; ++i, to += call.y.row_stride) {
        const Value product = scaling.alpha * static_cast<Value>(part[static_cast<std::size_t>(i)]);
        *to = scaling.beta == 0 ? product : product + scaling.beta * *to;
      }
    }
  }
}

bool DeviceRunner::update_values(const Matrix& matrix) {
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    Block& block = blocks_[b];
    const Matrix part = row_range(matrix, block.first_row, block.first_row + block.rows);
    block.product = device_->prepare(part, block.structure, strategy.blocks[b].kernel, strategy.precision);
  }
  return true;
}

std::int64_t DeviceRunner::bytes() const {
  std::int64_t bytes = 0;
  for (const Block& block : blocks_) bytes += block.product->bytes();
  return bytes;
}

double DeviceRunner::seconds_of(int times) const {
  const std::lock_guard lock(mutex_);
  double seconds = 0;
  for (const Block& block : blocks_) seconds += block.product->run(times);
  return seconds;
}

std::shared_ptr<Runner> device_runner(Strategy strategy, const Matrix& matrix) {
  return std::make_shared<DeviceRunner>(std::move(strategy), matrix);
}

}  // namespace sparsecast::planning
