#include "plan/search/refined_cut.hpp"

#include <algorithm>
#include <cmath>

#include "matrix/structure/structure_parts.hpp"
#include "plan/run/row_range.hpp"
#include "plan/search/numbers.hpp"

namespace sparsecast::planning {
namespace {

constexpr double two_sided_90 = 1.645;  // standard deviations of a normal distribution

}  // namespace

Structure repeated(const Structure& rows, double times) {
  const auto more = [&](std::int64_t& count) {
    if (count > 0) count = std::llround(number(count) * times);
  };
  Structure s = rows;
  for (std::int64_t* count : {&s.rows, &s.nonzeros, &s.empty_rows}) more(*count);
  for (RowLengthCount& entry : s.row_histogram) more(entry.rows);
  for (SliceWork& slices : s.slices) more(slices.slots);
  RowGroups& g = s.row_groups;
  for (std::int64_t* count : {&g.groups, &g.shortest, &g.longest, &g.turns, &g.cut_shortest, &g.cut_longest,
                              &g.cut_turns, &g.short_groups, &g.more_vectors, &g.more_rows, &g.rest_nonzeros})
    more(*count);
  for (std::int64_t& part : s.block_nonzeros) more(part);
  more(s.dense_diagonals.nonzeros);
  more(s.dense_diagonals.rest_rows);
  more(s.dense_blocks.blocks);
  s.symmetry.symmetric = 0;  // rows of a matrix are not its transpose's
  return s;
}

RefinedCuts::RefinedCuts(const Matrix& matrix, std::int64_t strip_rows, const forecast::ModelSet& models,
                         std::vector<std::string> kernels, const Structure& whole, Objective objective, int threads,
                         Precision precision, double launch_s)
    : matrix_(matrix),
      strip_rows_(strip_rows),
      models_(models),
      kernels_(std::move(kernels)),
      whole_(whole),
      objective_(objective),
      threads_(threads),
      precision_(precision),
      launch_s_(launch_s) {}

RefinedBlock RefinedCuts::forecast(std::int64_t first, std::int64_t last) const {
  const Matrix rows = row_range(matrix_, (first - 1) * strip_rows_, std::min(last * strip_rows_, matrix_.rows()));
  const int line = 64 / value_bytes(precision_);
  const Structure alone = matrix::analyze_for(rows, {.lines = {&line, 1}, .forms = true}, threads_);
  const double times = number(whole_.nonzeros) / std::max(1.0, number(alone.nonzeros));
  RefinedBlock best;
  best.block = {first, last, 0, never};
  best.seconds = never;
  double least = never;
  for (const Forecast& forecast : models_.best(repeated(alone, times), kernels_)) {
    const double launch = std::min(launch_s_, forecast.seconds / 2);
    const double seconds = (forecast.seconds - launch) / times;
    const double conversion = forecast.preprocess_s.value_or(0) / times;
    const double cost = objective_.product * seconds + objective_.conversion * conversion;
    if (cost >= least) continue;
    least = cost;
    best.kernel = forecast.kernel;
    best.seconds = best.block.seconds = seconds;
    best.conversion_s = conversion;
    best.deviation = std::log(forecast.high_s / forecast.low_s) / 2 / two_sided_90;
  }
  return best;
}

const RefinedBlock& RefinedCuts::block(std::int64_t first, std::int64_t last) {
  const auto [found, added] = known_.try_emplace({first, last});
  if (added) found->second = forecast(first, last);
  return found->second;
}

RefinedCut RefinedCuts::cut(const std::vector<std::int64_t>& borders, std::int64_t strips) {
  RefinedCut cut;
  cut.seconds = launch_s_;
  double variance = 0;
  std::int64_t first = 1;
  for (std::size_t b = 0; b <= borders.size(); ++b) {
    const std::int64_t last = b < borders.size() ? borders[b] : strips;
    const RefinedBlock& known = block(first, last);
    if (!(known.seconds < never)) return {};
    cut.seconds += known.seconds;
    cut.conversion_s += known.conversion_s;
    variance += std::pow(known.seconds * known.deviation, 2);
    cut.blocks.push_back(known);
    first = last + 1;
  }
  cut.deviation_s = std::sqrt(variance);
  return cut;
}

}  // namespace sparsecast::planning
