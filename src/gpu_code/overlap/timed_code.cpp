#include "gpu_code/overlap/timed_code.hpp"

#include <algorithm>
#include <optional>

#include "gpu_code/ptx/ptx_operations.hpp"

namespace sparsecast::gpu_code {
namespace {
void put_times(TimedInstruction& t, const KernelTimes& times) {
  const auto& p = times.pipe;
  const auto& l = times.latency;
#define GPU_PIPE(pipe, name, operation, cycles, latency) {cycles, latency},
  const double known[][2] = {
#include "gpu_code/times/pipes.def"
  };
  const auto& [cycles, latency] = known[static_cast<std::size_t>(t.pipe)];
  t.cycles = static_cast<float>(cycles);
  t.latency = static_cast<float>(latency);
}

/// Pipe of a PTX instruction, and whether the compiler folds it into others.
Pipe pipe_of_ptx(const PtxInstruction& in, bool& free) {
  const bool floating = in.type.kind == PtxType::Kind::floating;
  const bool wide_double = floating && in.type.bytes == 8;
  const auto arithmetic = [&](Pipe of_integers) {
    if (!floating) return of_integers;
    if (wide_double) return Pipe::double_;
    return in.type.bytes == 2 || in.type.lanes == 2 ? Pipe::half : Pipe::fma;
  };
  free = false;
  switch (ptx_operation(in.op).cost) {
    case PtxCost::nothing: return Pipe::none;
    case PtxCost::move:
      free = true;
      return in.operands.size() > 1 && in.operands[1].kind == PtxOperand::Kind::special ? Pipe::special : Pipe::none;
    case PtxCost::fold: free = true; return Pipe::none;
    case PtxCost::memory:
      if (in.space == PtxSpace::param) free = true;
      if (in.space == PtxSpace::constant)
        free = in.operands.size() > 1 && in.operands[1].kind == PtxOperand::Kind::symbol;
      if (free) return Pipe::none;
      return in.space == PtxSpace::constant ? Pipe::constant : Pipe::lsu;
    case PtxCost::exchange: return Pipe::lsu;
    case PtxCost::add: return arithmetic(Pipe::alu);
    case PtxCost::multiply: return arithmetic(Pipe::fma_heavy);
    case PtxCost::function: return wide_double ? Pipe::double_ : Pipe::xu;
    case PtxCost::convert:
      // Integer widenings fold into the next operation or take one cheap one.
      free = !floating && in.source_type.kind != PtxType::Kind::floating;
      return free ? Pipe::alu : Pipe::xu;
    case PtxCost::branch: return Pipe::branch;
    case PtxCost::barrier: return Pipe::barrier;
    case PtxCost::exit: return Pipe::exit;
    case PtxCost::tensor: return Pipe::tensor;
    case PtxCost::integer: break;
  }
  return Pipe::alu;
}

void put_shuffle_times(TimedInstruction& t, const KernelTimes& times) {
  if (times.latency.shuffle > 0) t.latency = static_cast<float>(times.latency.shuffle);
}

/// What the last instructions left in the small cache in front of the register banks: a register for each bank and
/// operand that was marked for reuse. Huerta et al., MICRO 2025 (arXiv 2503.20481).
class ReuseCache {
 public:
  [[nodiscard]] std::array<std::uint8_t, 2> reads(const SassWord& word) {
    std::array<std::uint8_t, 2> count{};
    for (std::size_t slot = 0; slot < slots; ++slot) {
      const auto source = register_source(word, static_cast<int>(slot));
      if (!source) continue;
      auto& held = held_[*source % 2][slot];
      bool twice = false;  // a register that stands in two places is read once
      for (std::size_t other = 0; other < slot; ++other)
        twice |= register_source(word, static_cast<int>(other)) == source;
      if (held != *source && !twice) ++count[*source % 2];
      held = word.reuses(static_cast<int>(slot)) ? *source : nothing;
    }
    return count;
  }

 private:
  static constexpr std::size_t slots = 3;
  static constexpr std::uint32_t nothing = 255;  // RZ is never read from a bank
  std::array<std::array<std::uint32_t, slots>, 2> held_{{{nothing, nothing, nothing}, {nothing, nothing, nothing}}};
};
}  // namespace

TimedCode timed_sass(const SassCode& code, const KernelTimes& times) {
  TimedCode timed;
  timed.scoreboards = true;
  ReuseCache reuse;
  for (const auto& word : code.words()) {
    TimedInstruction t;
    const auto& operation = sass_operation(word);
    t.pipe = operation.pipe;
    put_times(t, times);
    if (operation.effect == SassEffect::exchange) put_shuffle_times(t, times);
    t.stall = static_cast<std::uint8_t>(std::max<std::uint32_t>(word.stall(), 1));
    t.wait = static_cast<std::uint8_t>(word.wait_mask());
    t.write_barrier = static_cast<std::uint8_t>(word.write_barrier());
    t.read_barrier = static_cast<std::uint8_t>(word.read_barrier());
    const bool arithmetic =
        t.pipe == Pipe::fma || t.pipe == Pipe::fma_heavy || t.pipe == Pipe::alu || t.pipe == Pipe::half;
    if (times.pipe.register_read > 0 && arithmetic) t.bank_reads = reuse.reads(word);
    timed.instructions.push_back(t);
  }
  return timed;
}

TimedCode timed_ptx(const PtxCode& code, const KernelTimes& times) {
  TimedCode timed;
  timed.registers = code.register_count();
  for (std::int32_t pc = 0; pc < code.size(); ++pc) {
    const auto& in = code.kernel().body[static_cast<std::size_t>(pc)];
    TimedInstruction t;
    t.pipe = pipe_of_ptx(in, t.free);
    put_times(t, times);
    if (ptx_operation(in.op).cost == PtxCost::exchange) put_shuffle_times(t, times);
    if (t.free) t.latency = t.pipe == Pipe::special ? static_cast<float>(times.latency.special) : 0;
    code.registers_of(pc, t.writes, t.reads);
    timed.instructions.push_back(std::move(t));
  }
  return timed;
}
}  // namespace sparsecast::gpu_code
