#pragma once
// The static times of a kernel's instructions: which pipe each takes, how long its result takes, and what it waits for.
// Machine code carries the compiler's own schedule (stall counts and scoreboards); PTX has registers only.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu_code/ptx/ptx_machine.hpp"
#include "gpu_code/sass/sass_machine.hpp"
#include "gpu_code/times/kernel_times.hpp"

namespace sparsecast::gpu_code {
struct TimedInstruction {
  Pipe pipe = Pipe::none;
  bool free = false;       ///< takes no issue slot: folded into others by the compiler
  std::uint8_t stall = 1;  ///< machine code: cycles until the warp's next instruction
  std::uint8_t wait = 0;   ///< machine code: scoreboards that must be clear
  std::uint8_t write_barrier = 7, read_barrier = 7;
  std::array<std::uint8_t, 2> bank_reads{};  ///< machine code, arithmetic: sources read from each register bank
  float cycles = 1;                          ///< for which it keeps its pipe
  float latency = 4;                         ///< until its result is there; memory instructions: from the cache's side
  std::vector<std::int32_t> reads, writes;   ///< PTX: registers
};

struct TimedCode {
  std::vector<TimedInstruction> instructions;
  bool scoreboards = false;   ///< machine code
  std::size_t registers = 0;  ///< PTX
};

[[nodiscard]] TimedCode timed_sass(const SassCode& code, const KernelTimes& times);
[[nodiscard]] TimedCode timed_ptx(const PtxCode& code, const KernelTimes& times);
}  // namespace sparsecast::gpu_code
