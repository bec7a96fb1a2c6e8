#pragma once
// The distinct cache lines that a block touches. Private to the driver (warp_run.cpp).

#include <algorithm>
#include <vector>

#include "gpu_code/trace/access.hpp"

namespace sparsecast::gpu_code {

/// Distinct lines with the sectors touched: open addressing, grown by doubling.
class LineSet {
 public:
  void add(LineAccess access) {
    if (used_ * 2 >= slots_.size()) grow();
    auto& slot = find(access.line);
    if (slot.sectors == 0) {
      slot.line = access.line;
      ++used_;
    }
    slot.sectors |= access.sectors;
  }
  [[nodiscard]] std::size_t size() const { return used_; }
  [[nodiscard]] std::vector<LineAccess> sorted() const {
    std::vector<LineAccess> lines;
    for (const auto& slot : slots_)
      if (slot.sectors != 0) lines.push_back(slot);
    std::sort(lines.begin(), lines.end(), [](const LineAccess& a, const LineAccess& b) { return a.line < b.line; });
    return lines;
  }

 private:
  LineAccess& find(std::uint64_t line) {
    std::size_t at = (line * 0x9e3779b97f4a7c15u) >> shift_;
    while (slots_[at].sectors != 0 && slots_[at].line != line) at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }
  void grow() {
    std::vector<LineAccess> old(slots_.size() * 2);
    old.swap(slots_);
    --shift_;
    for (const auto& slot : old)
      if (slot.sectors != 0) find(slot.line) = slot;
  }
  std::vector<LineAccess> slots_ = std::vector<LineAccess>(1024);
  std::size_t used_ = 0;
  int shift_ = 54;
};

}  // namespace sparsecast::gpu_code
