#include "plan/search/refined_cut.hpp"

#include <algorithm>
#include <cmath>

#include "matrix/structure/structure_parts.hpp"
#include "plan/run/row_range.hpp"
#include "plan/search/numbers.hpp"

namespace sparsecast::planning {
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

namespace {

RefinedBlock best_block(const CutQuestion& asked, std::int64_t first, std::int64_t last) {
  const std::int64_t end = std::min(last * asked.strip_rows, asked.matrix.rows());
  const Matrix rows = row_range(asked.matrix, (first - 1) * asked.strip_rows, end);
  const int line = 64 / value_bytes(asked.precision);
  // Of blocks with like rows throughout, smaller samples tell as much.
  const Structure alone = matrix::analyze_for(rows, {.lines = {&line, 1}, .sparser = 2}, asked.threads);
  const double times = number(asked.matrix.nonzeros()) / std::max(1.0, number(alone.nonzeros));
  RefinedBlock best;
  best.first_strip = first;
  best.last_strip = last;
  best.seconds = never;
  double least = never;
  for (const Forecast& forecast : asked.models.best(repeated(alone, times), asked.kernels)) {
    const double launch = std::min(asked.launch_s, forecast.seconds / 2);
    const double seconds = (forecast.seconds - launch) / times;
    const double conversion = forecast.preprocess_s.value_or(0) / times;
    const double cost = asked.objective.product * seconds + asked.objective.conversion * conversion;
    if (cost >= least) continue;
    least = cost;
    best.kernel = forecast.kernel;
    best.seconds = seconds;
    best.conversion_s = conversion;
    best.deviation = std::log(forecast.high_s / forecast.low_s) / 2 / two_sided_90;
  }
  return best;
}

}  // namespace

RefinedCut refine_cut(const CutQuestion& asked, const std::vector<std::int64_t>& borders) {
  RefinedCut cut;
  cut.seconds = asked.launch_s;
  double variance = 0;
  std::int64_t first = 1;
  for (std::size_t b = 0; b <= borders.size(); ++b) {
    const std::int64_t last = b < borders.size() ? borders[b] : asked.strips;
    const RefinedBlock block = best_block(asked, first, last);
    if (!(block.seconds < never)) return {};
    cut.seconds += block.seconds;
    cut.conversion_s += block.conversion_s;
    variance += std::pow(block.seconds * block.deviation, 2);
    cut.blocks.push_back(block);
    first = last + 1;
  }
  cut.deviation_s = std::sqrt(variance);
  return cut;
}

}  // namespace sparsecast::planning
