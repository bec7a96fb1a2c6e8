#include "devices/gpu/resident_threads.hpp"

#include <array>

namespace sparsecast::devices {
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

}  // namespace sparsecast::devices
