#include "plan/search/x_misses.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

namespace sparsecast::planning {
namespace {

constexpr int bins = 40;             // of reuse times, by powers of two
constexpr std::int64_t windows = 4;  // stretches of consecutive reads, evenly over the matrix

struct ReuseTimes {
  std::array<double, bins> count{};  // reads whose line was last read in [2^b, 2^(b+1)) reads ago
  double first = 0;                  // reads of a line not seen before in the window
  double reads = 0;
};

template <class Index>
void follow(const Index* columns, std::int64_t count, int shift, std::vector<std::uint32_t>& last_read,
            std::uint32_t base, ReuseTimes& times) {
  std::array<std::int64_t, bins> seen{};
  std::int64_t first = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint32_t& last = last_read[static_cast<std::size_t>(columns[i]) >> shift];
    const std::uint32_t now = base + static_cast<std::uint32_t>(i);
    // A stamp from before this window is no stamp.
    if (last < base) {
      ++first;
    } else {
      ++seen[static_cast<std::size_t>(std::bit_width(now - last) - 1)];
    }
    last = now;
  }
  for (int b = 0; b < bins; ++b)
    times.count[static_cast<std::size_t>(b)] += static_cast<double>(seen[static_cast<std::size_t>(b)]);
  times.first += static_cast<double>(first);
  times.reads += static_cast<double>(count);
}

}  // namespace

XReuse estimate_x_reuse(const Matrix& matrix, int elements_per_line, std::int64_t reads) {
  XReuse reuse;
  reuse.elements_per_line = elements_per_line;
  const std::int64_t nonzeros = matrix.nonzeros();
  if (nonzeros == 0) return reuse;
  const int shift = std::countr_zero(static_cast<unsigned>(elements_per_line));
  const std::int64_t window =
      std::clamp<std::int64_t>(reads / windows, 1, std::max<std::int64_t>(1, nonzeros / windows));
  ReuseTimes times;
  std::vector<std::uint32_t> last_read((static_cast<std::size_t>(matrix.cols()) >> shift) + 1, 0);
  matrix.visit_pattern([&](const auto& csr) {
    for (std::int64_t w = 0; w < windows; ++w)
      follow(csr.column_indices.data() + (nonzeros - window) / (windows - 1) * w, window, shift, last_read,
             static_cast<std::uint32_t>(1 + w * window), times);
  });

  // Lines: at most all of x, and no more than there are first reads if every window met new ones.
  const std::int64_t lines_of_x = (matrix.cols() + elements_per_line - 1) / elements_per_line;
  const double new_lines = times.first / times.reads * static_cast<double>(nonzeros);
  reuse.lines = static_cast<std::int64_t>(std::min(static_cast<double>(lines_of_x), new_lines));
  reuse.cold = static_cast<double>(reuse.lines) / static_cast<double>(nonzeros);

  // Expected distinct lines in a stretch of r reads: the sum over t < r of the share of reads not reused within t.
  double later = times.reads, distinct = 0;
  reuse.distance.assign(bins, 0.0);
  const auto put = [&](double lines, double share) {
    const auto bin = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(std::max(1.0, lines))) - 1);
    reuse.distance[std::min<std::size_t>(bin, bins - 1)] += share;
  };
  for (int b = 0; b < bins; ++b) {
    const double count = times.count[static_cast<std::size_t>(b)];
    const double length = std::exp2(b), half = (later - count / 2) / times.reads;
    put(distinct + half * length / 2, count / times.reads);
    distinct += half * length;
    later -= count;
    if (later <= times.first) break;
  }
  // First reads of a window that are not cold: last read before the window began.
  const double beyond = std::max(0.0, times.first / times.reads - reuse.cold);
  put(std::max(distinct, times.first / static_cast<double>(windows)), beyond);
  // Shares of all reads: cold and warm ones add up to 1.
  double warm = 0;
  for (const double share : reuse.distance) warm += share;
  if (warm > 0)
    for (double& share : reuse.distance) share *= (1 - reuse.cold) / warm;
  while (!reuse.distance.empty() && reuse.distance.back() == 0) reuse.distance.pop_back();
  return reuse;
}

}  // namespace sparsecast::planning
