#pragma once
// The parts of a multiprocessor that an instruction takes: pipes of a partition, and what stands beside them.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sparsecast::gpu_code {
enum class Pipe : std::uint8_t {
#define GPU_PIPE(pipe, name, operation, cycles, latency) pipe,
#include "gpu_code/times/pipes.def"
};
[[nodiscard]] std::string_view to_string(Pipe pipe) noexcept;
inline constexpr std::size_t pipe_count = 15;
}  // namespace sparsecast::gpu_code
