#include "gpu_code/own/own_product.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <cstring>

#include "base/embedded.hpp"
#include "base/files.hpp"
#include "base/machine/memory.hpp"
#include "base/text.hpp"
#include "fields/wording.hpp"
#include "forecast/machines/code_time.hpp"
#include "formats/gpu/gpu_shape.hpp"
#include "formats/kernels.hpp"
#include "formats/sell.hpp"
#include "gpu_code/compile/compiler.hpp"
#include "gpu_code/compile/digest.hpp"
#include "hardware/description.hpp"
#include "hardware/gpu/gpu_kernels.hpp"
#include "hardware/gpu/gpu_product.hpp"

namespace sparsecast::embedded {
std::span<const File> own_gpu_kernels();  ///< benchmarks/gpu-kernels/*.cu
}

namespace sparsecast::gpu_code {
namespace {
std::filesystem::path source_in_store(const std::string& name, std::string_view text) {
  auto path = store_folder("kernel-sources") / name;
  base::write_file_atomically(path, text, {"kernel's source", "set SPARSECAST_HOME to a folder that you may write"});
  return path;
}

struct HeldBuffer final : hardware::GpuBuffer {
  std::vector<std::uint8_t> bytes;  ///< empty while nothing was uploaded
};

struct NamedKernel final : hardware::GpuKernel {
  const hardware::GpuFunction* function = nullptr;
  Precision precision = Precision::double_;
  int offset_bits = 0;
};

struct TakenLaunch {
  const NamedKernel* kernel = nullptr;
  std::int64_t groups = 0;
  std::vector<hardware::GpuArgument> arguments;
};

/// Takes down what would be launched.
class TakingRuntime final : public hardware::GpuRuntime {
 public:
  explicit TakingRuntime(const KernelTimes& times) {
    properties_.name = times.name;
    properties_.model = times.model;
    properties_.kind = DeviceKind::cuda;
    properties_.compute_units = times.multiprocessors;
    properties_.warp_size = 32;
    properties_.memory_bytes = hardware::is_described(times.name) ? describe_device(times.name).memory_bytes : 0;
    if (properties_.memory_bytes == 0) properties_.memory_bytes = std::numeric_limits<std::int64_t>::max() / 4;
  }
  [[nodiscard]] const DeviceProperties& properties() const override { return properties_; }
  [[nodiscard]] std::int64_t largest_buffer() const override { return properties_.memory_bytes; }
  [[nodiscard]] std::int64_t most_groups() const override { return std::numeric_limits<std::int32_t>::max(); }
  std::unique_ptr<hardware::GpuBuffer> allocate(std::int64_t /*bytes*/) override {
    return std::make_unique<HeldBuffer>();
  }
  void upload(hardware::GpuBuffer& to, const void* from, std::int64_t bytes) override {
    auto& held = static_cast<HeldBuffer&>(to).bytes;
    held.resize(static_cast<std::size_t>(bytes));
    std::memcpy(held.data(), from, held.size());
  }
  void download(const hardware::GpuBuffer& /*from*/, void* to, std::int64_t bytes) override {
    std::memset(to, 0, static_cast<std::size_t>(bytes));
  }
  void launch(hardware::GpuKernel& kernel, std::int64_t groups,
              std::span<const hardware::GpuArgument> arguments) override {
    taken.push_back({&static_cast<const NamedKernel&>(kernel), groups, {arguments.begin(), arguments.end()}});
  }
  void start_timer() override {}
  double stop_timer() override { return 0; }

  std::vector<TakenLaunch> taken;

 private:
  DeviceProperties properties_;

  std::unique_ptr<hardware::GpuKernel> make_kernel(const hardware::GpuFunction& function, Precision precision,
                                                   int offset_bits) override {
    auto made = std::make_unique<NamedKernel>();
    made->function = &function;
    made->precision = precision;
    made->offset_bits = offset_bits;
    return made;
  }
};

/// The arrays are built here as the device would hold them. With the working copies of a conversion, of the launches
/// and of the run that follows them, five times their bytes were seen; half of the memory is left to the matrix and
/// others.
void refuse_if_host_is_too_small(const Structure& structure, std::string_view kernel, Precision precision,
                                 const KernelTimes& times) {
  constexpr std::int64_t copies = 5;
  const std::int64_t format = formats::gpu_format_bytes(structure, kernel, precision);
  const base::MemoryLimit limit = base::memory_limit();
  if (format <= limit.bytes / 2 / copies) return;
  throw Error(ErrorCode::too_large,
              fmt::format("too large: the arrays of {} take {}, and following a launch takes {} times that; {} is {}",
                          kernel, base::format_bytes(static_cast<double>(format)), copies, limit.set_by,
                          base::format_bytes(static_cast<double>(limit.bytes))),
              {}, wording::format("{} builds no array", wording::ask("predict", {{"device", times.name}})));
}

OwnLaunch written(const TakenLaunch& taken) {
  const auto& kernel = *taken.kernel;
  const auto symbol = hardware::cuda_symbol(*kernel.function, kernel.precision, kernel.offset_bits);
  const auto source = hardware::gpu_source(*kernel.function, "cuda.h", kernel.precision, kernel.offset_bits, 32);
  OwnLaunch own;
  own.source = source_in_store(symbol + ".cu", source.text);
  own.kernel = symbol;
  own.defines = source.macros;
  own.defines.push_back("SUFFIX=" + symbol.substr(kernel.function->name.size() + 1));
  own.launch.grid = {taken.groups, 1, 1};
  own.launch.block = {hardware::gpu_group_size, 1, 1};
  for (std::size_t a = 0; a < taken.arguments.size(); ++a) {
    if (const auto* number = std::get_if<std::int64_t>(&taken.arguments[a])) {
      own.launch.arguments[std::to_string(a)] = std::to_string(*number);
      continue;
    }
    const auto& held = static_cast<const HeldBuffer&>(*std::get<const hardware::GpuBuffer*>(taken.arguments[a]));
    if (!held.bytes.empty()) own.launch.buffers[std::to_string(a)] = held.bytes;
  }
  return own;
}
// The block of the longest row, but where work is dealt whatever the rows: those lie in order, or sorted by length.
std::optional<std::int64_t> block_of_longest_row(const Matrix& matrix, const formats::KernelInfo& kernel,
                                                 const TakenLaunch& taken) {
  const auto& texts = taken.kernel->function->texts;
  const auto is_dealt = [](std::string_view text) { return text == "carry.cl" || text == "csr_tiles.cl"; };
  if (std::ranges::any_of(texts, is_dealt) || matrix.rows() == 0) return std::nullopt;
  if (kernel.gpu.longest_first) return 0;
  std::int64_t row = matrix.visit_pattern([](const auto& csr) {
    const auto length = [&](std::int64_t r) { return csr.row_pointers[r + 1] - csr.row_pointers[r]; };
    std::int64_t longest = 0;
    for (std::int64_t r = 1; r < csr.rows; ++r)
      if (length(r) > length(longest)) longest = r;
    return longest;
  });
  if (kernel.padding == formats::Padding::slices) row -= row % formats::gpu_sell.sort_rows;
  const auto each = std::bit_ceil(static_cast<std::uint64_t>((matrix.rows() + taken.groups - 1) / taken.groups));
  return std::min(row / static_cast<std::int64_t>(each), taken.groups - 1);
}
}  // namespace

std::vector<std::string> own_kernels() {
  std::vector<std::string> names;
  for (const auto& file : embedded::own_gpu_kernels())
    for (auto at = file.text.find("__global__ void "); at != std::string_view::npos;
         at = file.text.find("__global__ void ", at + 1)) {
      const auto begin = at + 16, end = file.text.find('(', begin);
      if (end != std::string_view::npos) names.emplace_back(file.text.substr(begin, end - begin));
    }
  return names;
}

std::filesystem::path own_kernel_source(const std::string& name) {
  for (const auto& file : embedded::own_gpu_kernels())
    if (file.text.find("__global__ void " + name + "(") != std::string_view::npos)
      return source_in_store(std::string(file.name), file.text);
  throw Error(ErrorCode::usage, fmt::format("'{}' is neither a file nor one of Sparsecast's own kernels", name), {},
              fmt::format("own kernels: {}", fmt::join(own_kernels(), ", ")));
}

std::vector<OwnLaunch> own_launches(const Matrix& matrix, const Structure& structure, std::string_view kernel,
                                    Precision precision, const KernelTimes& times) {
  TakingRuntime runtime(times);
  refuse_if_host_is_too_small(structure, kernel, precision, times);
  const auto product = hardware::make_gpu_product(runtime, matrix, structure, kernel, precision, 1, {});
  (void)product->run(1);
  std::vector<OwnLaunch> launches;
  for (const auto& taken : runtime.taken) {
    launches.push_back(written(taken));
    launches.back().launch.longest_block = block_of_longest_row(matrix, formats::kernel_or_plain(kernel), taken);
  }
  return launches;
}

std::optional<LaunchEstimate> estimate_from_code(const Structure& structure, const std::string& kernel,
                                                 Precision precision, const KernelTimes& times) {
  if (!hardware::is_described(times.name)) return std::nullopt;
  DeviceProperties board = describe_device(times.name);
  if (times.clock_is_known) board.clock_hz = times.clock_hz;
  const auto told = forecast::forecast_from_code(structure, kernel, board, precision);
  if (!told) return std::nullopt;
  return LaunchEstimate{.model = "overlapped",
                        .seconds = told->seconds,
                        .low_s = told->low_s,
                        .high_s = told->high_s,
                        .cycles = told->seconds * board.clock_hz,
                        .bound_by = std::string(to_string(*told->bound_by))};
}

KernelReport report_from_code(const LaunchEstimate& estimate, const std::string& kernel, const KernelTimes& times) {
  KernelReport report;
  report.kernel = kernel;
  report.device = times.name;
  report.estimates = {estimate};
  report.notes.emplace_back("no compiler was run: the time comes from the catalogue of our kernels' machine code");
  return report;
}

KernelReport analyze_own(const std::vector<OwnLaunch>& launches, std::string_view kernel, const KernelTimes& times,
                         const AnalysisOptions& options) {
  std::optional<KernelReport> longest;
  std::map<std::string, LaunchEstimate> sums;
  std::vector<std::string> parts;
  for (const auto& own : launches) {
    auto report = analyze_code(load_code(own.source, own.kernel, own.defines, times, true), own.launch, times, options);
    for (const auto& e : report.estimates) {
      auto& sum = sums[e.model];
      for (auto part :
           {&LaunchEstimate::seconds, &LaunchEstimate::cycles, &LaunchEstimate::low_s, &LaunchEstimate::high_s})
        if (e.*part) sum.*part = (sum.*part).value_or(0) + *(e.*part);
    }
    const double seconds = report.estimates.empty() ? 0 : report.estimates.back().seconds.value();
    parts.push_back(fmt::format("{} {:.3g} s", own.kernel, seconds));
    if (!longest || seconds > longest->estimates.back().seconds.value()) longest = std::move(report);
  }
  if (!longest)
    throw Error(ErrorCode::bad_input, fmt::format("{} has nothing to launch for this matrix", kernel), {},
                "check that it has rows");
  for (auto& e : longest->estimates) {
    const auto& sum = sums[e.model];
    e.seconds = sum.seconds;
    for (auto part : {&LaunchEstimate::cycles, &LaunchEstimate::low_s, &LaunchEstimate::high_s}) e.*part = sum.*part;
  }
  if (launches.size() > 1)
    longest->notes.push_back(
        fmt::format("the time is the sum of {} launches: {}", launches.size(), fmt::join(parts, ", ")));
  return std::move(*longest);
}
}  // namespace sparsecast::gpu_code
