#pragma once
// A strategy on a device behind hardware/device.hpp.

#include <sparsecast/device_plan.hpp>

#include "hardware/of_queues.hpp"
#include "hardware/resident.hpp"
#include "planning/run/plan_runner.hpp"

namespace sparsecast::planning {
/// A product in a queue of the caller's (DeviceProducts::apply).
struct DeviceCall {
  const DeviceVectors& x;
  const DeviceVectors& y;
  double alpha = 1, beta = 0;
  void* queue = nullptr;
};

/// Every block is a product of the device's memory, in a queue of its own beside the others'. x goes up once, whatever
/// the number of blocks, and no call allocates but the first of more vectors. Concurrent callers take turns, as they
/// would on the device. Several vectors go at once where one kernel that takes them has all rows, else one after the
/// other; they are scaled on the host.
class DeviceRunner final : public Runner {
 public:
  /// `device`: one that is open already; nullptr: as the strategy names it.
  DeviceRunner(Strategy chosen, const Matrix& matrix, const RunnerMaking& making,
               std::shared_ptr<hardware::Device> device = nullptr);
  void apply(std::span<const double> x, std::span<double> y) const override;
  void apply(std::span<const float> x, std::span<float> y) const override;
  void run(const Call<double>& call) const override;
  void run(const Call<float>& call) const override;
  [[nodiscard]] bool update_values(const Matrix& matrix) override;
  [[nodiscard]] std::int64_t bytes() const override;
  [[nodiscard]] std::int64_t device_memory_bytes() const override { return device_->properties().memory_bytes; }
  [[nodiscard]] bool has_timer() const override { return true; }
  [[nodiscard]] double timed_by_device(int times) const override;
  /// Queues y = A·x of the device's memory (device_plan.hpp).
  void enqueue(const void* x, void* y) const;
  /// The same by who has the turn already; of several vectors by rows where the plan's one kernel takes them.
  void queue(const void* x, void* y, std::int64_t vectors) const;
  /// The same of the caller's memory and queue. `matrix`: what was planned, for several vectors.
  void enqueue(const DeviceCall& call, const Matrix& matrix) const;
  void wait() const;
  /// The device itself, which its memory must not outlive, and whose turn it is there.
  [[nodiscard]] const std::shared_ptr<hardware::Device>& device() const { return device_; }
  [[nodiscard]] const std::shared_ptr<std::mutex>& turns() const { return turns_; }

 private:
  struct Block {
    std::int64_t first_row = 0, rows = 0;
    Structure structure;
    std::unique_ptr<hardware::Product> product;
  };
  // What a call gathers and scatters on the host where vectors do not lie without gaps.
  template <class Value>
  struct Staging {
    Array<Value> x, y;
  };
  template <class Value>
  void multiply(const Call<Value>& call, Staging<Value>& staging) const;
  // What a queue of the caller's has for vectors that pass through.
  struct Passage {
    std::unique_ptr<hardware::DeviceMemory> x, y;
    std::int64_t x_bytes = 0, y_bytes = 0;
  };
  [[nodiscard]] bool takes_blocks() const;
  // The product of a block of vectors; nullptr where there is none.
  [[nodiscard]] hardware::Product* of_blocks(const Matrix& matrix) const;
  void queue_part(const DeviceCall& call, hardware::Product* block_product, std::int64_t first,
                  std::int64_t width) const;
  void make_room(std::int64_t vectors) const;

  std::shared_ptr<hardware::Device> device_;
  std::vector<Block> blocks_;
  mutable std::unique_ptr<hardware::DeviceMemory> x_, y_;  // of calls with the host's vectors
  mutable std::int64_t room_ = 0;                          // vectors that they hold
  std::shared_ptr<std::mutex> turns_ = std::make_shared<std::mutex>();
  std::int64_t timed_vectors_ = 1;  // that the products' own x and y hold
  mutable Staging<double> double_;
  mutable Staging<float> single_;
  mutable hardware::OfQueues<Passage> passages_;
  mutable std::unique_ptr<hardware::Product>
      several_;                      // csr-stream of the whole matrix, where the plan's takes no blocks
  mutable bool no_several_ = false;  // it does not fit
};
}  // namespace sparsecast::planning
