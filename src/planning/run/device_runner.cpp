#include "planning/run/device_runner.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <list>
#include <sparsecast/device_plan.hpp>
#include <sparsecast/error.hpp>

#include "formats/kernels.hpp"
#include "planning/rows/row_range.hpp"

namespace sparsecast::planning {
namespace {
// So many vectors of a block, by rows without gaps, and back.
template <class Value>
void gather(const Value* from, const formats::Vectors<const Value>& block, std::int64_t width, Value* to) {
  for (std::int64_t i = 0; i < block.rows; ++i)
    for (std::int64_t v = 0; v < width; ++v) *to++ = from[i * block.row_stride + v * block.vector_stride];
}
template <class Value>
void scatter(const Value* products, const formats::Scaling<Value>& scaling, std::int64_t width,
             const formats::Vectors<Value>& block, Value* to) {
  for (std::int64_t i = 0; i < block.rows; ++i)
    for (std::int64_t v = 0; v < width; ++v) {
      Value& one = to[i * block.row_stride + v * block.vector_stride];
      const Value product = scaling.alpha * *products++;
      one = scaling.beta == 0 ? product : product + scaling.beta * one;
    }
}

// Blocks at work side by side: a few fill a device whose single blocks do not.
constexpr int most_queues = 4;
// The kernel that takes blocks of vectors.
constexpr const char* block_kernel = "csr-stream";
}  // namespace

DeviceRunner::DeviceRunner(Strategy chosen, const Matrix& matrix, const RunnerMaking& making,
                           std::shared_ptr<hardware::Device> device)
    : Runner(std::move(chosen), matrix, making.summed) {
  const double start = base::now_s();
  const auto* beside = dynamic_cast<const DeviceRunner*>(making.beside);
  device_ = beside != nullptr   ? beside->device_
            : device != nullptr ? std::move(device)
                                : std::shared_ptr(hardware::open_device(strategy.device));
  if (beside != nullptr) turns_ = beside->turns_;
  if (device_->resident() == nullptr)
    throw Error(ErrorCode::usage, strategy.device + " has no memory that can hold a plan");
  const bool at_once = strategy.blocks.size() == 1 && !strategy.transposed &&
                       formats::kernel_or_plain(strategy.blocks.front().kernel).gpu.blocks;
  timed_vectors_ = at_once ? strategy.vectors : 1;
  for (const PlannedBlock& planned : strategy.blocks) {
    const Matrix rows = row_range(matrix, planned.first_row, planned.last_row + 1);
    const bool known = beside != nullptr && strategy.blocks.size() == 1 && beside->blocks_.size() == 1;
    Block block{planned.first_row, rows.rows(), known ? beside->blocks_.front().structure : analyze(rows), nullptr};
    block.product =
        device_->prepare(rows, block.structure, planned.kernel, strategy.precision, {.vectors = timed_vectors_});
    blocks_.push_back(std::move(block));
  }
  make_room(1);
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
  multiply(call, double_);
}
void DeviceRunner::run(const Call<float>& call) const {
  if (strategy.precision != Precision::single_) refuse_precision(strategy.precision);
  multiply(call, single_);
}

template <class Value>
void DeviceRunner::multiply(const Call<Value>& call, Staging<Value>& staging) const {
  if (call.transposed)
    throw Error(ErrorCode::unavailable,
                "the kernels of " + strategy.device + " multiply only by A, not by its transpose", {},
                "plan for the host, or make the transpose a matrix of its own");
  const std::lock_guard lock(*turns_);
  constexpr std::int64_t size = sizeof(Value);
  hardware::ResidentSide& side = *device_->resident();
  const std::int64_t width = takes_blocks() ? call.x.vectors : 1;
  make_room(width);
  const auto lies_by_rows = [&](const auto& block) {
    return block.row_stride == width && (width == 1 || block.vector_stride == 1);
  };
  const bool gathered = !lies_by_rows(call.x), scattered = !lies_by_rows(call.y) || !call.scaling.plain();
  if (gathered) staging.x.resize(static_cast<std::size_t>(cols * width));
  if (scattered) staging.y.resize(static_cast<std::size_t>(rows * width));
  for (std::int64_t first = 0; first < call.x.vectors; first += width) {
    const Value* from = call.x.begin_of(first);
    Value* to = call.y.begin_of(first);
    if (gathered) gather(from, call.x, width, staging.x.data());
    side.upload(*x_, gathered ? staging.x.data() : from, cols * width * size);
    queue(side.address(*x_), side.address(*y_), width);
    side.download(*y_, scattered ? staging.y.data() : to, rows * width * size);
    if (scattered) scatter(staging.y.data(), call.scaling, width, call.y, to);
  }
}

bool DeviceRunner::takes_blocks() const { return blocks_.size() == 1 && blocks_.front().product->takes_blocks(); }

void DeviceRunner::make_room(std::int64_t vectors) const {
  if (vectors <= room_) return;
  const std::int64_t size = vectors * value_bytes(strategy.precision);
  x_ = device_->resident()->allocate(cols * size);
  y_ = device_->resident()->allocate(rows * size);
  room_ = vectors;
}

void DeviceRunner::queue(const void* x, void* y, std::int64_t vectors) const {
  const int count = static_cast<int>(blocks_.size()), queues = std::min(count, most_queues);
  hardware::ResidentSide& side = *device_->resident();
  side.fork(queues);
  for (int b = 0; b < count; ++b) {
    const Block& block = blocks_[static_cast<std::size_t>(b)];
    block.product->enqueue(x, y, block.first_row, b % queues, vectors);
  }
  side.join();
}

void DeviceRunner::enqueue(const void* x, void* y) const {
  const std::lock_guard lock(*turns_);
  queue(x, y, 1);
}

hardware::Product* DeviceRunner::of_blocks(const Matrix& matrix) const {
  if (takes_blocks()) return blocks_.front().product.get();
  if (several_ != nullptr || no_several_) return several_.get();
  try {
    const Structure structure = blocks_.size() == 1 ? blocks_.front().structure : analyze(matrix);
    several_ = device_->prepare(matrix, structure, block_kernel, strategy.precision);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::too_large) throw;
    no_several_ = true;
  }
  return several_.get();
}

void DeviceRunner::queue_part(const DeviceCall& call, hardware::Product* block_product, std::int64_t first,
                              std::int64_t width) const {
  hardware::ResidentSide& side = *device_->resident();
  const std::int64_t size = value_bytes(strategy.precision);
  // Where vectors lie as the product takes them, by their name; else nullptr.
  const auto in_place = [&](const DeviceVectors& of) -> void* {
    if (of.rows == 0 || (of.rows > 1 && of.row_stride != width) || (width > 1 && of.vector_stride != 1)) return nullptr;
    return side.within(of.memory, (of.first + first * of.vector_stride) * size);
  };
  Passage& passage = passages_.of(call.queue);
  const auto room = [&](std::unique_ptr<hardware::DeviceMemory>& memory, std::int64_t& has, std::int64_t entries) {
    if (memory == nullptr || has < entries * size) memory = side.allocate(has = entries * size);
    return side.address(*memory);
  };
  const auto pass = [&](std::string_view function, const DeviceVectors& of, std::vector<std::int64_t> factors,
                        const hardware::DeviceMemory* from, const hardware::DeviceMemory* to) {
    std::vector<hardware::DeviceArgument> arguments{of.rows, width, of.first + first * of.vector_stride, of.row_stride,
                                                    of.vector_stride};
    arguments.insert(arguments.end(), factors.begin(), factors.end());
    arguments.insert(arguments.end(), {from, to});
    side.pass(function, strategy.precision, side.groups_of(of.rows * width), arguments);
  };
  void* from = in_place(call.x);
  if (from == nullptr) {
    from = room(passage.x, passage.x_bytes, cols * width);
    if (cols > 0) pass("gather_vectors", call.x, {}, side.borrow(call.x.memory).get(), passage.x.get());
  }
  const bool plain = call.alpha == 1 && call.beta == 0;
  void* to = plain ? in_place(call.y) : nullptr;
  const bool scattered = to == nullptr;
  if (scattered) to = room(passage.y, passage.y_bytes, rows * width);
  if (block_product != nullptr) {
    block_product->enqueue(from, to, 0, 0, width);
  } else {
    queue(from, to, width);
  }
  if (!scattered) return;
  const auto factor = [&](double value) {
    return strategy.precision == Precision::single_
               ? static_cast<std::int64_t>(std::bit_cast<std::uint32_t>(static_cast<float>(value)))
               : std::bit_cast<std::int64_t>(value);
  };
  pass("scatter_vectors", call.y, {factor(call.alpha), factor(call.beta)}, passage.y.get(),
       side.borrow(call.y.memory).get());
}

void DeviceRunner::enqueue(const DeviceCall& call, const Matrix& matrix) const {
  const auto fits = [](const DeviceVectors& vectors, std::int64_t wanted) {
    return vectors.rows == wanted && vectors.first >= 0 && vectors.row_stride > 0 && vectors.vector_stride > 0;
  };
  if (!fits(call.x, cols) || !fits(call.y, rows) || call.x.vectors != call.y.vectors)
    throw Error(ErrorCode::usage, fmt::format("x is {} × {} and y {} × {}; the plan multiplies {} entries into {}",
                                              call.x.rows, call.x.vectors, call.y.rows, call.y.vectors, cols, rows));
  if (rows == 0 || call.x.vectors == 0) return;
  const std::lock_guard lock(*turns_);
  hardware::Product* block_product = call.x.vectors > 1 ? of_blocks(matrix) : nullptr;
  const std::int64_t width = block_product != nullptr ? call.x.vectors : 1;
  hardware::ResidentSide& side = *device_->resident();
  side.enter(call.queue);
  try {
    for (std::int64_t first = 0; first < call.x.vectors; first += width) queue_part(call, block_product, first, width);
  } catch (...) {
    side.leave();
    throw;
  }
  side.leave();
}

void DeviceRunner::wait() const {
  const std::lock_guard lock(*turns_);
  device_->resident()->finish();
}

bool DeviceRunner::update_values(const Matrix& matrix) {
  several_.reset();
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    Block& block = blocks_[b];
    const Matrix part = row_range(matrix, block.first_row, block.first_row + block.rows);
    block.product = device_->prepare(part, block.structure, strategy.blocks[b].kernel, strategy.precision,
                                     {.vectors = timed_vectors_});
  }
  return true;
}

std::int64_t DeviceRunner::bytes() const {
  std::int64_t bytes = 0;
  for (const Block& block : blocks_) bytes += block.product->bytes();
  return bytes;
}

double DeviceRunner::timed_by_device(int times) const {
  const std::lock_guard lock(*turns_);
  double seconds = 0;
  for (const Block& block : blocks_) seconds += block.product->run(times);
  const std::int64_t rounds = strategy.vectors / timed_vectors_;
  return seconds * static_cast<double>(rounds);
}

std::shared_ptr<Runner> device_runner(Strategy strategy, const Matrix& matrix, const RunnerMaking& making) {
  return std::make_shared<DeviceRunner>(std::move(strategy), matrix, making);
}
}  // namespace sparsecast::planning

namespace sparsecast {
// Products of memory that lies on a plan's device.

namespace {
const planning::DeviceRunner& device_runner_of(const Plan& plan) {
  const auto* runner = dynamic_cast<const planning::DeviceRunner*>(&planning::Runner::of(plan));
  if (runner == nullptr)
    throw Error(ErrorCode::unavailable, "the plan is on the host and has no device memory", {},
                "plan for opencl:N or cuda:N, or call apply()");
  return *runner;
}
}  // namespace

DeviceHandles device_handles(const Plan& plan) {
  const hardware::ResidentHandles handles = device_runner_of(plan).device()->resident()->handles();
  return {handles.api, handles.context, handles.queue};
}

void apply_on_device(const Plan& plan, const void* x, void* y) { device_runner_of(plan).enqueue(x, y); }

void wait_for_device(const Plan& plan) { device_runner_of(plan).wait(); }

struct DeviceArray::Parts {
  std::shared_ptr<hardware::Device> device;  // outlives the memory
  std::shared_ptr<std::mutex> turns;
  std::unique_ptr<hardware::DeviceMemory> memory;
  std::int64_t bytes = 0;

  void check(std::int64_t wanted) const {
    if (wanted < 0 || wanted > bytes)
      throw Error(ErrorCode::usage, fmt::format("{} bytes of a device's array of {}", wanted, bytes));
  }
};

DeviceArray::DeviceArray(const Plan& plan, std::int64_t bytes) : parts_(std::make_shared<Parts>()) {
  const planning::DeviceRunner& runner = device_runner_of(plan);
  if (bytes < 0) throw Error(ErrorCode::usage, "an array with a negative size");
  parts_->device = runner.device();
  parts_->turns = runner.turns();
  const std::lock_guard lock(*parts_->turns);
  parts_->memory = parts_->device->resident()->allocate(bytes);
  parts_->bytes = bytes;
}

void DeviceArray::upload(const void* from, std::int64_t bytes) {
  parts_->check(bytes);
  const std::lock_guard lock(*parts_->turns);
  parts_->device->resident()->upload(*parts_->memory, from, bytes);
}

void DeviceArray::download(void* to, std::int64_t bytes) const {
  parts_->check(bytes);
  const std::lock_guard lock(*parts_->turns);
  parts_->device->resident()->download(*parts_->memory, to, bytes);
}

struct DeviceProducts::Parts {
  using Contexts = std::list<std::pair<void*, std::shared_ptr<const planning::DeviceRunner>>>;
  static constexpr std::size_t most_contexts = 4;

  Parts(Plan of, Matrix planned) : plan(std::move(of)), matrix(std::move(planned)) {}

  Plan plan;
  Matrix matrix;
  std::mutex mutex;
  Contexts elsewhere;  // that used last in front

  std::shared_ptr<const planning::DeviceRunner> in_context(void* context) {
    const planning::DeviceRunner& own = device_runner_of(plan);
    const std::lock_guard lock(mutex);
    const auto known = std::ranges::find(elsewhere, context, &Contexts::value_type::first);
    if (known != elsewhere.end()) {
      elsewhere.splice(elsewhere.begin(), elsewhere, known);
      return elsewhere.front().second;
    }
    std::shared_ptr<hardware::Device> device =
        context == nullptr ? nullptr : own.device()->resident()->in_context(context);
    if (device == nullptr) return {std::shared_ptr<void>(), &own};
    auto made = std::make_shared<const planning::DeviceRunner>(
        own.strategy, matrix, planning::RunnerMaking{.summed = false}, std::move(device));
    if (elsewhere.size() == most_contexts) elsewhere.pop_back();
    elsewhere.emplace_front(context, made);
    return made;
  }
};

DeviceProducts::DeviceProducts(const Plan& plan, Matrix matrix)
    : parts_(std::make_shared<Parts>(plan, std::move(matrix))) {
  (void)device_runner_of(plan);
}

void DeviceProducts::apply(const DeviceVectors& x, const DeviceVectors& y, double alpha, double beta, void* context,
                           void* queue) const {
  parts_->in_context(context)->enqueue({x, y, alpha, beta, queue}, parts_->matrix);
}

void* DeviceArray::memory() const noexcept { return parts_->device->resident()->address(*parts_->memory); }
std::int64_t DeviceArray::bytes() const noexcept { return parts_->bytes; }
}  // namespace sparsecast
