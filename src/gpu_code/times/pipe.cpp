#include "gpu_code/times/pipe.hpp"

#include <array>

namespace sparsecast::gpu_code {
std::string_view to_string(Pipe pipe) noexcept {
  constexpr std::array<std::string_view, pipe_count> names = {
#define GPU_PIPE(pipe, name, operation, cycles, latency) name,
#include "gpu_code/times/pipes.def"
  };
  return names[static_cast<std::size_t>(pipe)];
}
}  // namespace sparsecast::gpu_code
