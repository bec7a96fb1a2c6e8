#include "planning/powers/wavefront.hpp"

#include <algorithm>
#include <numeric>

namespace sparsecast::planning {
namespace {
// For each block the one that the power before must have reached, with all before it.
std::vector<std::int32_t> needed(const RowBlocks& blocks, int slack) {
  std::vector<std::int32_t> reach = blocks.last;
  for (std::size_t b = 0; b < reach.size(); ++b) {
    if (b > 0) reach[b] = std::max(reach[b], reach[b - 1]);
  }
  for (std::int32_t& one : reach) one = std::min(one + slack, blocks.blocks() - 1);
  return reach;
}

// Of every block: the step of the sweep in which it takes the next power, from those in which it took the one before.
std::vector<std::int32_t> follow(const std::vector<std::int32_t>& steps, const std::vector<std::int32_t>& reach) {
  std::vector<std::int32_t> next(steps.size());
  for (std::size_t b = 0; b < steps.size(); ++b) next[b] = steps[static_cast<std::size_t>(reach[b])];
  return next;
}
}  // namespace

std::vector<PowerTask> wavefront(const RowBlocks& blocks, std::int64_t k, std::int64_t depth, int slack) {
  const std::vector<std::int32_t> reach = needed(blocks, slack);
  const auto count = static_cast<std::size_t>(blocks.blocks());
  std::vector<PowerTask> tasks;
  tasks.reserve(count * static_cast<std::size_t>(k));
  for (std::int64_t done = 0; done < k && count > 0; done += depth) {
    const std::int64_t powers = std::min(depth, k - done);
    std::vector<std::vector<std::int32_t>> steps(1, std::vector<std::int32_t>(count));
    std::iota(steps[0].begin(), steps[0].end(), 0);
    while (std::ssize(steps) < powers) steps.push_back(follow(steps.back(), reach));
    // Steps ascend with the blocks of a power: every power has its next block.
    std::vector<std::size_t> next(steps.size(), 0);
    for (std::int32_t step = 0; step < blocks.blocks(); ++step)
      for (std::size_t p = 0; p < steps.size(); ++p)
        for (; next[p] < count && steps[p][next[p]] <= step; ++next[p])
          tasks.push_back(
              {static_cast<std::int32_t>(next[p]), static_cast<std::int32_t>(done) + static_cast<std::int32_t>(p) + 1});
  }
  return tasks;
}

double resident_rows(const RowBlocks& blocks, std::int64_t depth, int slack) {
  const auto count = static_cast<std::size_t>(blocks.blocks());
  if (count == 0) return 0;
  const std::vector<std::int32_t> reach = needed(blocks, slack);
  std::vector<std::int32_t> last(count);
  std::iota(last.begin(), last.end(), 0);
  for (std::int64_t p = 1; p < depth; ++p) last = follow(last, reach);
  double sum = 0;
  std::size_t tail = 0;
  for (std::size_t step = 0; step < count; ++step) {
    while (tail + 1 < count && last[tail] < static_cast<std::int32_t>(step)) ++tail;
    const std::int32_t held = std::min(blocks.first[tail], static_cast<std::int32_t>(step));
    sum += static_cast<double>(blocks.bounds[step + 1] - blocks.bounds[static_cast<std::size_t>(held)]);
  }
  return sum / static_cast<double>(count);
}
}  // namespace sparsecast::planning
