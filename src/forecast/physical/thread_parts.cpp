#include "forecast/physical/thread_parts.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sparsecast::forecast {
namespace {

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
    stretches.push_back(
        {static_cast<double>(s.rows) / static_cast<double>(s.block_nonzeros.size()), static_cast<double>(nonzeros)});
  return stretches;
}

std::vector<Stretch> longest_first(const Structure& s) {
  std::vector<Stretch> stretches;
  for (auto entry = s.row_histogram.rbegin(); entry != s.row_histogram.rend(); ++entry)
    stretches.push_back(
        {static_cast<double>(entry->rows), static_cast<double>(entry->rows) * static_cast<double>(entry->length)});
  return stretches;
}

// Cuts the stretches into parts of equal weight, a row and a non-zero weighing as given. A row that outweighs a part
// stays whole.
std::vector<Part> deal(const std::vector<Stretch>& stretches, int threads, double of_row, double of_nonzero) {
  // JAD takes 1024 rows at once: a loop for every entry of the longest.
  const auto blocks_begun = [](double rows) { return std::ceil(rows / 1024 - 1e-9); };
  double total = 0;
  for (const Stretch& s : stretches) total += of_row * s.rows + of_nonzero * s.nonzeros;
  std::vector<Part> parts(static_cast<std::size_t>(threads));
  const double target = total / threads;
  std::size_t p = 0;
  double filled = 0, in_block = 0;
  for (const Stretch& s : stretches) {
    const double per_row = s.rows > 0 ? s.nonzeros / s.rows : 0, weight = of_row + of_nonzero * per_row;
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

}  // namespace

std::array<ThreadPart, 2> thread_parts(const Structure& s, const std::string& kernel, int threads) {
  std::array<ThreadPart, 2> worst;
  const bool rows_alike = kernel == "ell" || kernel == "hyb";  // padded: as many slots in every row
  if (threads <= 1 || rows_alike || s.block_nonzeros.empty() || s.row_histogram.empty() || s.nonzeros == 0)
    return worst;
  const bool sorted = kernel == "jad";
  const double of_row = kernel == "csr-scalar" || kernel == "csr-merge" ? 1 : 0;
  const double of_nonzero = kernel == "csr-scalar" ? 0 : 1;
  const std::vector<Stretch> stretches = sorted ? longest_first(s) : in_order(s);
  const std::vector<Part> parts = deal(stretches, threads, of_row, of_nonzero);
  // Of a product in one part: rows side by side in a block share a loop that they begin each in parts of their own.
  const double calls = deal(stretches, 1, of_row, of_nonzero).front().calls;
  const auto relative = [&](const Part& part) {
    return ThreadPart{part.nonzeros * threads / static_cast<double>(s.nonzeros),
                      part.rows * threads / static_cast<double>(s.rows),
                      sorted && calls > 0 ? part.calls * threads / calls : 1};
  };
  worst[0] = relative(*std::ranges::max_element(parts, {}, &Part::nonzeros));
  worst[1] = relative(*std::ranges::max_element(parts, {}, &Part::rows));
  const bool cuts_rows = kernel == "coo" || kernel == "csr-merge";
  if (!cuts_rows)  // the longest row is one thread's
    worst[0].nonzeros =
        std::max(worst[0].nonzeros, static_cast<double>(s.row_max) * threads / static_cast<double>(s.nonzeros));
  // Nor is a slice cut, which is as long in all its rows as in the longest.
  constexpr double slice_rows = 8;
  if (const SliceWork* slices = kernel == "sell" ? s.slice(8, 1024) : nullptr; slices != nullptr && slices->slots > 0)
    worst[0].nonzeros = std::max(
        worst[0].nonzeros, slice_rows * static_cast<double>(s.row_max) * threads / static_cast<double>(slices->slots));
  if (sorted) worst[0] = relative(parts[0]);  // where the long rows are, and with them the loops
  return worst;
}

double shared_lines(const Structure& s, const std::string& kernel, int threads) {
  constexpr double line = 8;
  if (threads <= 1 || kernel != "jad" || s.row_histogram.empty() || s.nonzeros == 0) return 0;
  // A line of which a share p of the rows lies on the other side of a border, in no order.
  const auto mixed = [](double p) { return 1 - std::pow(1 - p, line) - std::pow(p, line); };
  const double rows = static_cast<double>(s.rows), part = static_cast<double>(s.nonzeros) / threads;
  double before = 0, longer = 0, most = 0;
  for (auto entry = s.row_histogram.rbegin(); entry != s.row_histogram.rend(); ++entry) {
    const double alike = static_cast<double>(entry->rows), nonzeros = alike * static_cast<double>(entry->length);
    // A border among rows of one length: they keep their order, so those of the first part come first in the matrix.
    const double border = (std::floor(before / part + 1e-9) + 1) * part;
    if (nonzeros > 0 && border < std::min(before + nonzeros, static_cast<double>(s.nonzeros) - 0.5)) {
      const double first = (border - before) / nonzeros, shorter = rows - longer - alike;
      most = std::max(most, first * mixed(shorter / rows) + (1 - first) * mixed(longer / rows));
    }
    before += nonzeros;
    longer += alike;
  }
  return rows / line * most;
}

}  // namespace sparsecast::forecast
