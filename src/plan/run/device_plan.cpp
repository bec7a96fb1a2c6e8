// Products of memory that lies on a plan's device.

#include <fmt/format.h>

#include <sparsecast/device_plan.hpp>
#include <sparsecast/error.hpp>

#include "plan/run/device_runner.hpp"

namespace sparsecast {
namespace {

const planning::DeviceRunner& device_runner_of(const Plan& plan) {
  const auto* runner = dynamic_cast<const planning::DeviceRunner*>(&planning::Runner::of(plan));
  if (runner == nullptr)
    throw Error(ErrorCode::unavailable, "the plan is on the host and has no memory of a device's", {},
                "plan for opencl:N or cuda:N, or call apply()");
  return *runner;
}

}  // namespace

DeviceHandles device_handles(const Plan& plan) {
  const devices::ResidentHandles handles = device_runner_of(plan).device()->resident()->handles();
  return {handles.api, handles.context, handles.queue};
}

void apply_on_device(const Plan& plan, const void* x, void* y) { device_runner_of(plan).enqueue(x, y); }

void wait_for_device(const Plan& plan) { device_runner_of(plan).wait(); }

struct DeviceArray::Parts {
  std::shared_ptr<devices::Device> device;  // outlives the memory
  std::shared_ptr<std::mutex> turns;
  std::unique_ptr<devices::DeviceMemory> memory;
  std::int64_t bytes = 0;

  void check(std::int64_t wanted) const {
    if (wanted < 0 || wanted > bytes)
      throw Error(ErrorCode::usage, fmt::format("{} bytes of a device's array of {}", wanted, bytes));
  }
};

DeviceArray::DeviceArray(const Plan& plan, std::int64_t bytes) : parts_(std::make_shared<Parts>()) {
  const planning::DeviceRunner& runner = device_runner_of(plan);
  if (bytes < 0) throw Error(ErrorCode::usage, "an array of less than no bytes");
  parts_->device = runner.device();
  parts_->turns = runner.turns();
  const std::lock_guard lock(*parts_->turns);
  parts_->memory = parts_->device->resident()->allocate_memory(bytes);
  parts_->bytes = bytes;
}

void DeviceArray::upload(const void* from, std::int64_t bytes) {
  parts_->check(bytes);
  const std::lock_guard lock(*parts_->turns);
  parts_->device->resident()->upload_to(*parts_->memory, from, bytes);
}

void DeviceArray::download(void* to, std::int64_t bytes) const {
  parts_->check(bytes);
  const std::lock_guard lock(*parts_->turns);
  parts_->device->resident()->download_from(*parts_->memory, to, bytes);
}

void* DeviceArray::memory() const noexcept { return parts_->device->resident()->name_of(*parts_->memory); }
std::int64_t DeviceArray::bytes() const noexcept { return parts_->bytes; }

}  // namespace sparsecast
