#include "gpu_code/overlap/timed_code.hpp"

#include <algorithm>
#include <array>

#include "gpu_code/ptx/ptx_operations.hpp"

namespace sparsecast::gpu_code {
namespace {

constexpr std::uint32_t sass_shuffle = 0x189;

void put_times(TimedInstruction& t, const KernelTimes& times) {
  const auto set = [&](double cycles, double latency) {
    t.cycles = static_cast<float>(cycles);
    t.latency = static_cast<float>(latency);
  };
  const auto& p = times.pipe;
  const auto& l = times.latency;
  switch (t.pipe) {
    case Pipe::fma:
    case Pipe::fma_heavy:
      set(p.fma, l.fma);
      break;
    case Pipe::alu:
      set(p.alu, l.alu);
      break;
    case Pipe::half:
      set(p.half, l.fma + 1);
      break;
    case Pipe::xu:
      set(p.xu, l.xu + p.xu);
      break;
    case Pipe::double_:
      set(p.double_, l.double_);
      break;
    case Pipe::uniform:
      set(p.uniform, l.alu + 6);
      break;
    case Pipe::tensor:
      set(p.tensor, l.tensor);
      break;
    case Pipe::branch:
      set(p.branch, l.alu + 4);
      break;
    case Pipe::lsu:
      set(p.lsu, l.l1);
      break;
    case Pipe::constant:
      set(p.lsu, l.constant);
      break;
    case Pipe::special:
      set(p.xu, l.special);
      break;
    default:
      set(1, l.alu);
      break;
  }
}

Pipe pipe_of_sass(const SassWord& word) {
  const auto op = word.operation();
  if (op >= 0x80 && op < 0xc0) return Pipe::uniform;
  switch (op) {
    case 0x20:
    case 0x21:
    case 0x23:
      return Pipe::fma;
    case 0x24:
    case 0x25:
    case 0x26:
    case 0x27:
      return Pipe::fma_heavy;
    case 0x30:
    case 0x31:
    case 0x32:
    case 0x33:
    case 0x34:
    case 0x35:
      return Pipe::half;
    case 0x28:
    case 0x29:
    case 0x2a:
    case 0x2b:
      return Pipe::double_;
    case 0x37:
    case 0x3c:
    case 0x3d:
    case 0x3f:
      return Pipe::tensor;
    case 0x100:
    case 0x101:
    case 0x104:
    case 0x105:
    case 0x106:
    case 0x107:
    case 0x108:
    case 0x109:
    case 0x110:
    case 0x111:
    case 0x112:
    case 0x113:
      return Pipe::xu;
    case 0x118:
      return Pipe::none;
    case 0x119:
    case 0x1c3:
      return Pipe::special;
    case 0x05:
      return Pipe::alu;  // CS2R of zero: a pair of registers at once
    case 0x11d:
      return Pipe::barrier;
    case 0x14d:
      return Pipe::exit;
    case 0x182:
      return Pipe::constant;
    default:
      break;
  }
  if (op >= 0x140 && op < 0x160) return Pipe::branch;
  if (op >= 0x180 && op < 0x1c0) return Pipe::lsu;
  return Pipe::alu;
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
    case PtxCost::nothing:
      return Pipe::none;
    case PtxCost::move:
      free = true;
      return in.operands.size() > 1 && in.operands[1].kind == PtxOperand::Kind::special ? Pipe::special : Pipe::none;
    case PtxCost::fold:
      free = true;
      return Pipe::none;
    case PtxCost::memory:
      if (in.space == PtxSpace::param) free = true;
      if (in.space == PtxSpace::constant)
        free = in.operands.size() > 1 && in.operands[1].kind == PtxOperand::Kind::symbol;
      if (free) return Pipe::none;
      return in.space == PtxSpace::constant ? Pipe::constant : Pipe::lsu;
    case PtxCost::exchange:
      return Pipe::lsu;
    case PtxCost::add:
      return arithmetic(Pipe::alu);
    case PtxCost::multiply:
      return arithmetic(Pipe::fma_heavy);
    case PtxCost::function:
      return wide_double ? Pipe::double_ : Pipe::xu;
    case PtxCost::convert:
      // Integer widenings fold into the next operation or take one cheap one.
      free = !floating && in.source_type.kind != PtxType::Kind::floating;
      return free ? Pipe::alu : Pipe::xu;
    case PtxCost::branch:
      return Pipe::branch;
    case PtxCost::barrier:
      return Pipe::barrier;
    case PtxCost::exit:
      return Pipe::exit;
    case PtxCost::tensor:
      return Pipe::tensor;
    case PtxCost::integer:
      break;
  }
  return Pipe::alu;
}

void put_shuffle_times(TimedInstruction& t, const KernelTimes& times) {
  if (times.latency.shuffle > 0) t.latency = static_cast<float>(times.latency.shuffle);
}

}  // namespace

std::string_view to_string(Pipe pipe) noexcept {
  constexpr std::array<std::string_view, pipe_count> names = {"none",
                                                              "single-precision pipe",
                                                              "multiply pipe",
                                                              "integer pipe",
                                                              "half-precision pipe",
                                                              "conversion pipe",
                                                              "double-precision pipe",
                                                              "uniform pipe",
                                                              "tensor pipe",
                                                              "branch pipe",
                                                              "load/store unit",
                                                              "constant cache",
                                                              "special registers",
                                                              "barrier",
                                                              "exit"};
  return names[static_cast<std::size_t>(pipe)];
}

TimedCode timed_sass(const SassCode& code, const KernelTimes& times) {
  TimedCode timed;
  timed.scoreboards = true;
  for (const auto& word : code.words()) {
    TimedInstruction t;
    t.pipe = pipe_of_sass(word);
    put_times(t, times);
    if (word.operation() == sass_shuffle) put_shuffle_times(t, times);
    t.stall = static_cast<std::uint8_t>(std::max<std::uint32_t>(word.stall(), 1));
    t.wait = static_cast<std::uint8_t>(word.wait_mask());
    t.write_barrier = static_cast<std::uint8_t>(word.write_barrier());
    t.read_barrier = static_cast<std::uint8_t>(word.read_barrier());
    timed.instructions.push_back(t);
  }
  return timed;
}

TimedCode timed_ptx(const PtxCode& code, const KernelTimes& times) {
  TimedCode timed;
  timed.registers = code.register_count();
  std::vector<std::int32_t> writes, reads;
  const auto n = static_cast<std::size_t>(code.size());
  for (std::int32_t pc = 0; pc < code.size(); ++pc) {
    TimedInstruction t;
    t.pipe = pipe_of_ptx(code.kernel().body[static_cast<std::size_t>(pc)], t.free);
    put_times(t, times);
    if (ptx_operation(code.kernel().body[static_cast<std::size_t>(pc)].op).cost == PtxCost::exchange)
      put_shuffle_times(t, times);
    if (t.free) t.latency = t.pipe == Pipe::special ? static_cast<float>(times.latency.special) : 0;
    timed.instructions.push_back(t);
    code.registers_of(pc, writes, reads);
    timed.first_read.push_back(static_cast<std::int32_t>(timed.reads.size()));
    timed.first_write.push_back(static_cast<std::int32_t>(timed.writes.size()));
    timed.reads.insert(timed.reads.end(), reads.begin(), reads.end());
    timed.writes.insert(timed.writes.end(), writes.begin(), writes.end());
  }
  timed.first_read.push_back(static_cast<std::int32_t>(timed.reads.size()));
  timed.first_write.push_back(static_cast<std::int32_t>(timed.writes.size()));

  // Basic blocks: cut at labels and after branches, barriers and exits. Within one, instructions are placed by the time
  // at which they could start if nothing but dependences held, long loads 40 instructions early at most.
  timed.block_of.assign(n, 0);
  timed.schedule.assign(n, 0);
  std::vector<char> starts(n + 1, 0);
  for (std::int32_t pc = 0; pc < code.size(); ++pc) {
    const auto target = code.branch_target(pc);
    if (target >= 0) starts[static_cast<std::size_t>(target)] = 1;
    const auto pipe = timed.instructions[static_cast<std::size_t>(pc)].pipe;
    if (target >= 0 || pipe == Pipe::barrier || pipe == Pipe::exit) starts[static_cast<std::size_t>(pc) + 1] = 1;
  }
  std::vector<float> ready(timed.registers, 0);
  std::vector<std::int32_t> in_block(timed.registers, -1);
  std::int32_t block = 0;
  std::size_t first = 0;
  std::vector<std::pair<float, std::int32_t>> order;
  const auto close = [&](std::size_t end) {
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < order.size(); ++i)
      timed.schedule[static_cast<std::size_t>(order[i].second)] = static_cast<std::int32_t>(i);
    order.clear();
    first = end;
    ++block;
  };
  for (std::size_t pc = 0; pc < n; ++pc) {
    if (starts[pc] && pc > first) close(pc);
    timed.block_of[pc] = block;
    const auto& t = timed.instructions[pc];
    const auto position = static_cast<float>(pc - first);
    float begins = 0;
    for (auto r = timed.first_read[pc]; r < timed.first_read[pc + 1]; ++r) {
      const auto reg = static_cast<std::size_t>(timed.reads[static_cast<std::size_t>(r)]);
      if (in_block[reg] == block) begins = std::max(begins, ready[reg]);
    }
    const bool moves = t.pipe == Pipe::lsu && code.kernel().body[pc].op == PtxOp::ld;
    const float place = moves ? std::max(begins, position - 40) : std::max(begins, position);
    for (auto w = timed.first_write[pc]; w < timed.first_write[pc + 1]; ++w) {
      const auto reg = static_cast<std::size_t>(timed.writes[static_cast<std::size_t>(w)]);
      ready[reg] = place + 0.01f;
      in_block[reg] = block;
    }
    order.emplace_back(place, static_cast<std::int32_t>(pc));
  }
  close(n);
  return timed;
}

}  // namespace sparsecast::gpu_code
