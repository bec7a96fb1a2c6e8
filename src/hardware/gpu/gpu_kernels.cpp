#include "hardware/gpu/gpu_kernels.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <sparsecast/error.hpp>

#include "base/clock.hpp"
#include "base/embedded.hpp"
#include "hardware/gpu/gpu_runtime.hpp"

namespace sparsecast::hardware {
namespace {
std::string_view text(std::string_view name) {
  const auto files = embedded::gpu_kernels();
  const auto found = std::ranges::find(files, name, &embedded::File::name);
  if (found == files.end()) throw Error(ErrorCode::failed, fmt::format("no kernel text \"{}\" was built in", name));
  return found->text;
}

struct NvidiaRow {
  int capability;  // 10 × major + minor
  int threads;
};
// CUDA C++ Programming Guide, technical specifications per compute capability: resident threads per multiprocessor.
constexpr NvidiaRow nvidia[] = {
#include "hardware/gpu/cuda/resident_threads.def"
};

struct AmdRow {
  std::string_view chip;  // prefix of the name
  int wavefronts;
};
// AMD's instruction-set and tuning guides: wavefront slots per SIMD unit × SIMD units per compute unit.
constexpr AmdRow amd[] = {
#include "hardware/gpu/opencl/resident_wavefronts.def"
};
}  // namespace

std::span<const GpuFunction> gpu_functions() {
  static const std::vector<GpuFunction> functions{
#include "hardware/gpu/gpu_functions.def"
  };
  return functions;
}

const GpuFunction& gpu_function(std::string_view name) {
  const auto functions = gpu_functions();
  const auto found = std::ranges::find(functions, name, &GpuFunction::name);
  if (found == functions.end()) throw Error(ErrorCode::failed, fmt::format("no GPU function \"{}\"", name));
  return *found;
}

std::string cuda_symbol(const GpuFunction& function, Precision precision, int offset_bits) {
  const Precision built = function.reads_values ? precision : Precision::single_;
  std::string name = fmt::format("{}_f{}", function.name, 8 * value_bytes(built));
  if (function.reads_offsets) name += fmt::format("_o{}", offset_bits);
  return name;
}

GpuSource gpu_source(const GpuFunction& function, std::string_view header, Precision precision, int offset_bits,
                     int warp_size) {
  GpuSource source{std::string(text(header)), {}};
  for (const std::string_view name : function.texts) source.text += fmt::format("\n{}", text(name));
  source.macros = {fmt::format("VALUE={}", precision == Precision::single_ ? "float" : "double"),
                   fmt::format("OFFSET={}", function.reads_offsets && offset_bits == 64 ? "long" : "int"),
                   fmt::format("GROUP={}", gpu_group_size), fmt::format("WARP={}", warp_size)};
  source.macros.insert(source.macros.end(), function.macros.begin(), function.macros.end());
  if (!function.lanes_name.empty()) {
    source.macros.push_back(fmt::format("CSR_LANES={}", function.lanes_name));
    source.macros.push_back(fmt::format("LANES={}", warp_size / function.lanes_divisor));
  }
  return source;
}

GpuKernel& GpuRuntime::kernel(std::string_view function, Precision precision, int offset_bits) {
  const GpuFunction& described = gpu_function(function);
  std::unique_ptr<GpuKernel>& known = kernels_[cuda_symbol(described, precision, offset_bits)];
  if (known == nullptr) {
    const double begun = base::now_s();
    known = make_kernel(described, precision, offset_bits);
    loading_s_ += base::now_s() - begun;
  }
  return *known;
}

std::int64_t GpuRuntime::groups_of(std::int64_t numbers) const {
  const DeviceProperties& device = properties();
  const std::int64_t resident = std::int64_t{std::max(1, device.compute_units)} *
                                std::max<std::int64_t>(1, device.threads_per_unit / gpu_group_size);
  return std::clamp<std::int64_t>((numbers + gpu_group_size - 1) / gpu_group_size, 1,
                                  std::min(resident, most_groups()));
}

int nvidia_threads_per_unit(int major, int minor) {
  int threads = nvidia[0].threads;
  for (const NvidiaRow& row : nvidia)
    if (row.capability <= 10 * major + minor) threads = row.threads;
  return threads;
}

int amd_wavefronts_per_unit(std::string_view chip) {
  return std::ranges::find_if(amd, [&](const AmdRow& row) { return chip.starts_with(row.chip); })->wavefronts;
}
}  // namespace sparsecast::hardware
