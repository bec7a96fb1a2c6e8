#include "matrix/structure/marked_stack.hpp"

#include <bit>

namespace sparsecast::matrix {
MarkedStack::MarkedStack(std::size_t lines, std::uint64_t range) {
  const std::size_t size = std::bit_ceil(2 * lines + 16);
  slots_.assign(size, {0, -1});
  if (range > size) {
    factor_ = 0x9E3779B1U;
    shift_ = 32 - std::countr_zero(size);
  }
  nodes_.reserve(lines);
}

void MarkedStack::clear() {
  for (Slot& slot : slots_) slot.node = -1;
  nodes_.clear();
  top_ = bottom_ = -1;
  marked_ = 0;
}

MarkedStack::Slot& MarkedStack::find(std::uint32_t line) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = (line * factor_) >> shift_;
  while (slots_[at].node >= 0 && slots_[at].line != line) at = (at + 1) & mask;
  return slots_[at];
}

// Every line above the one that goes to the top sinks by one place; those at a mark sink into the next bin.
void MarkedStack::shift_marks(int last) {
  for (int b = 1; b <= last; ++b) {
    Node& sinking = nodes_[static_cast<std::size_t>(marks_[b])];
    sinking.bin = b;
    marks_[b] = sinking.above;
  }
}

int MarkedStack::read(std::uint32_t line) {
  Slot& slot = find(line);
  if (slot.node >= 0) {
    const std::int32_t at = slot.node;
    Node& node = nodes_[static_cast<std::size_t>(at)];
    const int bin = node.bin;
    if (at == top_) return 0;
    shift_marks(bin);
    // A marked line that leaves its place is followed there by the one above it.
    if (bin < marked_ && marks_[bin + 1] == at) marks_[bin + 1] = node.above;
    nodes_[static_cast<std::size_t>(node.above)].below = node.below;
    if (at == bottom_)
      bottom_ = node.above;
    else
      nodes_[static_cast<std::size_t>(node.below)].above = node.above;
    node.above = -1;
    node.below = top_;
    node.bin = 0;
    // With two lines above the first mark, the mark's new line may be the old top: links first, then the top.
    nodes_[static_cast<std::size_t>(top_)].above = at;
    top_ = at;
    return bin;
  }
  const auto at = static_cast<std::int32_t>(nodes_.size());
  slot = {line, at};
  shift_marks(marked_);
  nodes_.push_back({-1, top_, 0});
  if (top_ >= 0)
    nodes_[static_cast<std::size_t>(top_)].above = at;
  else
    bottom_ = at;
  top_ = at;
  if (nodes_.size() == std::size_t{2} << marked_ && marked_ < bins) marks_[++marked_] = bottom_;
  return unseen;
}
}  // namespace sparsecast::matrix
