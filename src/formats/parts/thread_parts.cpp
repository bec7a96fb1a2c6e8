#include "formats/parts/thread_parts.hpp"

#include <algorithm>
#include <cmath>

namespace sparsecast::formats {
namespace {
double number(std::int64_t value) { return static_cast<double>(value); }

// Rows in succession that are alike.
struct Stretch {
  double rows = 0, nonzeros = 0;
};

struct Part {
  double rows = 0, nonzeros = 0, calls = 0;
};

std::vector<Stretch> in_order(const Structure& s) {
  std::vector<Stretch> stretches;
  for (const std::int64_t nonzeros : s.block_nonzeros)
    stretches.push_back({number(s.rows) / static_cast<double>(s.block_nonzeros.size()), number(nonzeros)});
  return stretches;
}

std::vector<Stretch> longest_first(const Structure& s) {
  std::vector<Stretch> stretches;
  for (auto entry = s.row_histogram.rbegin(); entry != s.row_histogram.rend(); ++entry)
    stretches.push_back({number(entry->rows), number(entry->rows) * number(entry->length)});
  return stretches;
}

// Cuts the stretches into parts of equal weight. A row that outweighs a part stays whole. Calls: `block_rows` rows are
// taken at once, with a loop for every entry of the longest.
std::vector<Part> deal(const std::vector<Stretch>& stretches, int threads, Split split, double block_rows) {
  const auto blocks_begun = [&](double rows) { return std::ceil(rows / block_rows - 1e-9); };
  double total = 0;
  for (const Stretch& s : stretches) total += split.of_row * s.rows + split.of_nonzero * s.nonzeros;
  std::vector<Part> parts(static_cast<std::size_t>(threads));
  const double target = total / threads;
  std::size_t p = 0;
  double filled = 0, in_block = 0;
  for (const Stretch& s : stretches) {
    const double per_row = s.rows > 0 ? s.nonzeros / s.rows : 0, weight = split.of_row + split.of_nonzero * per_row;
    double left = s.rows;
    while (left > 1e-9) {
      const bool last = p + 1 == parts.size() || weight <= 0;
      double taken = last ? left : std::min(left, std::max((target - filled) / weight, 0.0));
      if (taken <= 1e-9 && filled <= 0) taken = std::min(left, 1.0);
      Part& part = parts[p];
      if (part.rows == 0) in_block = 0;
      part.rows += taken;
      part.nonzeros += taken * per_row;
      part.calls += per_row * (blocks_begun(in_block + taken) - blocks_begun(in_block));
      in_block += taken;
      filled += taken * weight;
      left -= taken;
      if (!last && filled >= target * (1 - 1e-12)) {
        ++p;
        filled = 0;
      }
    }
  }
  return parts;
}

bool tells(const Structure& s, int threads) { return threads > 1 && !s.row_histogram.empty() && s.nonzeros != 0; }

ThreadPart relative(const Part& part, const Structure& s, int threads) {
  return {part.nonzeros * threads / number(s.nonzeros), part.rows * threads / number(s.rows), 1};
}
}  // namespace

ThreadParts parts_in_order(const Structure& s, Split split, int threads) {
  ThreadParts worst;
  if (!tells(s, threads) || s.block_nonzeros.empty()) return worst;
  const std::vector<Part> parts = deal(in_order(s), threads, split, 1);
  worst[0] = relative(*std::ranges::max_element(parts, {}, &Part::nonzeros), s, threads);
  worst[1] = relative(*std::ranges::max_element(parts, {}, &Part::rows), s, threads);
  if (!split.cuts_rows)  // the longest row is one thread's
    worst[0].nonzeros = std::max(worst[0].nonzeros, number(s.row_max) * threads / number(s.nonzeros));
  return worst;
}

ThreadParts parts_of_slices(const Structure& s, int slice_rows, std::int64_t slots, int threads) {
  ThreadParts worst = parts_in_order(s, by_nonzeros, threads);
  if (!tells(s, threads) || s.block_nonzeros.empty() || slots <= 0) return worst;
  worst[0].nonzeros = std::max(worst[0].nonzeros, slice_rows * number(s.row_max) * threads / number(slots));
  return worst;
}

ThreadParts parts_longest_first(const Structure& s, std::int64_t block_rows, int threads) {
  ThreadParts worst;
  if (!tells(s, threads) || s.block_nonzeros.empty()) return worst;
  const std::vector<Stretch> stretches = longest_first(s);
  const std::vector<Part> parts = deal(stretches, threads, by_nonzeros, number(block_rows));
  // Of a product in one part: rows side by side in a block share a loop that they begin each in parts of their own.
  const double calls = deal(stretches, 1, by_nonzeros, number(block_rows)).front().calls;
  const auto with_calls = [&](const Part& part) {
    ThreadPart of = relative(part, s, threads);
    if (calls > 0) of.calls = part.calls * threads / calls;
    return of;
  };
  worst[0] = with_calls(parts[0]);  // where the long rows are, and with them the loops
  worst[1] = with_calls(*std::ranges::max_element(parts, {}, &Part::rows));
  return worst;
}

double lines_shared_longest_first(const Structure& s, int threads) {
  constexpr double line = 8;
  if (!tells(s, threads)) return 0;
  // A line of which a share p of the rows lies on the other side of a border, in no order.
  const auto mixed = [](double p) { return 1 - std::pow(1 - p, line) - std::pow(p, line); };
  const double rows = number(s.rows), part = number(s.nonzeros) / threads;
  double before = 0, longer = 0, most = 0;
  for (auto entry = s.row_histogram.rbegin(); entry != s.row_histogram.rend(); ++entry) {
    const double alike = number(entry->rows), nonzeros = alike * number(entry->length);
    // A border among rows of one length: they keep their order, so those of the first part come first in the matrix.
    const double border = (std::floor(before / part + 1e-9) + 1) * part;
    if (nonzeros > 0 && border < std::min(before + nonzeros, number(s.nonzeros) - 0.5)) {
      const double first = (border - before) / nonzeros, shorter = rows - longer - alike;
      most = std::max(most, first * mixed(shorter / rows) + (1 - first) * mixed(longer / rows));
    }
    before += nonzeros;
    longer += alike;
  }
  return rows / line * most;
}
}  // namespace sparsecast::formats
