#pragma once
// A ranking of machines and forecasts beside measured times as pictures: in characters and as SVG.

#include <sparsecast/answers/compare.hpp>
#include <sparsecast/evaluation.hpp>

#include "base/page/text_layout.hpp"

namespace sparsecast::app {
/// Seconds, all above 0.
struct Interval {
  double low = 0, middle = 0, high = 0;
};
/// A table (the head first, all rows of one length) with a bar for each interval on a common logarithmic axis in front
/// of column `at`, as wide as the page has room for.
std::string bar_table(std::vector<std::vector<std::string>> rows, std::size_t at,
                      const std::vector<Interval>& intervals, const base::Layout& page);

/// Error usage where a file for a picture, which may be empty, is not named as the SVG document that it will be.
void require_svg(const std::filesystem::path& file);

/// What `iterations` products take in all, and the probability that the machine finishes before the next.
Interval total_interval(const MachinePlace& place, std::int64_t iterations);
std::string chance_text(const MachinePlace& place);
/// Both of all machines, as an SVG document. `work`: what the times are of, as in "10 iterations of cg".
std::string ranking_svg(const std::string& title, const std::string& work, const std::vector<MachinePlace>& ranking,
                        std::int64_t iterations);

/// By decade of non-zeros: cases, error, how many are inside the interval, and where forecast over measured lies.
/// Empty where the cases do not tell their size.
std::string scatter_text(const std::vector<EvaluationCase>& cases, const base::Layout& page);
/// Forecast over measured time of every case over the measured time, decades of non-zeros in colour and form.
std::string scatter_svg(const std::vector<EvaluationCase>& cases);
}  // namespace sparsecast::app
