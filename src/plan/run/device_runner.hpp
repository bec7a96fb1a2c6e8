#pragma once
// A strategy on a device behind devices/device.hpp.

#include <mutex>
#include <vector>

#include "plan/run/plan_runner.hpp"

namespace sparsecast::planning {

/// Every block is a product of the device, with its own x and y there; their launches follow each other. Concurrent
/// callers take turns, as they would on the device. Vectors go one after the other, and are scaled on the host.
class DeviceRunner final : public Runner {
 public:
  DeviceRunner(Strategy chosen, const Matrix& matrix);
  void apply(std::span<const double> x, std::span<double> y) const override;
  void apply(std::span<const float> x, std::span<float> y) const override;
  void run(const Call<double>& call) const override;
  void run(const Call<float>& call) const override;
  [[nodiscard]] bool update_values(const Matrix& matrix) override;
  [[nodiscard]] std::int64_t bytes() const override;
  /// Seconds of so many products, as the device's own timer tells.
  [[nodiscard]] double seconds_of(int times) const;

 private:
  struct Block {
    std::int64_t first_row = 0, rows = 0;
    Structure structure;
    std::unique_ptr<devices::Product> product;
  };
  template <class Value>
  void multiply(const Call<Value>& call) const;

  std::unique_ptr<devices::Device> device_;
  std::vector<Block> blocks_;
  mutable std::mutex mutex_;
};

}  // namespace sparsecast::planning
