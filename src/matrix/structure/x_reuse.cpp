// Reuse of x by sampling. Three samples make the estimate, each where it is good:
// - *which lines are touched at all* is counted exactly while the columns are read (Touched);
// - *long distances* come from spatial sampling (SHARDS, Waldspurger et al. 2015): only the lines of every 2^k-th group
//   of columns, chosen by a hash, are followed, and a distance d among them stands for d·2^k. Where x has few groups,
//   or the reads are still too many, only some windows of consecutive reads are followed, after a run-up;
// - *short distances*, which spatial sampling cannot tell apart (below 2^(k+1)), come from a few short stretches of
//   reads in which every line is followed.
// Of the long distances it is also counted which reads come soon after the line before theirs: a prefetcher has it on
// the way. In a group that is followed its first line has no neighbour there and is not asked.
// Powers of two throughout: scaling then moves a distance from bin b to bin b + k and nothing has to be interpolated.

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/parallel_for.hpp"
#include "matrix/structure/marked_stack.hpp"
#include "matrix/structure/structure_parts.hpp"

namespace sparsecast {
namespace {
constexpr int touched_columns = 4;  // the shortest line
constexpr int group_columns = 32;   // the longest line: all lines of a group are followed, or none
// Up to exact_reads every read is followed. With twice as many the share of reads beyond a first cache is off by 2.4
// points instead of 2.9 in the mean (25 real matrices of 10^5 to 4·10^5 non-zeros, at which the number was chosen), at
// 1.8 times the cost.
constexpr std::int64_t exact_reads = 1 << 14, most_reads = 1 << 18;
// Fewer groups mean longer stretches of columns to pick them from, which is the cost of large matrices: windows there.
constexpr std::int64_t fewest_groups(std::int64_t nonzeros) { return nonzeros < (1 << 19) ? 512 : 1024; }
constexpr std::int64_t read_stretches = 4, stretch_reads = 2048;

struct Plan {
  std::int64_t nonzeros = 0;
  int shift = 0;  // k: one group in 2^k is followed
  std::int64_t windows = 1;
  std::int64_t window_reads = 0;  // reads of one window, run-up included
  std::int64_t run_up = 0;        // reads before distances count

  [[nodiscard]] std::int64_t first(std::int64_t window) const {
    return windows == 1 ? (nonzeros - window_reads) / 2 : (nonzeros - window_reads) / (windows - 1) * window;
  }
  [[nodiscard]] bool whole() const { return window_reads == nonzeros; }
};

Plan plan_sample(std::int64_t nonzeros, std::int64_t cols, int sparser) {
  Plan plan{nonzeros, 0, 1, nonzeros, 0};
  const std::int64_t exact = exact_reads >> sparser;
  if (nonzeros <= exact) return plan;
  const std::int64_t followed = std::clamp(nonzeros / 64, exact, most_reads >> sparser);
  while ((nonzeros >> (plan.shift + 1)) >= followed &&
         (cols / group_columns) >> (plan.shift + 1) >= fewest_groups(nonzeros))
    ++plan.shift;
  if ((nonzeros >> plan.shift) <= 2 * followed) return plan;
  plan.windows = 2;
  plan.window_reads = (followed << plan.shift) / plan.windows;
  plan.run_up = plan.window_reads / 3;
  return plan;
}

// Fibonacci hashing spreads consecutive groups evenly, so that close to one in 2^k is chosen in any stretch of columns.
inline bool is_followed(std::uint32_t group, int shift) {
  return shift == 0 || (group * 0x9E3779B1U) >> (32 - shift) == 0;
}

// Followed columns of a stretch of reads, in units of the shortest line, and how many of them belong to its run-up.
struct Reads {
  std::vector<std::uint32_t> quads;
  std::size_t run_up = 0;
  std::int64_t counted = 0;  // all reads after the run-up, followed or not
};

template <class Index>
void follow(const Index* begin, const Index* end, int shift, std::vector<std::uint32_t>& quads) {
  constexpr std::int64_t piece = 1 << 10;  // followed reads are few, but not before they are picked
  std::array<std::uint32_t, piece> picked;
  while (begin < end) {
    const Index* stop = begin + std::min<std::ptrdiff_t>(end - begin, piece);
    std::uint32_t* next = picked.data();
    for (; begin < stop; ++begin) {
      const auto column = static_cast<std::uint64_t>(*begin);
      *next = static_cast<std::uint32_t>(column / touched_columns);
      next += is_followed(static_cast<std::uint32_t>(column / group_columns), shift);
    }
    quads.insert(quads.end(), picked.data(), next);
  }
}

template <class Index>
Reads follow_window(const Index* columns, const Plan& plan, std::int64_t window) {
  Reads reads;
  const Index* begin = columns + plan.first(window);
  reads.quads.reserve(static_cast<std::size_t>(plan.window_reads >> plan.shift) * 9 / 8);
  follow(begin, begin + plan.run_up, plan.shift, reads.quads);
  reads.run_up = reads.quads.size();
  follow(begin + plan.run_up, begin + plan.window_reads, plan.shift, reads.quads);
  reads.counted = plan.window_reads - plan.run_up;
  return reads;
}

// The lines read of late, by the low bits of their number: a line may push out another, which is then not found.
class RecentLines {
 public:
  void read(std::uint32_t line, std::size_t now) {
    places_[line % places_.size()] = {line, static_cast<std::uint32_t>(now + 1)};
  }
  [[nodiscard]] bool holds(std::uint32_t line, std::size_t now, std::size_t window) const {
    const Place& place = places_[line % places_.size()];
    return place.line == line && place.after > 0 && now + 1 - place.after <= window;
  }

 private:
  struct Place {
    std::uint32_t line = 0, after = 0;  // reads until then, its own included; 0: none
  };
  std::array<Place, 1024> places_{};
};

// A line read at most so many reads after the line before it follows that one: some rows of a mesh, where 4 in a
// thousand of an x of 16 MB that is read at random would by chance.
constexpr std::size_t window_of_following = 1024;
// Shorter distances hit a first cache whatever the order.
constexpr double least_followed_lines = 256;

struct Distances {
  static constexpr std::size_t unseen = matrix::MarkedStack::bins;
  std::vector<double> bins = std::vector<double>(matrix::MarkedStack::bins, 0.0);
  // By bin, and of lines not read before: how many were asked for the line before them, and had it.
  std::vector<double> asked = std::vector<double>(unseen + 1, 0.0), following = asked;
  double counted = 0;
  double depth = 0;  // most lines that a stack held

  [[nodiscard]] double following_share(std::size_t bin) const {
    return asked[bin] > 0 ? following[bin] / asked[bin] : 0.0;
  }
};

// Distances among the followed lines of one or more stretches of reads, each with an empty stack; `range`: lines of x.
Distances simulate(const std::vector<Reads>& parts, int elements, int shift, std::uint64_t range) {
  Distances result;
  const auto group = static_cast<std::uint32_t>(shift > 0 ? std::max(1, group_columns / elements) : 0);
  const std::size_t window = window_of_following >> shift;
  const int first_asked = std::max(0, std::ilogb(least_followed_lines) - shift);
  std::size_t most = 0;
  for (const Reads& part : parts) most = std::max(most, part.quads.size());
  matrix::MarkedStack stack(std::min<std::size_t>(most, range), range);
  const int within = std::countr_zero(static_cast<unsigned>(elements / touched_columns));
  for (const Reads& part : parts) {
    stack.clear();
    RecentLines recent;
    for (std::size_t i = 0; i < part.quads.size(); ++i) {
      const std::uint32_t line = part.quads[i] >> within;
      const int bin = stack.read(line);
      const bool seen = bin != matrix::MarkedStack::unseen;
      if (i >= part.run_up) {
        if (seen) result.bins[static_cast<std::size_t>(bin)] += 1;
        if ((!seen || bin >= first_asked) && line > 0 && (group == 0 || (line & (group - 1)) != 0)) {
          const std::size_t at = seen ? static_cast<std::size_t>(bin) : Distances::unseen;
          result.asked[at] += 1;
          result.following[at] += recent.holds(line - 1, i, window) ? 1 : 0;
        }
      }
      recent.read(line, i);
    }
    result.counted += static_cast<double>(part.counted);
    result.depth = std::max(result.depth, static_cast<double>(stack.lines()));
  }
  return result;
}

// Which aligned groups of `touched_columns` columns hold a non-zero: one byte each.
using Touched = std::vector<std::uint8_t>;

template <class Index>
Touched touched_by(std::span<const Index> columns, std::int64_t cols, int threads) {
  Touched touched(static_cast<std::size_t>((cols + touched_columns - 1) / touched_columns), 0);
  constexpr std::int64_t piece = 1 << 16;
  const std::int64_t count = std::ssize(columns);
  if (threads <= 1 || count <= piece) {  // without a branch on what was touched before, which is unpredictable
    for (const Index column : columns) touched[static_cast<std::size_t>(column) / touched_columns] = 1;
    return touched;
  }
  base::parallel_for((count + piece - 1) / piece, {threads}, [&](std::int64_t p) {
    const Index* end = columns.data() + std::min(count, (p + 1) * piece);
    for (const Index* c = columns.data() + p * piece; c < end; ++c) {
      const std::atomic_ref at(touched[static_cast<std::size_t>(*c) / touched_columns]);
      if (at.load(std::memory_order_relaxed) == 0) at.store(1, std::memory_order_relaxed);  // others write the same 1
    }
  });
  return touched;
}

std::int64_t lines_touched(const Touched& touched, int elements) {
  const std::size_t step = static_cast<std::size_t>(elements / touched_columns);
  std::int64_t lines = 0;
  for (std::size_t at = 0; at < touched.size(); at += step)
    lines += std::any_of(touched.begin() + static_cast<std::ptrdiff_t>(at),
                         touched.begin() + static_cast<std::ptrdiff_t>(std::min(touched.size(), at + step)),
                         [](std::uint8_t t) { return t != 0; });
  return lines;
}

// Puts the samples together: shares of all reads, by true distance.
XReuse combine(const Plan& plan, std::int64_t lines, int elements, Distances far, const Distances& near,
               const std::vector<Reads>& parts) {
  XReuse reuse;
  reuse.elements_per_line = elements;
  reuse.lines = lines;
  reuse.cold = static_cast<double>(lines) / static_cast<double>(plan.nonzeros);
  const auto k = static_cast<std::size_t>(plan.shift);
  reuse.distance.assign(matrix::MarkedStack::bins + k + 1, 0.0);

  // How many followed reads there should be. A popular line that is (not) followed makes them too many (too few); such
  // lines are read at short distances, so the difference belongs there (SHARDS_adj, section 3.4 of the same paper).
  const double expected = std::ldexp(far.counted, -plan.shift);
  double followed = 0;
  for (const Reads& part : parts) followed += static_cast<double>(part.quads.size() - part.run_up);
  far.bins[0] = std::max(0.0, far.bins[0] + expected - followed);

  double seen = 0;
  for (const double count : far.bins) seen += count;
  const double reread = 1 - reuse.cold;
  // Not seen in the sample and yet not cold: read before the window began, so beyond all that its stack held.
  double beyond = plan.whole() ? 0.0 : std::max(0.0, reread - seen / expected);
  const double scale = seen > 0 ? (reread - beyond) / seen : 0.0;
  if (seen == 0) beyond = reread;
  reuse.followed.assign(reuse.distance.size(), 0.0);
  for (std::size_t b = 1; b < far.bins.size(); ++b) {
    reuse.distance[b + k] += scale * far.bins[b];
    reuse.followed[b + k] += scale * far.bins[b] * far.following_share(b);
  }
  reuse.cold_followed = reuse.cold * far.following_share(Distances::unseen);
  if (beyond > 0) {
    const auto bin = static_cast<std::size_t>(std::ilogb(std::max(1.0, std::ldexp(far.depth, plan.shift))));
    const std::size_t last = std::min(bin, reuse.distance.size() - 1);
    reuse.distance[last] += beyond;
    reuse.followed[last] += beyond * far.following_share(Distances::unseen);
  }
  double short_seen = 0;
  for (std::size_t b = 0; b <= k; ++b) short_seen += near.bins[b];
  for (std::size_t b = 0; b <= k; ++b)
    reuse.distance[b] += scale * far.bins[0] * (short_seen > 0 ? near.bins[b] / short_seen : (b == k ? 1.0 : 0.0));
  while (!reuse.distance.empty() && reuse.distance.back() == 0) reuse.distance.pop_back();
  while (!reuse.followed.empty() && reuse.followed.back() == 0) reuse.followed.pop_back();
  return reuse;
}

// Of an x that any first cache holds: what is read again hits it, at whatever distance.
template <class Offset, class Index>
XReuse within_a_first_cache(const CsrPattern<Offset, Index>& csr, int elements) {
  XReuse reuse;
  reuse.elements_per_line = elements;
  reuse.lines = lines_touched(touched_by(std::span<const Index>(csr.column_indices), csr.cols, 1), elements);
  reuse.cold = static_cast<double>(reuse.lines) / static_cast<double>(csr.column_indices.size());
  reuse.distance = {1 - reuse.cold};
  return reuse;
}
}  // namespace

template <class Offset, class Index>
void matrix::analyze_reuse(const CsrPattern<Offset, Index>& csr, Structure& structure, const AnalyzedParts& parts,
                           int threads) {
  const std::span<const int> line_lengths = parts.lines;
  const auto sizes = line_lengths.size();
  structure.sampled_share = 1;
  structure.x_reuse.resize(sizes);
  if (structure.nonzeros == 0) {
    for (std::size_t s = 0; s < sizes; ++s) structure.x_reuse[s].elements_per_line = line_lengths[s];
    return;
  }
  if (parts.presume && std::ranges::all_of(line_lengths, [&](int elements) {
        return (structure.cols + elements - 1) / elements <= static_cast<std::int64_t>(least_followed_lines);
      })) {
    for (std::size_t s = 0; s < sizes; ++s) structure.x_reuse[s] = within_a_first_cache(csr, line_lengths[s]);
    return;
  }
  const Plan plan = plan_sample(structure.nonzeros, structure.cols, parts.sparser);
  const Index* columns = csr.column_indices.data();
  std::vector<Reads> windows(static_cast<std::size_t>(plan.windows));
  base::parallel_for(plan.windows, {threads},
                     [&](std::int64_t w) { windows[static_cast<std::size_t>(w)] = follow_window(columns, plan, w); });

  std::vector<Reads> near(plan.shift > 0 ? read_stretches : 0);
  const std::int64_t near_reads = stretch_reads >> parts.sparser;
  for (std::size_t s = 0; s < near.size(); ++s) {
    const Index* begin =
        columns + (structure.nonzeros - near_reads) / (read_stretches - 1) * static_cast<std::int64_t>(s);
    follow(begin, begin + near_reads, 0, near[s].quads);
    near[s].counted = near_reads;
  }
  const auto lines_of = [&](int elements) {
    return static_cast<std::uint64_t>((structure.cols + elements - 1) / elements);
  };
  std::vector<Distances> far_distances(sizes), near_distances(sizes);
  base::parallel_for(static_cast<std::int64_t>(2 * sizes), {threads}, [&](std::int64_t at) {
    const auto task = static_cast<std::size_t>(at), s = task % sizes;
    (task < sizes ? far_distances : near_distances)[s] =
        task < sizes ? simulate(windows, line_lengths[s], plan.shift, lines_of(line_lengths[s]))
                     : simulate(near, line_lengths[s], 0, lines_of(line_lengths[s]));
  });
  const Touched touched = touched_by(std::span<const Index>(csr.column_indices), structure.cols, threads);
  std::int64_t followed = 0;
  for (const Reads& window : windows) followed += static_cast<std::int64_t>(window.quads.size());
  structure.sampled_share = static_cast<double>(followed) / static_cast<double>(structure.nonzeros);
  for (std::size_t s = 0; s < sizes; ++s)
    structure.x_reuse[s] = combine(plan, lines_touched(touched, line_lengths[s]), line_lengths[s], far_distances[s],
                                   near_distances[s], windows);
}

template void matrix::analyze_reuse(const CsrPattern<std::int32_t, std::int32_t>&, Structure&, const AnalyzedParts&,
                                    int);
template void matrix::analyze_reuse(const CsrPattern<std::int64_t, std::int32_t>&, Structure&, const AnalyzedParts&,
                                    int);
template void matrix::analyze_reuse(const CsrPattern<std::int64_t, std::int64_t>&, Structure&, const AnalyzedParts&,
                                    int);
}  // namespace sparsecast
