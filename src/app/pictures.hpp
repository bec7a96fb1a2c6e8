#pragma once
// A ranking of machines and forecasts beside measured times as pictures: in characters and as SVG.

#include <sparsecast/answers/compare.hpp>
#include <sparsecast/evaluation.hpp>
#include <string>
#include <vector>

#include "base/page/page.hpp"

namespace sparsecast::app {
/// A bar a machine: what `iterations` products take in all, over the 90 % interval, and the probability that it
/// finishes before the next. At most `most` machines.
std::string ranking_bars(const std::vector<MachinePlace>& ranking, std::int64_t iterations, std::size_t most,
                         const base::Layout& page);
/// The same of all machines, as an SVG document.
std::string ranking_svg(const std::string& title, const std::vector<MachinePlace>& ranking, std::int64_t iterations);

/// By decade of non-zeros: cases, error, how many are inside the interval, and where forecast over measured lies.
/// Empty where the cases do not tell their size.
std::string scatter_text(const std::vector<EvaluationCase>& cases, const base::Layout& page);
/// Forecast over measured time of every case over the measured time, decades of non-zeros in colour and form.
std::string scatter_svg(const std::vector<EvaluationCase>& cases);
}  // namespace sparsecast::app
