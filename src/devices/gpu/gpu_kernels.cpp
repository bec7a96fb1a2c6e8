#include "devices/gpu/gpu_kernels.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <sparsecast/error.hpp>

#include "base/embedded.hpp"
#include "devices/gpu/gpu_runtime.hpp"

namespace sparsecast::hardware {
namespace {
const std::vector<GpuFunction>& table() {
  static const std::vector<GpuFunction> functions{
      // name, texts, reads row pointers, csr_lanes.cl: name and divisor, reads values
      {"csr_scalar", {"csr_scalar.cl"}, true, "", 1},
      {"csr_vector", {"csr_lanes.cl"}, true, "csr_vector", 1},
      {"csr_half", {"csr_lanes.cl"}, true, "csr_half", 2},
      {"csr_merge", {"carry.cl", "csr_merge.cl"}, true, "", 1},
      {"coo", {"carry.cl", "coo.cl"}, false, "", 1},
      {"add_carries", {"carry.cl", "add_carries.cl"}, false, "", 1},
      {"set_zero", {"set_zero.cl"}, false, "", 1},
      {"ell", {"ell.cl"}, false, "", 1},
      {"jad", {"jad.cl"}, false, "", 1},
      {"sell", {"sell.cl"}, false, "", 1},
      {"read_all", {"curves.cl"}, false, "", 1, false},
      {"copy_all", {"curves.cl"}, false, "", 1, false},
      {"gather_all", {"curves.cl"}, false, "", 1, false},
      {"chase", {"curves.cl"}, false, "", 1, false},
      {"chain_add", {"chains.h", "value_chains.cl"}, false, "", 1},
      {"chain_multiply", {"chains.h", "value_chains.cl"}, false, "", 1},
      {"chain_fma", {"chains.h", "value_chains.cl"}, false, "", 1},
      {"chain_integer", {"chains.h", "chains.cl"}, false, "", 1, false},
      {"chain_integer_mad", {"chains.h", "chains.cl"}, false, "", 1, false},
      {"chain_root", {"chains.h", "chains.cl"}, false, "", 1, false},
      {"chain_exponential", {"chains.h", "chains.cl"}, false, "", 1, false},
      {"chain_conversion", {"chains.h", "chains.cl"}, false, "", 1, false},
      {"chain_half", {"chains.h", "chains.cl"}, false, "", 1, false},
      {"chain_shuffle", {"chains.h", "chains.cl"}, false, "", 1, false},
      {"chain_shared", {"chains.h", "chains.cl"}, false, "", 1, false},
      {"chain_barrier", {"chains.h", "chains.cl"}, false, "", 1, false},
      {"link_ring", {"chains.h", "chains.cl"}, false, "", 1, false},
      {"chase_near", {"chains.h", "chains.cl"}, false, "", 1, false},
      {"chase_far", {"chains.h", "chains.cl"}, false, "", 1, false},
  };
  return functions;
}

std::string_view text(std::string_view name) {
  const auto files = embedded::gpu_kernels();
  const auto found = std::ranges::find(files, name, &embedded::File::name);
  if (found == files.end()) throw Error(ErrorCode::failed, fmt::format("no kernel text \"{}\" was built in", name));
  return found->text;
}
}  // namespace

std::span<const GpuFunction> gpu_functions() { return table(); }

const GpuFunction& gpu_function(std::string_view name) {
  const auto found = std::ranges::find(table(), name, &GpuFunction::name);
  if (found == table().end()) throw Error(ErrorCode::failed, fmt::format("no GPU function \"{}\"", name));
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
