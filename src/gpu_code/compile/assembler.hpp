#pragma once
// ptxas: PTX to machine code, with the registers, shared memory and spills of a kernel. Results are kept as the
// compilers' are.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "gpu_code/times/occupancy.hpp"

namespace sparsecast::gpu_code {
/// Compute capabilities that today's toolkits compile for; older ones are compiled as the oldest.
[[nodiscard]] constexpr int compiled_architecture(int architecture) { return std::max(architecture, 75); }

struct Assembled {
  bool available = false;  ///< false where there is no ptxas, or it refuses
  std::vector<std::uint8_t> cubin;
  std::string log;  ///< what ptxas --verbose said
  int architecture = 0;
};
/// ptxas on PTX text, cached alike. `most_registers` 0: as many as it likes.
[[nodiscard]] Assembled assemble(const std::string& ptx, int architecture, int most_registers = 0);
/// Registers, shared memory and spills of one kernel out of the log.
[[nodiscard]] bool parse_ptxas_log(const std::string& log, const std::string& kernel, KernelResources& resources);
}  // namespace sparsecast::gpu_code
