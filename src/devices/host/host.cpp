#include "devices/host/host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sparsecast/error.hpp>
#include <variant>

#include "base/clock.hpp"
#include "base/threads.hpp"
#include "devices/host/host_curves.hpp"
#include "devices/host/timed_product.hpp"
#include "formats/host_product.hpp"
#include "formats/kernels.hpp"

namespace sparsecast::devices {
namespace {

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
    return prepare_task(matrix, structure, kernel, precision, {});
  }

  [[nodiscard]] std::unique_ptr<Product> prepare_task(const Matrix& matrix, const Structure& structure,
                                                      const std::string& kernel, Precision precision,
                                                      const ProductTask& task) override {
    const formats::HostKernel& found = find(kernel);
    if (const std::string reason = formats::refusal_of(kernel, structure); !reason.empty())
      throw Error(ErrorCode::failed, fmt::format("{} is not for this matrix: {}", kernel, reason));
    const std::int64_t format = format_bytes(structure, kernel, precision);
    const std::int64_t vectors = task.plain() ? 0 : vector_bytes(matrix, precision, task);
    const std::int64_t bytes = formats::saturating_sum(format, vectors);
    // Half of the memory: the matrix itself and the conversion's working space need room beside the format.
    if (bytes > properties_.memory_bytes / 2)
      throw Error(ErrorCode::too_large, fmt::format("too large: {} needs {} bytes of the host's {}", kernel, bytes,
                                                    properties_.memory_bytes));
    const bool is_csr = formats::find_kernel(kernel)->format == formats::csr_format;
    return precision == Precision::single_ ? build<float>(found, matrix, task, is_csr)
                                           : build<double>(found, matrix, task, is_csr);
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

  static std::int64_t vector_bytes(const Matrix& matrix, Precision precision, const ProductTask& task) {
    return formats::saturating_product(matrix.rows() + matrix.cols(),
                                       formats::saturating_product(task.vectors, value_bytes(precision)));
  }

  template <class Value>
  std::unique_ptr<Product> build(const formats::HostKernel& kernel, const Matrix& matrix, const ProductTask& task,
                                 bool is_csr) const {
    const double start = base::now_s();
    auto product = kernel.build<Value>(matrix, threads());
    // The Matrix's own arrays are no conversion, whatever it takes to deal its rows to the threads.
    const bool borrowed = is_csr && std::holds_alternative<std::span<const Value>>(matrix.values());
    const double seconds = borrowed ? 0 : base::now_s() - start;
    if (task.plain()) return timed_product<Value>(std::move(product), matrix, seconds);
    if (task.transposed && product->transposed_parts() == 0)
      throw Error(ErrorCode::failed, fmt::format("{} has no transposed product of its own", kernel.name));
    return timed_task<Value>(std::move(product), matrix, task, threads(), seconds);
  }

  DeviceProperties properties_;
  int threads_;
};

}  // namespace

std::unique_ptr<Device> open_host(int threads) { return std::make_unique<Host>(threads); }

}  // namespace sparsecast::devices
