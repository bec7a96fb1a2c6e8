#include "hardware/host/host.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <sched.h>
#include <unistd.h>
#include <algorithm>
#include <fstream>
#include <sparsecast/error.hpp>

#include "base/clock.hpp"
#include "base/fork_join.hpp"
#include "base/memory.hpp"
#include "base/team.hpp"
#include "base/threads.hpp"
#include "formats/host_product.hpp"
#include "formats/kernels.hpp"
#include "formats/simd/simd.hpp"
#include "hardware/curve_steps.hpp"
#include "hardware/description.hpp"

namespace sparsecast::hardware {
// What the operating system tells of the host: processor, cores, caches, memory.

namespace {
// Rows that one thread takes at a time. It fixes the host's strip, S = threads × this, and so the sizes of the papers'
// benchmark matrices: ten strips of 1024 rows reach from the first to the last cache at 4 to 1024 non-zeros a row.
constexpr int rows_per_chunk = 1024;

// What the first processor's line of that name says; empty where there is none.
std::string processor_line(std::string_view name) {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with(name))
      if (const auto colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return {};
}

int vector_bits() {
  switch (formats::best_simd()) {
    case formats::Simd::avx512: return 512;
    case formats::Simd::avx2: return 256;
    case formats::Simd::portable: break;
  }
  return 128;
}

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
      throw Error(ErrorCode::failed, fmt::format("{} is not for this matrix: {}", kernel, reason));
    const std::int64_t format = format_bytes(structure, kernel, precision);
    const std::int64_t vectors = task.plain() ? 0 : vector_bytes(matrix, precision, task);
    const std::int64_t bytes = formats::saturating_sum(format, vectors);
    // Half of the memory: the matrix itself and the conversion's working space need room beside the format.
    if (bytes > properties_.memory_bytes / 2)
      throw Error(ErrorCode::too_large, fmt::format("too large: {} needs {} bytes of the host's {}", kernel, bytes,
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

void allow(std::span<const int> processors) noexcept {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  for (const int processor : processors) CPU_SET(processor, &mask);
  (void)sched_setaffinity(0, sizeof mask, &mask);  // refused: the thread stays where it may be
}

std::vector<int> allowed_processors() {
  std::vector<int> processors;
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return processors;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor)
    if (CPU_ISSET(processor, &mask)) processors.push_back(processor);
  return processors;
}
}  // namespace

DeviceProperties host_properties() {
  DeviceProperties host;
  host.name = "host";
  host.model = processor_line("model name");
  if (host.model.empty()) host.model = "unknown processor";
  host.vendor = host.model.find("AMD") != std::string::npos     ? "AMD"
                : host.model.find("Intel") != std::string::npos ? "Intel"
                                                                : "";
  host.kind = DeviceKind::host;
  host.compute_units = base::available_cores();
  host.warp_size = 1;
  host.warps_per_unit = 1;
  host.threads_per_unit = 1;
  host.rows_per_chunk = rows_per_chunk;
  host.memory_bytes = base::memory_bytes();
  host.clock_hz = 1e6 * std::strtod(processor_line("cpu MHz").c_str(), nullptr);
  const Topology topology = host_topology();
  host.caches = topology.caches;
  host.sockets = topology.sockets;
  host.numa_domains = topology.numa_domains;
  host.driver = fmt::format("compiler {}", __VERSION__);
  host.microcode = processor_line("microcode");
  host.source = "operating system";
  if (const std::string fewer = base::cores_text(); !fewer.empty()) host.sources["compute_units"] = fewer;
  return host;
}

// This machine as a description that reads back elsewhere.

DeviceProperties describe_host() {
  DeviceProperties host = host_properties();
  // Where fewer cores are lent than share a cache, those have it among themselves.
  for (CacheLevel& cache : host.caches) cache.shared_by = std::min(cache.shared_by, host.compute_units);
  host.sockets = std::max(1, host.sockets);
  host.vector_bits = vector_bits();
  const std::int64_t last = std::max<std::int64_t>(32 << 20, last_cache(host, {}).size_bytes);
  const std::int64_t bytes = std::min(4 * last, host.memory_bytes / 8);
  host.memory_bandwidth = host_read_bandwidth(bytes, host.compute_units);
  host.launch_s = base::fork_join_seconds(host.compute_units);
  host.sources["memory_bandwidth"] = "read here with all cores; the data sheet's is not known to the system";
  if (host.launch_s > 0) host.sources["launch_s"] = "an empty parallel region of all cores, measured here";
  return host;
}

std::unique_ptr<Device> open_host(int threads) { return std::make_unique<Host>(threads); }

BoundTeam::BoundTeam(int threads) {
  if (threads <= 1 || omp_get_proc_bind() != omp_proc_bind_false || omp_in_parallel() != 0) return;
  all_ = allowed_processors();
  if (static_cast<std::size_t>(threads) > all_.size()) return;
  static const std::vector<int> in_order = processors_by_core();
  for (const int processor : in_order)
    if (std::ranges::binary_search(all_, processor)) processors_.push_back(processor);
  if (processors_.size() < static_cast<std::size_t>(threads)) processors_ = all_;
  processors_.resize(static_cast<std::size_t>(threads));
  again();
}

BoundTeam::~BoundTeam() {
  if (processors_.empty()) return;
#pragma omp parallel num_threads(base::team_of(static_cast <int>(processors_.size())))
  allow(all_);
}

void BoundTeam::again() const noexcept {
  if (processors_.empty()) return;
#pragma omp parallel num_threads(base::team_of(static_cast <int>(processors_.size())))
  allow(std::span(processors_).subspan(static_cast<std::size_t>(omp_get_thread_num()), 1));
}
}  // namespace sparsecast::hardware
