#include "hardware/host/host.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <sparsecast/error.hpp>

#include "base/clock.hpp"
#include "base/threads.hpp"
#include "formats/host_product.hpp"
#include "formats/kernels.hpp"
#include "hardware/host/host_curves.hpp"
#include "hardware/host/host_properties.hpp"

namespace sparsecast::hardware {
namespace {
// The host's products with x and y of their own, as they are timed.

template <class Value>
class TimedProduct final : public Product {
  using Part = std::conditional_t<is_single(precision_of<Value>), float, double>;

 public:
  TimedProduct(std::unique_ptr<formats::HostProduct<Value>> product, const Matrix& matrix, const ProductKind& task,
               int threads, double preprocess_s)
      : product_(std::move(product)),
        task_(task),
        from_(task.transposed ? matrix.rows() : matrix.cols()),
        to_(task.transposed ? matrix.cols() : matrix.rows()),
        x_(timing_vector<Value>(from_ * task.vectors)),
        y_(static_cast<std::size_t>(to_ * task.vectors)),
        workspace_(threads),
        preprocess_s_(preprocess_s) {}

  double run(int times) override {
    const double start = base::now_s();
    for (int i = 0; i < times; ++i) multiply_into(x_, y_);
    return base::now_s() - start;
  }
  std::vector<double> multiply(std::span<const double> x) override {
    Array<Value> values(x.size());
    std::ranges::transform(x, values.begin(), [](double value) { return value_from<Value>(value); });
    multiply_into(values, y_);
    const auto* parts = reinterpret_cast<const Part*>(y_.data());
    return {parts, parts + y_.size() * sizeof(Value) / sizeof(Part)};
  }
  [[nodiscard]] double preprocess_seconds() const override { return preprocess_s_; }
  [[nodiscard]] std::int64_t bytes() const override { return product_->bytes(); }

 private:
  void multiply_into(const Array<Value>& x, Array<Value>& y) {
    if (task_.plain()) return product_->apply(x, y);
    const formats::Vectors<const Value> from{x.data(), from_, task_.vectors, task_.vectors, 1};
    const formats::Vectors<Value> to{y.data(), to_, task_.vectors, task_.vectors, 1};
    if (!task_.transposed) {
      product_->apply_block({}, from, to, workspace_);
    } else if (task_.vectors > 1) {
      formats::apply_transposed_block(*product_, {}, from, to, workspace_);
    } else {
      formats::apply_transposed<Value>(*product_, {}, x, y, workspace_);
    }
  }

  std::unique_ptr<formats::HostProduct<Value>> product_;
  ProductKind task_;
  std::int64_t from_, to_;
  Array<Value> x_, y_;
  formats::Workspace<Value> workspace_;
  double preprocess_s_;
};

class Host final : public Device {
 public:
  explicit Host(int threads) : properties_(host_properties()), threads_(base::thread_count(threads)) {}

  [[nodiscard]] const DeviceProperties& properties() const override { return properties_; }
  [[nodiscard]] int threads() const override { return threads_; }

  [[nodiscard]] std::vector<std::string> kernels() const override {
    std::vector<std::string> names;
    for (const formats::KernelInfo& kernel : formats::kernel_table())
      if (kernel.on_host) names.emplace_back(kernel.name);
    return names;
  }

  [[nodiscard]] std::int64_t format_bytes(const Structure& structure, const std::string& kernel,
                                          Precision precision) const override {
    return find(kernel).bytes(structure, value_bytes(precision));
  }

  [[nodiscard]] std::unique_ptr<Product> prepare(const Matrix& matrix, const Structure& structure,
                                                 const std::string& kernel, Precision precision,
                                                 const ProductKind& task) override {
    const formats::HostKernel& found = find(kernel);
    if (const std::string reason = formats::refusal_of(kernel, structure); !reason.empty())
      throw Error(ErrorCode::failed, fmt::format("{} cannot be used for this matrix: {}", kernel, reason));
    const std::int64_t format = format_bytes(structure, kernel, precision);
    const std::int64_t vectors = task.plain() ? 0 : vector_bytes(matrix, precision, task);
    const std::int64_t bytes = formats::saturating_sum(format, vectors);
    // Half of the memory: the matrix itself and the conversion's working space need room beside the format.
    if (bytes > properties_.memory_bytes / 2)
      throw Error(ErrorCode::too_large, fmt::format("too large: {} needs {} bytes, and the host has {}", kernel, bytes,
                                                    properties_.memory_bytes));
    const bool is_csr = formats::find_kernel(kernel)->format == formats::csr_format;
    return with_value_of(precision, [&]<class Value>(Value) { return build<Value>(found, matrix, task, is_csr); });
  }

  void measure_curves(std::vector<Curve>& curves, bool quick, const base::ProgressFunction& progress) override {
    measure_host_curves(curves, properties_, threads_, quick, progress);
  }

 private:
  static const formats::HostKernel& find(const std::string& kernel) {
    const formats::HostKernel* found = formats::find_host_kernel(kernel);
    if (found == nullptr)
      throw Error(ErrorCode::usage, "the host has no kernel '" + kernel + "'", {},
                  formats::unknown_kernel_remedy(kernel, true));
    return *found;
  }

  static std::int64_t vector_bytes(const Matrix& matrix, Precision precision, const ProductKind& task) {
    return formats::saturating_product(matrix.rows() + matrix.cols(),
                                       formats::saturating_product(task.vectors, value_bytes(precision)));
  }

  template <class Value>
  std::unique_ptr<Product> build(const formats::HostKernel& kernel, const Matrix& matrix, const ProductKind& task,
                                 bool is_csr) const {
    const double start = base::now_s();
    auto product = kernel.build<Value>(matrix, threads());
    // The Matrix's own arrays are no conversion, whatever it takes to deal its rows to the threads.
    const bool borrowed = is_csr && std::holds_alternative<std::span<const Value>>(matrix.values());
    const double seconds = borrowed ? 0 : base::now_s() - start;
    if (task.transposed && product->transposed_parts() == 0)
      throw Error(ErrorCode::failed, fmt::format("{} has no transposed product of its own", kernel.name));
    return std::make_unique<TimedProduct<Value>>(std::move(product), matrix, task, threads(), seconds);
  }

  DeviceProperties properties_;
  int threads_;
};

}  // namespace

std::unique_ptr<Device> open_host(int threads) { return std::make_unique<Host>(threads); }

}  // namespace sparsecast::hardware
