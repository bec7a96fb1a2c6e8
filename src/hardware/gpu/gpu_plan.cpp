#include "hardware/gpu/gpu_plan.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <sparsecast/error.hpp>

#include "hardware/of_queues.hpp"

namespace sparsecast::hardware {
namespace {
class GpuProduct final : public Product {
 public:
  GpuProduct(GpuRuntime& runtime, GpuPlan plan, std::unique_ptr<GpuBuffer> x, std::unique_ptr<GpuBuffer> y,
             const GpuShape& shape, Precision precision, double preprocess_s)
      : runtime_(runtime),
        plan_(std::move(plan)),
        x_(std::move(x)),
        y_(std::move(y)),
        shape_(shape),
        precision_(precision),
        preprocess_s_(preprocess_s) {
    const Array<double> values = timing_vector<double>(shape.cols * shape.vectors);
    set_x(values);
  }

  double run(int times) override {
    runtime_.start_timer();
    for (int i = 0; i < times; ++i)
      for (const auto& step : plan_.steps) step(shape_.vectors);
    return runtime_.stop_timer();
  }

  std::vector<double> multiply(std::span<const double> x) override {
    set_x(x);
    run(1);
    return precision_ == Precision::single_ ? y<float>() : y<double>();
  }

  [[nodiscard]] double preprocess_seconds() const override { return preprocess_s_; }
  [[nodiscard]] std::int64_t bytes() const override { return plan_.bytes; }
  [[nodiscard]] double cycle_seconds() const override {
    const double clock = runtime_.clock_hz();
    return clock > 0 ? 1 / clock : 0;
  }

  [[nodiscard]] bool takes_blocks() const override { return plan_.blocks; }
  void enqueue(const void* x, void* y, std::int64_t first_row, int queue, std::int64_t vectors) override {
    // A vendor's steps are for buffers and a queue of their own.
    runtime_.select(plan_.rebinds ? queue : 0);
    if (!plan_.rebinds) runtime_.detour();
    std::vector<std::unique_ptr<Bound>> scratch;
    if (const auto entered = runtime_.entered(); entered && !plan_.scratch.empty()) scratch = scratch_of(*entered);
    const std::int64_t size = value_bytes(precision_), at = first_row * size;
    const Bound from(plan_.rebinds ? &runtime_ : nullptr, *x_, const_cast<void*>(x), 0);  // NOLINT: only read
    const Bound to(plan_.rebinds ? &runtime_ : nullptr, *y_, y, at);
    if (!from.bound) runtime_.copy(x, runtime_.address(*x_), 0, shape_.cols * size);
    for (const auto& step : plan_.steps) step(vectors);
    if (!to.bound) runtime_.copy(runtime_.address(*y_), y, at, shape_.rows * size);
    if (!plan_.rebinds) runtime_.end_detour();
  }

 private:
  // A buffer that stands for the caller's memory while this lives, where it can.
  struct Bound {
    Bound(GpuRuntime* with, GpuBuffer& of, void* memory, std::int64_t from)
        : runtime(with), buffer(of), bound(with != nullptr && with->bind(of, memory, from)) {}
    ~Bound() {
      if (bound) runtime->bind(buffer, nullptr, 0);
    }
    Bound(const Bound&) = delete;
    Bound& operator=(const Bound&) = delete;
    GpuRuntime* runtime;
    GpuBuffer& buffer;
    bool bound;
  };

  // What the steps write beside y is another memory in each of the caller's queues: their products may run at once.
  std::vector<std::unique_ptr<Bound>> scratch_of(void* queue) {
    auto& own = of_queues_.of(queue);
    for (std::size_t i = own.size(); i < plan_.scratch.size(); ++i) {
      own.push_back(runtime_.allocate(plan_.scratch_bytes[i]));
      if (std::ranges::find(plan_.zeros, i) == plan_.zeros.end()) continue;
      const std::int64_t numbers = plan_.scratch_bytes[i] / 4;
      GpuKernel& set_zero = runtime_.kernel("set_zero", Precision::single_, 0);
      runtime_.launch(set_zero, runtime_.groups_of(numbers), std::array<GpuArgument, 2>{numbers, own.back().get()});
    }
    std::vector<std::unique_ptr<Bound>> bound;
    for (std::size_t i = 0; i < own.size(); ++i)
      bound.push_back(std::make_unique<Bound>(&runtime_, *plan_.scratch[i], runtime_.address(*own[i]), 0));
    return bound;
  }

  void set_x(std::span<const double> x) {
    const std::int64_t entries = shape_.cols * shape_.vectors;
    if (static_cast<std::int64_t>(x.size()) != entries)
      throw Error(ErrorCode::usage, fmt::format("x has {} entries where the product takes {}", x.size(), entries));
    if (precision_ == Precision::double_) return runtime_.upload(*x_, x.data(), entries * 8);
    std::vector<float> narrow(x.size());
    std::ranges::transform(x, narrow.begin(), [](double value) { return static_cast<float>(value); });
    runtime_.upload(*x_, narrow.data(), entries * 4);
  }
  template <class Value>
  [[nodiscard]] std::vector<double> y() const {
    const std::int64_t entries = shape_.rows * shape_.vectors;
    std::vector<Value> values(static_cast<std::size_t>(entries));
    runtime_.download(*y_, values.data(), entries * static_cast<std::int64_t>(sizeof(Value)));
    return {values.begin(), values.end()};
  }

  GpuRuntime& runtime_;
  GpuPlan plan_;
  std::unique_ptr<GpuBuffer> x_, y_;
  OfQueues<std::vector<std::unique_ptr<GpuBuffer>>> of_queues_;
  GpuShape shape_;
  Precision precision_;
  double preprocess_s_;
};
}  // namespace

std::unique_ptr<Product> product_of_plan(GpuRuntime& runtime, GpuPlan plan, std::unique_ptr<GpuBuffer> x,
                                         std::unique_ptr<GpuBuffer> y, const GpuShape& shape, Precision precision,
                                         double preprocess_s) {
  return std::make_unique<GpuProduct>(runtime, std::move(plan), std::move(x), std::move(y), shape, precision,
                                      preprocess_s);
}
}  // namespace sparsecast::hardware
