// See issue_order.hpp.

#include "gpu_code/overlap/issue_order.hpp"

#include <algorithm>
#include <utility>

namespace sparsecast::gpu_code {

std::vector<std::vector<TraceStep>> issue_order(const TimedCode& code, const BlockTrace& trace) {
  auto traces = trace.warps;
  if (code.scoreboards) return traces;
  for (auto& steps : traces)
    for (std::size_t begin = 0; begin < steps.size();) {
      std::size_t end = begin;
      while (end < steps.size() && steps[end].instruction >= 0 &&
             code.block_of[static_cast<std::size_t>(steps[end].instruction)] ==
                 code.block_of[static_cast<std::size_t>(steps[begin].instruction)] &&
             (end == begin || steps[end].instruction > steps[end - 1].instruction))
        ++end;
      if (end == begin) {
        ++begin;
        continue;
      }
      std::stable_sort(steps.begin() + static_cast<std::ptrdiff_t>(begin),
                       steps.begin() + static_cast<std::ptrdiff_t>(end), [&](const TraceStep& a, const TraceStep& b) {
                         return code.schedule[static_cast<std::size_t>(a.instruction)] <
                                code.schedule[static_cast<std::size_t>(b.instruction)];
                       });
      begin = end;
    }
  return traces;
}

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

}  // namespace sparsecast::gpu_code
