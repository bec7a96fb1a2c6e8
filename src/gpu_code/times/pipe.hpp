#pragma once
// The parts of a multiprocessor that an instruction takes: pipes of a partition, and what stands beside them.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sparsecast::gpu_code {

enum class Pipe : std::uint8_t {
  none,
  fma,
  fma_heavy,
  alu,
  half,
  xu,
  double_,
  uniform,
  tensor,
  branch,
  lsu,
  constant,
  special,
  barrier,
  exit
};
[[nodiscard]] std::string_view to_string(Pipe pipe) noexcept;
inline constexpr std::size_t pipe_count = 15;

}  // namespace sparsecast::gpu_code
