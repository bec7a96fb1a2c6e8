#include "devices/host/host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sparsecast/error.hpp>

#include "base/clock.hpp"
#include "base/threads.hpp"
#include "devices/host/host_curves.hpp"
#include "formats/host_product.hpp"
#include "formats/kernels.hpp"

namespace sparsecast::devices {
namespace {

// x of the timed products: positive and away from zero, so that no value is denormal and none is special.
template <class Value>
Array<Value> timing_vector(std::int64_t size) {
  Array<Value> x(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<Value>(0.5 + static_cast<double>(i * 2654435761U % 65536) / 65536);
  return x;
}

template <class Value>
class HostTimedProduct final : public Product {
 public:
  HostTimedProduct(std::unique_ptr<formats::HostProduct<Value>> product, const Matrix& matrix, double preprocess_s)
      : product_(std::move(product)),
        x_(timing_vector<Value>(matrix.cols())),
        y_(static_cast<std::size_t>(matrix.rows())),
        preprocess_s_(preprocess_s) {}

  double run(int times) override {
    const double start = base::now_s();
    for (int i = 0; i < times; ++i) product_->apply(x_, y_);
    return base::now_s() - start;
  }
  std::vector<double> multiply(std::span<const double> x) override {
    Array<Value> values(x.size());
    std::ranges::transform(x, values.begin(), [](double value) { return static_cast<Value>(value); });
    product_->apply(values, y_);
    return {y_.begin(), y_.end()};
  }
  [[nodiscard]] double preprocess_seconds() const override { return preprocess_s_; }
  [[nodiscard]] std::int64_t bytes() const override { return product_->bytes(); }

 private:
  std::unique_ptr<formats::HostProduct<Value>> product_;
  Array<Value> x_, y_;
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
                                                 const std::string& kernel, Precision precision) override {
    const formats::HostKernel& found = find(kernel);
    if (const std::string reason = formats::refusal_of(kernel, structure); !reason.empty())
      throw Error(ErrorCode::failed, fmt::format("{} is not for this matrix: {}", kernel, reason));
    const std::int64_t bytes = format_bytes(structure, kernel, precision);
    // Half of the memory: the matrix itself and the conversion's working space need room beside the format.
    if (bytes > properties_.memory_bytes / 2)
      throw Error(ErrorCode::too_large, fmt::format("too large: {} needs {} bytes of the host's {}", kernel, bytes,
                                                    properties_.memory_bytes));
    return precision == Precision::single_ ? build(found.build_single, matrix) : build(found.build_double, matrix);
  }

  void measure_curves(std::vector<Curve>& curves, bool quick) override {
    measure_host_curves(curves, properties_, threads_, quick);
  }

 private:
  static const formats::HostKernel& find(const std::string& kernel) {
    const formats::HostKernel* found = formats::find_host_kernel(kernel);
    if (found == nullptr)
      throw Error(ErrorCode::usage, "the host has no kernel '" + kernel + "'", {},
                  "its kernels: " + formats::kernel_names(true));
    return *found;
  }

  template <class Value>
  std::unique_ptr<Product> build(std::unique_ptr<formats::HostProduct<Value>> (*convert)(const Matrix&, int),
                                 const Matrix& matrix) const {
    const double start = base::now_s();
    auto product = convert(matrix, threads());
    const double seconds = base::now_s() - start;
    return std::make_unique<HostTimedProduct<Value>>(std::move(product), matrix, seconds);
  }

  DeviceProperties properties_;
  int threads_;
};

}  // namespace

std::unique_ptr<Device> open_host(int threads) { return std::make_unique<Host>(threads); }

}  // namespace sparsecast::devices
