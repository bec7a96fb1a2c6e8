#include "gpu_code/trace/code.hpp"

#include <algorithm>

namespace sparsecast::gpu_code {
void Code::find_loops() {
  loops_.clear();
  for (std::int32_t pc = 0; pc < size(); ++pc) {
    const auto target = branch_target(pc);
    if (target < 0 || target > pc || (target == pc)) continue;  // a jump to itself is the padding after the last exit
    bool known = false;
    for (auto& loop : loops_)
      if (loop.head == target) {
        loop.tail = std::max(loop.tail, pc);
        known = true;
      }
    if (!known) loops_.push_back({target, pc, -1, label(target)});
  }
  // Loops that overlap without nesting are made to nest.
  std::sort(loops_.begin(), loops_.end(),
            [](const CodeLoop& a, const CodeLoop& b) { return a.head != b.head ? a.head < b.head : a.tail > b.tail; });
  for (bool changed = true; changed;) {
    changed = false;
    for (auto& outer : loops_)
      for (const auto& inner : loops_)
        if (inner.head > outer.head && inner.head <= outer.tail && inner.tail > outer.tail) {
          outer.tail = inner.tail;
          changed = true;
        }
  }
  loop_of_.assign(static_cast<std::size_t>(size()), -1);
  for (std::size_t l = 0; l < loops_.size(); ++l) {
    loops_[l].parent = loop_of_[static_cast<std::size_t>(loops_[l].head)];
    for (auto pc = loops_[l].head; pc <= loops_[l].tail; ++pc)
      loop_of_[static_cast<std::size_t>(pc)] = static_cast<std::int32_t>(l);
  }
}
}  // namespace sparsecast::gpu_code
