#include "planning/search/strategy_search.hpp"

#include <algorithm>
#include <functional>
#include <sparsecast/error.hpp>

#include "base/text.hpp"
#include "forecast/physical/workload.hpp"
#include "formats/kernels.hpp"
#include "matrix/structure/symmetry.hpp"
#include "planning/search/doubt.hpp"
#include "planning/search/row_sorting.hpp"

namespace sparsecast {
namespace {
using planning::number;
using planning::two_sided_90;

std::string share_text(double share) { return base::format_percent(std::abs(share)); }
}  // namespace

Planner::Parts::Search::Search(const Parts& used, const Matrix& of, const StrategyOptions& options)
    : parts(used),
      matrix(of),
      wanted(options),
      cost{options.iterations},
      structure(options.structure ? *options.structure : parts.structure(matrix, options.iterations)),
      whole(forecast_whole()) {
  strategy.device = parts.profile.name;
  strategy.precision = parts.options.precision;
  strategy.threads = parts.options.threads;
  strategy.iterations = wanted.iterations;
  strategy.vectors = wanted.vectors;
  strategy.transposed = wanted.transposed;
  strategy.strip_rows = parts.strip_rows(matrix, wanted);
  strategy.strips = std::max<std::int64_t>(1, (matrix.rows() + strategy.strip_rows - 1) / strategy.strip_rows);
}

// That a matrix is symmetric is taken from a sample of its entries (presumed_symmetry()). All of them are asked where a
// kernel made for it would be chosen.
std::vector<Forecast> Planner::Parts::Search::forecast_whole() {
  std::vector<Forecast> forecasts = parts.forecasts(structure, {wanted.vectors, wanted.transposed});
  plain_csr = planning::plain_among(forecasts);
  std::erase_if(forecasts, [&](const Forecast& one) { return !may_take(one.kernel); });
  const auto made_for_symmetry = [](const Forecast& forecast) {
    return formats::kernel_or_plain(forecast.kernel).made_for == formats::MadeFor::symmetry;
  };
  drop_forms_of_short_rows(forecasts);
  const auto best = std::ranges::min_element(forecasts, {}, [&](const Forecast& f) { return planning::rank(f, cost); });
  if (!parts.on_host() || best == forecasts.end() || !made_for_symmetry(*best)) return forecasts;
  structure.symmetry = matrix::value_symmetry(matrix, parts.options.threads);
  if (structure.symmetry.symmetric != 1) std::erase_if(forecasts, made_for_symmetry);
  return forecasts;
}

// Rows as long as that fill the vectors of CSR's own loops, which read dense stretches without their columns. What
// forms made for shorter ones take there was never measured, and their forecasts err. Looked at: 17 rows of 15,000 to
// 90,000 on one thread of a Zen 4 guest, hyb forecast 252 µs and 297 measured, csr 327 and 212; 25 rows of 8,000 to
// 10,500 with eight vectors, bsr 555 measured, csr 205 (`predict` and `measure --threads 1`).
void Planner::Parts::Search::drop_forms_of_short_rows(std::vector<Forecast>& forecasts) const {
  constexpr double long_row = 1000;
  if (!parts.on_host() || parts.asks_model || structure.rows == 0) return;
  if (number(structure.nonzeros) < long_row * number(structure.rows)) return;
  const auto reads_csr = [](const Forecast& one) {
    return formats::kernel_or_plain(one.kernel).format == formats::csr_format;
  };
  const auto suits = [&](const Forecast& one) {
    return reads_csr(one) ||
           (formats::kernel_or_plain(one.kernel).made_for == formats::MadeFor::blocks && wanted.vectors == 1);
  };
  if (std::ranges::any_of(forecasts, reads_csr)) std::erase_if(forecasts, std::not_fn(suits));
}

void Planner::Parts::Search::rank_singles() {
  std::ranges::stable_sort(whole, {}, [&](const Forecast& forecast) { return planning::rank(forecast, cost); });
  for (const Forecast& forecast : whole)
    strategy.singles.push_back({.kernel = forecast.kernel,
                                .seconds = forecast.seconds,
                                .conversion_s = forecast.preprocess_s.value_or(0),
                                .low_s = forecast.low_s,
                                .high_s = forecast.high_s,
                                .bytes = forecast.bytes.value_or(0)});
  if (strategy.singles.empty())
    throw Error(ErrorCode::failed, "there is no kernel that can be forecast for " + matrix.name(), {},
                wanted.kernels.empty() ? "calibrate the device completely" : "name other kernels, or none");
  strategy.best_single = strategy.singles.front();
}

const Forecast& Planner::Parts::Search::best_single() const {
  return *std::ranges::find(whole, strategy.best_single.kernel, &Forecast::kernel);
}

std::vector<std::string> Planner::Parts::Search::kernels_of_blocks() const {
  std::vector<std::string> names = parts.kernels_of_blocks();
  std::erase_if(names, [&](const std::string& name) { return !may_take(name); });
  return names;
}

// Of a product however small.
double Planner::Parts::Search::launch_s() const {
  const auto launch = std::ranges::find(best_single().parts, Term::launch, &ForecastPart::term);
  return launch != best_single().parts.end() ? launch->seconds : 0;
}

PlannedBlock Planner::Parts::Search::planned(std::int64_t first, std::int64_t last, const std::string& kernel,
                                             double seconds, double conversion_s) const {
  return {first,
          last,
          (first - 1) * strategy.strip_rows,
          std::min(last * strategy.strip_rows, matrix.rows()) - 1,
          kernel,
          false,
          seconds,
          conversion_s};
}

// The best cut into several blocks, and what it gains over the best single kernel.
void Planner::Parts::Search::find_cut() {
  if (!plain() || wanted.max_blocks == 1 || strategy.strips < 2) return;  // blocks are forecast for y = A·x alone
  cut = parts.asks_model ? cut_by_recurrence() : cut_where_rows_change();
  if (cut.empty()) return;
  for (const planning::PricedBlock& block : cut) {
    strategy.best_cut.push_back(
        planned(block.first_strip, block.last_strip, block.forecast.kernel, block.seconds, block.conversion_s));
    strategy.best_cut.back().extrapolated = block.forecast.beyond.has_value();
    cut_s += block.seconds;
    cut_conversion += block.conversion_s;
  }
  if (!parts.asks_model) cut_s *= slowed_by_longest_row();  // a paper's model is its formula
  const double single = cost(strategy.best_single);
  const double spread = two_sided_90 * (cost(doubt_of_cut(), 0)) / single;
  strategy.gain = 1 - cost(cut_s, cut_conversion) / single;
  strategy.gain_low = strategy.gain - spread;
  strategy.gain_high = std::min(1.0, strategy.gain + spread);  // nothing saves more than the whole
}

// A row is one thread's: where the longest takes longer than a thread's share of the whole, it is what counts.
double Planner::Parts::Search::slowed_by_longest_row() const {
  if (parts.options.threads <= 1 || matrix.nonzeros() == 0) return 1;
  return std::max(1.0, number(structure.row_max) / number(matrix.nonzeros()) * parts.options.threads);
}

// Standard deviation of the error of (seconds of the cut − seconds of the best single kernel). As if all forecasts
// erred by themselves; or block by block, against the single kernel on the same rows, which are more like what was
// measured than the whole is, as far as their sum is the whole's time. One kernel errs alike on both sides. Less will
// do.
double Planner::Parts::Search::doubt_of_cut() const {
  const double single_s = strategy.best_single.seconds;
  double apart = std::pow(planning::deviation_of(best_single()) * single_s, 2), by_block = 0, sum = launch_s();
  for (const planning::PricedBlock& block : cut) {
    const double variance = std::pow(planning::deviation_of(block.forecast) * block.seconds, 2);
    apart += variance;
    by_block += block.forecast.kernel == strategy.best_single.kernel
                    ? std::pow(planning::least_disagreement * block.seconds, 2)
                    : variance + std::pow(block.single_deviation * block.single_s, 2);
    sum += block.single_s;
  }
  return std::min(std::sqrt(apart), std::hypot(std::sqrt(by_block), sum - single_s));
}

// The cut, where it is worth it or asked for, else the best single kernel.
void Planner::Parts::Search::choose() {
  // A paper's model is followed as the paper does: wherever it promises anything.
  worthwhile = parts.asks_model ? strategy.gain > 0 : strategy.gain_low > 0 && strategy.gain > constants::least_gain;
  strategy.cut = !strategy.best_cut.empty() && (worthwhile || wanted.always_cut);
  const SingleKernel& best = strategy.best_single;
  strategy.blocks =
      strategy.cut
          ? strategy.best_cut
          : std::vector<PlannedBlock>{planned(1, strategy.strips, best.kernel, best.seconds, best.conversion_s)};
  if (!strategy.cut) strategy.blocks.front().extrapolated = best_single().beyond.has_value();
  strategy.predicted_s = strategy.cut ? cut_s : best.seconds;
  strategy.conversion_s = strategy.cut ? cut_conversion : best.conversion_s;
}

void Planner::Parts::Search::reorder() {
  if (!parts.on_host() || !plain()) return;
  if (parts.asks_model && wanted.reorder != Reorder::always) return;  // the papers know of no order
  const double row_s = forecast::CoreCosts(parts.profile).load_s / std::max(1, parts.options.threads);
  for (std::size_t b = 0; b < strategy.blocks.size(); ++b) {
    PlannedBlock& block = strategy.blocks[b];
    const double seconds = block.seconds, conversion_s = block.conversion_s;
    planning::sort_rows(block, strategy.cut ? cut[b].rows : structure, strategy.cut ? cut[b].forecast : best_single(),
                        parts.models, row_s, wanted.reorder);
    strategy.predicted_s += block.seconds - seconds;
    strategy.conversion_s += block.conversion_s - conversion_s;
  }
}

void Planner::Parts::Search::give_reason() {
  if (!plain()) {
    strategy.reason =
        "one kernel for the whole matrix, as blocks of vectors, transposed products and complex values take";
  } else if (strategy.best_cut.empty()) {
    strategy.reason = strategy.strips < 2 || wanted.max_blocks == 1
                          ? "there is nothing to cut: one strip, or one block requested"
                          : "no cut separates the rows into different stretches that suit different kernels";
  } else if (strategy.gain <= 0) {
    strategy.reason = "every cut is predicted slower than " + strategy.best_single.kernel + " alone";
  } else if (worthwhile) {
    strategy.reason =
        "the cut is predicted to save " + share_text(strategy.gain) +
        (parts.asks_model ? " by model " + parts.models.names().front() : ", beyond the forecast's uncertainty") +
        (strategy.gain_low > 0 ? "" : ", whose errors may be as large");
  } else {
    strategy.reason = strategy.gain_low > 0
                          ? "the best cut saves too little to be worth it, " + share_text(strategy.gain)
                          : "what the best cut may save is within the forecast's uncertainty";
    if (strategy.cut) strategy.reason += "; taken because it was requested";
  }
  if (const auto beyond = std::ranges::count_if(strategy.blocks, &PlannedBlock::extrapolated); beyond > 0)
    strategy.reason += "; extrapolated: model " + parts.models.names().front() + " does not reach " +
                       (strategy.cut ? base::format_count(beyond) + " of the blocks" : strategy.best_single.kernel);
}
}  // namespace sparsecast
