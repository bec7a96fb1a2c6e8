#pragma once
// LRU stack distances in powers of two (Mattson et al. 1970), at a few nanoseconds per read. The stack is a linked list
// in which the last line of every power of two is marked (Kim, Hill & Wood 1991): moving a line to the top moves each
// mark above it by one place, so a read costs the number of marks it passes and no search tree is needed.

#include <array>
#include <cstdint>
#include <vector>

namespace sparsecast::matrix {
class MarkedStack {
 public:
  static constexpr int bins = 40;
  static constexpr int unseen = -1;

  /// Room for so many distinct lines, all of them below `range`.
  MarkedStack(std::size_t lines, std::uint64_t range);
  void clear();
  /// Reads a line. Returns the bin of its stack distance d (distinct other lines read since): 0 for d < 2, b for
  /// 2^b ≤ d < 2^(b+1); `unseen` where it was not read before.
  int read(std::uint32_t line);
  [[nodiscard]] std::size_t lines() const { return nodes_.size(); }

 private:
  struct Node {
    std::int32_t above, below;
    int bin;
  };
  struct Slot {
    std::uint32_t line;
    std::int32_t node;  // −1: free
  };
  Slot& find(std::uint32_t line);
  void shift_marks(int last);

  std::vector<Node> nodes_;
  std::vector<Slot> slots_;
  // Where a line is looked for first: its own slot where there are slots for all, else by a multiplicative hash.
  std::uint32_t factor_ = 1;
  int shift_ = 0;
  std::int32_t top_ = -1, bottom_ = -1;
  // marks_[b], b ≥ 1: the line at place 2^b − 1 (from 0), the last one of bin b − 1.
  std::array<std::int32_t, bins + 1> marks_{};
  int marked_ = 0;  // highest b in use
};
}  // namespace sparsecast::matrix
