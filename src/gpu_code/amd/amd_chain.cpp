#include "gpu_code/amd/amd_chain.hpp"

#include <algorithm>
#include <span>
#include <unordered_map>

namespace sparsecast::gpu_code {
namespace {
double result_cycles(const AmdInstruction& in, const KernelTimes& times) {
  if (in.kind == AmdKind::scalar) return times.latency.alu;
  return in.unit == AmdUnit::function  ? times.latency.xu
         : in.unit == AmdUnit::double_ ? times.latency.double_
                                       : times.latency.fma;
}

/// A wave's clock and when each register's value is there.
class WaveClock {
 public:
  explicit WaveClock(const KernelTimes& times) : times_(times) {}

  /// Cycles by which the instructions move the clock.
  double run(std::span<const AmdInstruction> instructions) {
    const double began = now_;
    for (const auto& in : instructions) {
      double begin = now_;
      for (const auto r : in.reads)
        if (const auto found = ready_.find(r); found != ready_.end()) begin = std::max(begin, found->second);
      now_ = begin + amd_issue_cycles(in, times_);
      // What comes from memory is waited for elsewhere.
      const bool computed = in.kind == AmdKind::vector || in.kind == AmdKind::scalar;
      for (const auto r : in.writes) ready_[r] = computed ? begin + result_cycles(in, times_) : now_;
    }
    return now_ - began;
  }

 private:
  const KernelTimes& times_;
  double now_ = 0;
  std::unordered_map<std::int32_t, double> ready_;
};
}  // namespace

double amd_issue_cycles(const AmdInstruction& in, const KernelTimes& times) {
  if (in.kind != AmdKind::vector) return times.pipe.alu;
  return in.unit == AmdUnit::function  ? times.pipe.xu
         : in.unit == AmdUnit::double_ ? times.pipe.double_
                                       : times.pipe.fma;
}

double amd_chain_cycles(const AmdKernel& kernel, const std::map<std::int32_t, double>& passes,
                        const KernelTimes& times) {
  WaveClock clock(times);
  double cycles = 0;
  const std::span all(kernel.instructions);
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin + 1;
    while (end < all.size() && all[end].loop == all[begin].loop) ++end;
    const auto part = all.subspan(begin, end - begin);
    const double first = clock.run(part), often = passes.at(all[begin].loop);
    // From its second pass on a loop waits for what the pass before it gave.
    cycles += first;
    if (often > 1) cycles += (often - 1) * clock.run(part);
    begin = end;
  }
  return cycles;
}
}  // namespace sparsecast::gpu_code
