#include "plan/search/change_of_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "plan/search/numbers.hpp"

namespace sparsecast::planning {
namespace {

constexpr double least_share = 0.1;    // of the non-zeros, of a stretch
constexpr double least_parting = 0.5;  // of the scatter of the strips about their mean that a border must explain
// Squared distance of the two sides' means, in the lengths below. Found by looking at which judged and generated
// matrices have such borders.
constexpr double least_distance_squared = 1.6;

// Of few strips some border always seems to explain much.
constexpr std::int64_t fewest_strips = 8;

// What kernels ask of rows, in lengths at which it matters to them (as forecast/learned/residual_features.hpp has
// them): length, its spread, what a branch predictor misses, runs of columns, their span.
constexpr std::size_t traits = 5;
using Traits = std::array<double, traits>;

Traits traits_of(const StripContent& strip) {
  const double rows = std::max(1.0, strip.rows), nonzeros = std::max(1.0, strip.nonzeros), mean = nonzeros / rows;
  const double variance = std::max(0.0, strip.squared_lengths / rows - mean * mean);
  return {std::log(mean) / 1.2, std::log1p(std::sqrt(variance) / mean) / 0.8, strip.mispredictions / rows / 0.4,
          -std::log(1.02 - std::min(1.0, strip.adjacent / nonzeros)) / 1.2,
          std::log(std::max(strip.span / rows, 1e-5)) / 3};
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
  return best.explained >= least_parting * scatter && apart >= least_distance_squared ? best : Border();
}

}  // namespace

std::vector<std::int64_t> changes_of_rows(const StripSums& strips, int most_stretches) {
  const std::int64_t count = strips.strips();
  if (count < fewest_strips) return {};
  std::vector<Moments> before(at(count) + 1);
  for (std::int64_t s = 1; s <= count; ++s) {
    before[at(s)] = before[at(s - 1)];
    before[at(s)].add(traits_of(strips[s]), std::max(1.0, strips[s].nonzeros));
  }
  const double least_weight = least_share * before[at(count)].weight;
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

bool some_stretch_is_regular(const StripSums& strips, const std::vector<std::int64_t>& borders) {
  // Set so that graphs among the judged matrices, whose rows change without any form for a stretch, are left alone. An
  // entry in seven off the pattern, or a column in two within a run, is what forms bear (dense diagonals are those
  // that half of the rows have; blocks of two by two are half full).
  const auto regular = [](const StripContent& rows) {
    const double count = std::max(1.0, rows.rows), nonzeros = std::max(1.0, rows.nonzeros), mean = nonzeros / count;
    const double variance = std::max(0.0, rows.squared_lengths / count - mean * mean);
    return (rows.mispredictions < count / 7 && std::sqrt(variance) < mean / 3) || rows.adjacent > nonzeros / 2;
  };
  if (borders.empty()) return false;
  std::int64_t first = 1;
  for (std::size_t b = 0; b <= borders.size(); ++b) {
    const std::int64_t last = b < borders.size() ? borders[b] : strips.strips();
    StripContent rows;
    for (std::int64_t strip = first; strip <= last; ++strip) rows.add(strips[strip]);
    if (regular(rows)) return true;
    first = last + 1;
  }
  return false;
}

}  // namespace sparsecast::planning
