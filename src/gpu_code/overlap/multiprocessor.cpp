#include "gpu_code/overlap/multiprocessor.hpp"

#include <algorithm>
#include <limits>

#include "base/interrupt.hpp"
#include "gpu_code/overlap/instruction_fetch.hpp"
#include "gpu_code/overlap/memory_path.hpp"

namespace sparsecast::gpu_code {
namespace {
constexpr double never = std::numeric_limits<double>::infinity();

/// How often every step of the traces ran: steps of a window stand for those that were left out after it, too.
std::vector<std::vector<float>> step_weights(const BlockTrace& trace) {
  std::vector<std::vector<float>> weights;
  for (const auto& steps : trace.warps) {
    std::vector<float> weight(steps.size(), 1);
    std::vector<std::pair<std::int32_t, std::size_t>> windows;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].instruction == TraceStep::window_mark) {
        std::erase_if(windows, [&](const auto& w) { return w.first == steps[i].detail; });
        windows.emplace_back(steps[i].detail, i);
      } else if (steps[i].instruction == TraceStep::skip_mark) {
        const auto& skip = trace.skips[static_cast<std::size_t>(steps[i].detail)];
        if (skip.window_instructions <= 0) continue;
        const float factor = 1 + static_cast<float>(static_cast<double>(skip.instructions) /
                                                    static_cast<double>(skip.window_instructions));
        for (const auto& [loop, begin] : windows)
          if (loop == skip.loop)
            for (std::size_t k = begin; k < i; ++k) weight[k] *= factor;
      }
    }
    weights.push_back(std::move(weight));
  }
  return weights;
}

struct Warp {
  const std::vector<TraceStep>* steps = nullptr;
  std::size_t at = 0;
  double ready = 0;  ///< the warp's own order
  double next = 0;   ///< earliest issue of the current step, pipes apart
  std::array<double, 8> scoreboard{};
  std::vector<float> registers;  ///< PTX: when each register's value is there, relative to epoch
  double extra = 0;              ///< time of what the trace leaves out
  std::int64_t position = 0;     ///< of its block in the multiprocessor's queue
  int slot = 0, partition = 0;
  std::size_t line = ~std::size_t{1};  ///< of code
  double line_entered = 0, line_arrives = 0;
  bool waits_at_barrier = false, done = true;
  struct Window {
    std::int32_t loop;
    double time;
  };
  std::vector<Window> windows;
};

class Multiprocessor {
 public:
  Multiprocessor(const TimedCode& code, const BlockTrace& trace, const KernelTimes& times,
                 const MultiprocessorLoad& load, const BlockShift& shift)
      : code_(code),
        trace_(trace),
        times_(times),
        load_(load),
        memory_(trace, times, load, shift),
        fetch_(code.instructions.size(), times.code_caches),
        waits_for_code_(code.scoreboards && fetch_.limits()),
        weights_(step_weights(trace)),
        warps_per_block_(trace.warps.size()) {}

  MultiprocessorRun run() {
    std::int64_t per_block = 0;
    for (const auto& w : trace_.warps) per_block += static_cast<std::int64_t>(w.size());
    per_block = std::max<std::int64_t>(per_block, 1);
    const auto resident = std::min<std::int64_t>(load_.resident, load_.blocks);
    // As many whole waves as the budget allows, two at least where there are two, and the last, partial one.
    const std::int64_t waves = (load_.blocks + resident - 1) / resident;
    const std::int64_t last = load_.blocks - (waves - 1) * resident;
    const std::int64_t affordable = std::clamp<std::int64_t>(load_.most_instructions / (per_block * resident), 2, 6);
    const std::int64_t simulated_waves = std::min(waves, affordable + 1);
    const std::int64_t simulated = (simulated_waves - 1) * resident + last;
    slots_.resize(static_cast<std::size_t>(resident));
    warps_.resize(static_cast<std::size_t>(resident) * warps_per_block_);
    const auto partitions = static_cast<std::size_t>(times_.partitions);
    partitions_.resize(partitions);
    for (std::size_t w = 0; w < warps_.size(); ++w) {
      warps_[w].slot = static_cast<int>(w / warps_per_block_);
      warps_[w].partition = static_cast<int>(w % partitions);
      partitions_[w % partitions].warps.push_back(static_cast<int>(w));
      if (!code_.scoreboards) warps_[w].registers.assign(code_.registers, 0);
    }
    remaining_ = simulated;
    for (std::size_t s = 0; s < slots_.size(); ++s) start_block(s, 10.0 * static_cast<double>(s));
    for (auto& p : partitions_) choose(p);

    std::int64_t steps = 0;
    while (true) {
      auto& p = *std::ranges::min_element(partitions_, {}, &Partition::next_issue);
      if (p.next_issue == never) break;
      if ((++steps & 0xFFFF) == 0) base::throw_if_interrupted();
      issue(p, p.next_warp, p.next_issue);
      if (rechoose_all_) {
        rechoose_all_ = false;
        for (auto& q : partitions_) choose(q);
      } else {
        choose(p);
      }
    }
    return result(simulated, simulated_waves, waves, resident);
  }

 private:
  struct Slot {
    std::int64_t position = 0;
    std::size_t waiting = 0, finished = 0;
    double latest = 0;
    double extra = 0;
    double started = 0;
  };

  struct Partition {
    std::vector<int> warps;
    double slot_free = 0, second_fma = 0, issued = 0;
    std::array<double, pipe_count> pipe_free{}, busy{};
    std::array<double, 2> bank_free{}, bank_busy{};  ///< register banks
    double next_issue = never;
    int next_warp = -1;
  };

  void start_block(std::size_t s, double time) {
    Slot& slot = slots_[s];
    if (remaining_ == 0) return;
    --remaining_;
    slot = {};
    slot.position = started_++;
    slot.started = time;
    for (std::size_t w = 0; w < warps_per_block_; ++w) {
      Warp& warp = warps_[s * warps_per_block_ + w];
      warp.steps = &trace_.warps[w];
      warp.at = 0;
      warp.ready = time;
      warp.scoreboard.fill(time);
      warp.extra = 0;
      warp.position = slot.position;
      warp.waits_at_barrier = false;
      warp.done = false;
      warp.windows.clear();
      std::fill(warp.registers.begin(), warp.registers.end(), 0.0f);
      advance(s * warps_per_block_ + w);
    }
  }

  /// Passes marks and finds the earliest time of the warp's next instruction; ends the warp at the end of its trace.
  void advance(std::size_t w) {
    Warp& warp = warps_[w];
    while (warp.at < warp.steps->size() && (*warp.steps)[warp.at].instruction < 0) {
      const auto& mark = (*warp.steps)[warp.at];
      const double now = warp.ready + warp.extra;
      if (mark.instruction == TraceStep::window_mark) {
        std::erase_if(warp.windows, [&](const auto& x) { return x.loop == mark.detail; });
        warp.windows.push_back({mark.detail, now});
      } else {
        const auto& skip = trace_.skips[static_cast<std::size_t>(mark.detail)];
        for (const auto& window : warp.windows)
          if (window.loop == skip.loop && skip.window_instructions > 0) {
            const double more = (now - window.time) * static_cast<double>(skip.instructions) /
                                static_cast<double>(skip.window_instructions);
            warp.extra += more;
            total_extra_ += more;
            break;
          }
      }
      ++warp.at;
    }
    if (warp.at >= warp.steps->size()) return finish(w);
    const auto pc = static_cast<std::size_t>((*warp.steps)[warp.at].instruction);
    const auto& in = code_.instructions[pc];
    double next = warp.ready;
    if (code_.scoreboards) {
      for (unsigned mask = in.wait; mask != 0; mask &= mask - 1)
        next = std::max(next, warp.scoreboard[static_cast<std::size_t>(std::countr_zero(mask))]);
    } else {
      for (const auto r : in.reads)
        next = std::max(next, static_cast<double>(warp.registers[static_cast<std::size_t>(r)]));
    }
    warp.next = waits_for_code_ ? std::max(next, code_arrives(warp, pc)) : next;
  }

  /// When the warp's next instruction has been fetched. The line after the one that it runs is asked for ahead.
  double code_arrives(Warp& warp, std::size_t pc) {
    const auto line = pc / InstructionFetch::line_instructions;
    if (line == warp.line) return warp.line_arrives;
    warp.line_arrives = fetch_.arrives(line, line == warp.line + 1 ? warp.line_entered : warp.ready);
    warp.line = line;
    warp.line_entered = std::max(warp.ready, warp.line_arrives);
    return warp.line_arrives;
  }

  void finish(std::size_t w) {
    Warp& warp = warps_[w];
    warp.done = true;
    Slot& slot = slots_[static_cast<std::size_t>(warp.slot)];
    slot.latest = std::max(slot.latest, warp.ready);
    slot.extra += warp.extra;
    if (++slot.finished == warps_per_block_) {
      completions_.push_back(slot.latest);
      constexpr double block_start = 30;  // scheduling and setting up a block's registers
      start_block(static_cast<std::size_t>(warp.slot), slot.latest + block_start);
      rechoose_all_ = true;
    } else if (slot.waiting > 0 && slot.waiting + slot.finished == warps_per_block_) {
      release(static_cast<std::size_t>(warp.slot), warp.ready);
    }
  }

  void release(std::size_t s, double time) {
    slots_[s].waiting = 0;
    for (std::size_t w = s * warps_per_block_; w < (s + 1) * warps_per_block_; ++w) {
      Warp& warp = warps_[w];
      if (!warp.waits_at_barrier) continue;
      warp.waits_at_barrier = false;
      warp.ready = std::max(warp.ready, time + times_.latency.barrier);
      ++warp.at;
      advance(w);
    }
    rechoose_all_ = true;
  }

  void choose(Partition& p) {
    double best = never, waiting_since = never;
    int chosen = -1;
    for (const int w : p.warps) {
      const Warp& warp = warps_[static_cast<std::size_t>(w)];
      if (warp.done || warp.waits_at_barrier) continue;
      const auto& in = code_.instructions[static_cast<std::size_t>((*warp.steps)[warp.at].instruction)];
      double time = warp.next;
      if (!in.free) {
        time = std::max(time, p.slot_free);
        if (in.pipe == Pipe::fma && times_.pipe.fma_pipes > 1)
          time = std::max(time, std::min(p.pipe_free[static_cast<std::size_t>(Pipe::fma)], p.second_fma));
        else
          time =
              std::max(time, p.pipe_free[static_cast<std::size_t>(in.pipe == Pipe::fma_heavy ? Pipe::fma : in.pipe)] -
                                 queued_cycles(in));
        time = std::max(time, sources_ready(p, in));
      }
      // Among warps that could issue at once the one that has waited longest: fair, so that all warps are in the kept
      // window of a loop at the same time and its rate is that of the steady state.
      if (time < best || (time == best && warp.next < waiting_since)) {
        best = time;
        waiting_since = warp.next;
        chosen = w;
      }
    }
    p.next_issue = best;
    p.next_warp = chosen;
  }

  /// Accesses to memory wait in a queue of their partition's.
  [[nodiscard]] double queued_cycles(const TimedInstruction& in) const {
    return in.pipe == Pipe::lsu ? times_.pipe.lsu_queue * in.cycles : 0.0;
  }

  /// The earliest time at which the register banks give an instruction's sources within the three cycles that it has
  /// for reading them.
  [[nodiscard]] double sources_ready(const Partition& p, const TimedInstruction& in) const {
    constexpr double window = 3;
    double time = 0;
    for (std::size_t bank = 0; bank < 2; ++bank)
      if (in.bank_reads[bank] > 0)
        time = std::max(time, p.bank_free[bank] + in.bank_reads[bank] * times_.pipe.register_read - window);
    return time;
  }

  void issue(Partition& p, int w, double time) {
    Warp& warp = warps_[static_cast<std::size_t>(w)];
    const auto& step = (*warp.steps)[warp.at];
    const auto pc = static_cast<std::size_t>(step.instruction);
    const auto& in = code_.instructions[pc];
    const double weight = static_cast<double>(weights_[static_cast<std::size_t>(w) % warps_per_block_][warp.at]);
    double done = time + in.latency, begins = time;
    if (!in.free) {
      for (std::size_t bank = 0; bank < 2; ++bank)
        if (in.bank_reads[bank] > 0) {
          const double cycles = in.bank_reads[bank] * times_.pipe.register_read;
          p.bank_free[bank] = std::max(p.bank_free[bank], time) + cycles;
          p.bank_busy[bank] += cycles * weight;
        }
      p.slot_free = time + 1;
      p.issued += weight;
      const auto pipe = static_cast<std::size_t>(in.pipe == Pipe::fma_heavy ? Pipe::fma : in.pipe);
      p.busy[static_cast<std::size_t>(in.pipe)] += in.cycles * weight;
      if (in.pipe == Pipe::fma && times_.pipe.fma_pipes > 1 && p.second_fma <= p.pipe_free[pipe]) {
        p.second_fma = time + in.cycles;
      } else {
        begins = std::max(time, p.pipe_free[pipe]);
        p.pipe_free[pipe] = begins + in.cycles;
      }
    }
    double operands_read = time + 2;
    // Without a record: switched off, or a shuffle.
    if ((in.pipe == Pipe::lsu || in.pipe == Pipe::constant) && step.detail >= 0) {
      const auto& record = trace_.accesses[static_cast<std::size_t>(step.detail)];
      const auto times = memory_.access(record, warp.position, begins, weight);
      done = times.done;
      operands_read = times.operands_read;
    }
    if (in.pipe == Pipe::barrier) {
      Slot& slot = slots_[static_cast<std::size_t>(warp.slot)];
      warp.ready = time + (code_.scoreboards ? in.stall : 1);
      warp.waits_at_barrier = true;
      if (++slot.waiting + slot.finished == warps_per_block_) release(static_cast<std::size_t>(warp.slot), time);
      return;
    }
    if (code_.scoreboards) {
      warp.ready = time + in.stall;
      if (in.write_barrier < 6) warp.scoreboard[in.write_barrier] = std::max(warp.scoreboard[in.write_barrier], done);
      if (in.read_barrier < 6)
        warp.scoreboard[in.read_barrier] = std::max(warp.scoreboard[in.read_barrier], operands_read);
    } else {
      if (!in.free) warp.ready = time + 1;
      for (const auto r : in.writes) warp.registers[static_cast<std::size_t>(r)] = static_cast<float>(done);
      if (in.pipe == Pipe::branch) warp.ready = time + in.latency;
    }
    ++warp.at;
    advance(static_cast<std::size_t>(w));
  }

  MultiprocessorRun result(std::int64_t simulated, std::int64_t simulated_waves, std::int64_t waves,
                           std::int64_t resident) {
    MultiprocessorRun run;
    std::sort(completions_.begin(), completions_.end());
    const double end = completions_.empty() ? 0 : completions_.back();
    // What the traces leave out ran on all resident warps at once.
    const double warps = static_cast<double>(resident) * static_cast<double>(warps_per_block_);
    const double extra = total_extra_ / warps;
    const double extra_per_wave = extra * static_cast<double>(resident) / static_cast<double>(simulated);
    const auto completion = [&](std::int64_t i) {
      return completions_[static_cast<std::size_t>(
          std::clamp<std::int64_t>(i, 1, static_cast<std::int64_t>(completions_.size())) - 1)];
    };
    if (simulated_waves >= 3) {
      const std::int64_t full = simulated_waves - 1;
      run.wave_cycles =
          (completion(full * resident) - completion(resident)) / static_cast<double>(full - 1) + extra_per_wave;
    } else if (simulated_waves == 2) {
      run.wave_cycles = completion(resident) + extra_per_wave;
    } else {
      run.wave_cycles = end + extra;
    }
    run.cycles = end + extra + static_cast<double>(waves - simulated_waves) * run.wave_cycles;
    run.transient_cycles = run.cycles - static_cast<double>(waves) * run.wave_cycles;
    const double scale = 1 / static_cast<double>(simulated);
    const auto busiest_partition = [&](auto&& of_one) {
      double most = 0;
      for (const auto& partition : partitions_) most = std::max(most, of_one(partition));
      return most * scale;
    };
    std::array<double, pipe_count> pipes{};
    for (std::size_t q = 0; q < pipe_count; ++q)
      pipes[q] = busiest_partition([&](const Partition& p) { return p.busy[q]; });
    auto& plain = pipes[static_cast<std::size_t>(Pipe::fma)];
    auto& heavy = pipes[static_cast<std::size_t>(Pipe::fma_heavy)];
    // Of two pipes that share the plain operations, one takes the integer multiplications.
    plain = times_.pipe.fma_pipes > 1 ? std::max((plain + heavy) / 2, heavy) : plain + heavy;
    heavy = 0;
    const auto& memory = memory_.totals();
    auto& lsu = pipes[static_cast<std::size_t>(Pipe::lsu)];
    lsu = std::max(memory.lsu_busy * scale, lsu);
    run.busy = {{"issue", busiest_partition([](const Partition& p) { return p.issued; })},
                {"register banks",
                 busiest_partition([](const Partition& p) { return std::max(p.bank_busy[0], p.bank_busy[1]); })},
                {"instruction fetch", fetch_.busy() * scale}};
    for (std::size_t p = 1; p < pipe_count; ++p) {
      const auto pipe = static_cast<Pipe>(p);
      if (pipe != Pipe::barrier && pipe != Pipe::exit && pipe != Pipe::lsu)
        run.busy.emplace_back(to_string(pipe), pipes[p]);
    }
    run.busy.insert(run.busy.end(), {{to_string(Pipe::lsu), lsu},
                                     {"second-level cache bandwidth", memory.l2_busy * scale},
                                     {"memory bandwidth", memory.memory_busy * scale}});
    // No resource works faster than its throughput, whatever the windows that stand for the skipped iterations showed.
    double busiest = *std::ranges::max_element(pipes);
    for (const auto& [name, busy] : run.busy) busiest = std::max(busiest, busy);
    run.wave_cycles = std::max(run.wave_cycles, busiest * static_cast<double>(resident));
    run.cycles = std::max(run.cycles, busiest * static_cast<double>(load_.blocks));
    run.transient_cycles = run.cycles - static_cast<double>(waves) * run.wave_cycles;
    run.l1_load_sectors = memory.loaded_sectors * scale;
    run.l1_missed_sectors = memory.missed_sectors * scale;
    run.stored_sectors = memory.stored_sectors * scale;
    return run;
  }

  const TimedCode& code_;
  const BlockTrace& trace_;
  const KernelTimes& times_;
  const MultiprocessorLoad& load_;
  MemoryPath memory_;
  InstructionFetch fetch_;
  const bool waits_for_code_;
  std::vector<std::vector<float>> weights_;
  std::size_t warps_per_block_ = 1;
  std::vector<Slot> slots_;
  std::vector<Warp> warps_;
  std::vector<Partition> partitions_;
  std::vector<double> completions_;
  std::int64_t remaining_ = 0, started_ = 0;
  bool rechoose_all_ = false;
  double total_extra_ = 0;
};
}  // namespace

MultiprocessorRun run_multiprocessor(const TimedCode& code, const BlockTrace& trace, const KernelTimes& times,
                                     const MultiprocessorLoad& load, const BlockShift& shift) {
  return Multiprocessor(code, trace, times, load, shift).run();
}
}  // namespace sparsecast::gpu_code
