#include "devices/gpu/gpu_kernels.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <sparsecast/error.hpp>

#include "base/clock.hpp"
#include "base/embedded.hpp"
#include "devices/gpu/gpu_runtime.hpp"

namespace sparsecast::hardware {
namespace {
constexpr std::string_view chains[] = {"chain_integer",    "chain_integer_mad", "chain_root",    "chain_exponential",
                                       "chain_conversion", "chain_half",        "chain_shuffle", "chain_shared",
                                       "chain_barrier",    "link_ring",         "chase_near",    "chase_far"};

}  // namespace

std::span<const GpuFunction> gpu_functions() {
  static const std::vector<GpuFunction> functions = [] {
    std::vector<GpuFunction> all{
        {.name = "csr_scalar", .texts = {"csr_scalar.cl"}, .reads_offsets = true},
        {.name = "csr_vector", .texts = {"csr_lanes.cl"}, .reads_offsets = true, .lanes_name = "csr_vector"},
        {.name = "csr_half",
         .texts = {"csr_lanes.cl"},
         .reads_offsets = true,
         .lanes_name = "csr_half",
         .lanes_divisor = 2},
        {.name = "csr_merge", .texts = {"carry.cl", "csr_merge.cl"}, .reads_offsets = true},
        {.name = "coo", .texts = {"carry.cl", "coo.cl"}},
        {.name = "add_carries", .texts = {"carry.cl", "add_carries.cl"}},
        {.name = "set_zero", .texts = {"set_zero.cl"}},
        {.name = "ell", .texts = {"ell.cl"}},
        {.name = "jad", .texts = {"jad.cl"}},
        {.name = "sell", .texts = {"sell.cl"}},
    };
    for (const std::string_view curve : {"read_all", "copy_all", "gather_all", "chase"})
      all.push_back({.name = curve, .texts = {"curves.cl"}, .reads_values = false});
    for (const std::string_view chain : {"chain_add", "chain_multiply", "chain_fma"})
      all.push_back({.name = chain, .texts = {"chains.h", "value_chains.cl"}});
    for (const std::string_view chain : chains)
      all.push_back({.name = chain, .texts = {"chains.h", "chains.cl"}, .reads_values = false});
    return all;
  }();
  return functions;
}

namespace {
std::string_view text(std::string_view name) {
  const auto files = embedded::gpu_kernels();
  const auto found = std::ranges::find(files, name, &embedded::File::name);
  if (found == files.end()) throw Error(ErrorCode::failed, fmt::format("no kernel text \"{}\" was built in", name));
  return found->text;
}
}  // namespace

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

namespace {
struct NvidiaRow {
  int capability;  // 10 × major + minor
  int threads;
};
// CUDA C++ Programming Guide, technical specifications per compute capability: resident threads per multiprocessor.
constexpr std::array<NvidiaRow, 13> nvidia{{{10, 768},
                                            {12, 1024},
                                            {20, 1536},
                                            {30, 2048},
                                            {75, 1024},
                                            {80, 2048},
                                            {86, 1536},
                                            {90, 2048},
                                            {100, 2048},
                                            {103, 2048},
                                            {110, 1536},
                                            {120, 1536},
                                            {121, 1536}}};

struct AmdRow {
  std::string_view chip;  // prefix of the name
  int wavefronts;
};
// AMD's instruction-set and tuning guides: wavefront slots per SIMD unit × SIMD units per compute unit.
constexpr std::array<AmdRow, 6> amd{{{"gfx90a", 32},  // CDNA 2: 8 × 4
                                     {"gfx94", 32},   // CDNA 3: 8 × 4
                                     {"gfx95", 32},   // CDNA 4: 8 × 4
                                     {"gfx101", 40},  // RDNA 1: 20 × 2
                                     {"gfx1", 32},    // RDNA 2 and later: 16 × 2
                                     {"gfx", 40}}};   // GCN and CDNA 1: 10 × 4
}  // namespace

int nvidia_threads_per_unit(int major, int minor) {
  int threads = nvidia.front().threads;
  for (const NvidiaRow& row : nvidia)
    if (row.capability <= 10 * major + minor) threads = row.threads;
  return threads;
}

int amd_wavefronts_per_unit(std::string_view chip) {
  for (const AmdRow& row : amd)
    if (chip.starts_with(row.chip)) return row.wavefronts;
  return amd.back().wavefronts;
}
}  // namespace sparsecast::hardware
