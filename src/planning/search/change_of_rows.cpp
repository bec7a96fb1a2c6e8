#include "planning/search/change_of_rows.hpp"

#include <algorithm>
#include <cmath>

#include "base/interrupt.hpp"
#include "base/parallel_for.hpp"
#include "planning/search/numbers.hpp"

namespace sparsecast::planning {
namespace {
constexpr double least_parting = 0.5;  // of the scatter of the strips about their mean that a border must explain
// Of few strips some border always seems to explain much.
constexpr std::int64_t fewest_strips = 8;

// Of the columns: one non-zero in so many of the matrix is looked at, evenly over the strips, and of one row so many.
constexpr std::int64_t sampled_share = 64, fewest_sampled = 1 << 10, most_sampled = 1 << 20, most_of_a_row = 256;
constexpr double fewest_sampled_rows = 8;  // of a strip

template <class Csr>
RowSums lengths_of(const Csr& csr, std::int64_t first, std::int64_t last) {
  const auto* pointers = csr.row_pointers.data();
  double squares = 0;
  std::int64_t turns = 0, before = first < last ? pointers[first + 1] - pointers[first] : 0;
  for (std::int64_t row = first; row < last; ++row) {
    const std::int64_t length = pointers[row + 1] - pointers[row];
    squares += number(length) * number(length);
    turns += length != before ? 1 : 0;
    before = length;
  }
  return {number(last - first), number(pointers[last] - pointers[first]), squares, number(turns), 0, 0};
}

// Locality of the columns, from every step-th row of the strip.
template <class Csr>
void sample_columns(const Csr& csr, std::int64_t first, std::int64_t last, std::int64_t step, RowSums& sums) {
  double looked_at = 0, seen = 0, adjacent = 0, span = 0;
  const auto* columns = csr.column_indices.data();
  for (std::int64_t row = first; row < last; row += step) {
    const std::int64_t begin = csr.row_pointers[row], end = csr.row_pointers[row + 1];
    looked_at += 1;
    if (begin == end) continue;
    span += number(columns[end - 1] - columns[begin]);
    const std::int64_t stop = std::min(end, begin + most_of_a_row);
    std::int64_t pairs = 0;
    for (std::int64_t k = begin + 1; k < stop; ++k) pairs += columns[k] - columns[k - 1] == 1;
    adjacent += number(pairs) / number(stop - begin) * number(end - begin);
    seen += number(end - begin);
  }
  if (looked_at == 0) return;
  sums.span = span / looked_at * sums.rows / number(std::max<std::int64_t>(1, csr.cols));
  if (seen > 0) sums.adjacent = adjacent / seen * sums.nonzeros;
}

// What kernels ask of rows, in lengths at which it matters to them: length, its spread, what a branch predictor misses,
// runs of columns, their span.
constexpr std::size_t traits = 5;
using Traits = std::array<double, traits>;

double deviation_of_lengths(const RowSums& s) {
  const double rows = std::max(1.0, s.rows), mean = s.nonzeros / rows;
  return std::sqrt(std::max(0.0, s.squared_lengths / rows - mean * mean));
}

Traits traits_of(const RowSums& s) {
  const double rows = std::max(1.0, s.rows), nonzeros = std::max(1.0, s.nonzeros), mean = nonzeros / rows;
  const auto& unit = constants::trait_units;
  const double together = std::min(1.0, s.adjacent / nonzeros), span = std::max(s.span / rows, 1e-6);
  return {std::log(mean) / unit[0], std::log1p(deviation_of_lengths(s) / mean) / unit[1], s.turns / rows / unit[2],
          -std::log(1 + constants::least_lone - together) / unit[3], std::log(span) / unit[4]};
}

// Sums over the strips before, weighted by their non-zeros.
struct Moments {
  double weight = 0;
  Traits sum{}, squares{};

  void add(const Traits& t, double w) {
    weight += w;
    for (std::size_t i = 0; i < traits; ++i) {
      sum[i] += w * t[i];
      squares[i] += w * t[i] * t[i];
    }
  }
  [[nodiscard]] Moments minus(const Moments& other) const {
    Moments m = *this;
    m.weight -= other.weight;
    for (std::size_t i = 0; i < traits; ++i) {
      m.sum[i] -= other.sum[i];
      m.squares[i] -= other.squares[i];
    }
    return m;
  }
  // Σ weight · (distance to the mean)².
  [[nodiscard]] double scatter() const {
    if (weight <= 0) return 0;
    double s = 0;
    for (std::size_t i = 0; i < traits; ++i) s += std::max(0.0, squares[i] - sum[i] * sum[i] / weight);
    return s;
  }
};

struct Border {
  std::int64_t after = 0;  // 0: none
  double explained = 0;    // scatter that it takes away
};

// The best border within strips first … last.
Border best_border(const std::vector<Moments>& before, std::int64_t first, std::int64_t last, double least_weight) {
  const Moments all = before[at(last)].minus(before[at(first - 1)]);
  const double scatter = all.scatter();
  Border best;
  for (std::int64_t s = first; s < last; ++s) {
    const Moments low = before[at(s)].minus(before[at(first - 1)]), high = before[at(last)].minus(before[at(s)]);
    if (low.weight < least_weight || high.weight < least_weight) continue;
    const double explained = scatter - low.scatter() - high.scatter();
    if (explained > best.explained) best = {s, explained};
  }
  if (best.after == 0) return best;
  // Two groups of weights a and b whose means are a distance apart scatter by distance² · a·b/(a + b).
  const double below = before[at(best.after)].minus(before[at(first - 1)]).weight;
  const double apart = best.explained * all.weight / (below * (all.weight - below));
  return best.explained >= least_parting * scatter && apart >= constants::rows_apart ? best : Border();
}

}  // namespace

void RowSums::add(const RowSums& other) {
  rows += other.rows;
  nonzeros += other.nonzeros;
  squared_lengths += other.squared_lengths;
  turns += other.turns;
  span += other.span;
  adjacent += other.adjacent;
}

std::vector<RowSums> sums_of_strips(const Matrix& matrix, std::int64_t strip_rows, int threads) {
  const std::int64_t rows = matrix.rows(), strips = (rows + strip_rows - 1) / strip_rows;
  const double sampled =
      number(std::clamp(matrix.nonzeros() / sampled_share, fewest_sampled, most_sampled)) / number(strips);
  std::vector<RowSums> sums(at(strips));
  constexpr std::int64_t alone_nonzeros = 1 << 15;  // they take as long as it takes to wake another thread
  if (matrix.nonzeros() < alone_nonzeros) threads = 1;
  matrix.visit_pattern([&](const auto& csr) {
    base::parallel_for(strips, {threads}, [&](std::int64_t strip) {
      const std::int64_t first = strip * strip_rows, last = std::min(rows, first + strip_rows);
      RowSums& of = sums[at(strip)] = lengths_of(csr, first, last);
      // So many rows of mean length make up the strip's share of the sample.
      const double mean = std::max(1.0, of.nonzeros / std::max(1.0, of.rows));
      const double wanted = std::max(fewest_sampled_rows, sampled / std::min(mean, 2.0 * number(most_of_a_row)));
      // Odd, as rows often come in groups of two, four or six unknowns of one point.
      sample_columns(csr, first, last, static_cast<std::int64_t>(of.rows / wanted) | 1, of);
    });
  });
  return sums;
}

std::vector<std::int64_t> changes_of_rows(const std::vector<RowSums>& strips, int most_stretches) {
  const auto count = static_cast<std::int64_t>(strips.size());
  if (count < fewest_strips) return {};
  std::vector<Moments> before(at(count) + 1);
  for (std::int64_t s = 1; s <= count; ++s) {
    before[at(s)] = before[at(s - 1)];
    before[at(s)].add(traits_of(strips[at(s - 1)]), std::max(1.0, strips[at(s - 1)].nonzeros));
  }
  const double least_weight = constants::worthwhile * before[at(count)].weight;
  // The border that explains most is taken first, then the best one within either side.
  std::vector<std::int64_t> borders;
  while (static_cast<int>(borders.size()) + 1 < most_stretches) {
    Border best;
    std::int64_t first = 1;
    for (std::size_t b = 0; b <= borders.size(); ++b) {
      const std::int64_t last = b < borders.size() ? borders[b] : count;
      const Border border = best_border(before, first, last, least_weight);
      if (border.explained > best.explained) best = border;
      first = last + 1;
    }
    if (best.after == 0) break;
    borders.insert(std::ranges::upper_bound(borders, best.after), best.after);
  }
  return borders;
}

bool some_stretch_is_regular(const std::vector<RowSums>& strips, const std::vector<std::int64_t>& borders) {
  // Set so that graphs among the judged matrices, whose rows change without any form for a stretch, are left alone. An
  // entry in seven off the pattern, or a column in two within a run, is what forms bear (dense diagonals are those
  // that half of the rows have; blocks of two by two are half full).
  const auto regular = [](const RowSums& s) {
    const double rows = std::max(1.0, s.rows), nonzeros = std::max(1.0, s.nonzeros);
    return (s.turns < rows / 7 && deviation_of_lengths(s) < nonzeros / rows / 3) || s.adjacent > nonzeros / 2;
  };
  if (borders.empty()) return false;
  std::int64_t first = 1;
  for (std::size_t b = 0; b <= borders.size(); ++b) {
    const std::int64_t last = b < borders.size() ? borders[b] : static_cast<std::int64_t>(strips.size());
    RowSums stretch;
    for (std::int64_t strip = first; strip <= last; ++strip) stretch.add(strips[at(strip - 1)]);
    if (regular(stretch)) return true;
    first = last + 1;
  }
  return false;
}
}  // namespace sparsecast::planning
