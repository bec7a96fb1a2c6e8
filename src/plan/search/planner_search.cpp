// One search for a strategy: single kernels by the full models, the best cut by the quick forecast, the few cuts that
// may win by the full models again.

#include <algorithm>
#include <cmath>
#include <sparsecast/error.hpp>

#include "base/text.hpp"
#include "matrix/structure/forms.hpp"
#include "plan/search/change_of_rows.hpp"
#include "plan/search/model_block_times.hpp"
#include "plan/search/numbers.hpp"
#include "plan/search/planner_parts.hpp"
#include "plan/search/refined_cut.hpp"
#include "plan/search/row_order.hpp"

namespace sparsecast {
namespace {

using planning::least_disagreement;
using planning::never;
using planning::number;
using planning::two_sided_90;

// A cut that promises less is within what dealing rows anew and another placement in memory do to a product.
constexpr double least_gain = 0.1;
// The same where the full models have forecast every block.
constexpr double least_refined_gain = 0.05;
// What the quick forecast must promise for the full models to be asked about its cut, and of how many blocks at most;
// and from how many products on what that costs (some ten of a large matrix) may come back.
constexpr double worth_refining = 0.1;
constexpr int most_refined_blocks = 4;
constexpr std::int64_t fewest_products = 100;
// Of the logarithm of a cut's time over a single kernel's that no records tell the quick forecast of: no cut is
// advised.
constexpr double unknown_doubt = 1;

// How the matrix reads x, in the lines of that precision.
planning::Gathering gathering_of(const Structure& structure, int per_line, const DeviceProperties& properties) {
  const auto reuse = std::ranges::find(structure.x_reuse, per_line, &XReuse::elements_per_line);
  const forecast::MissShares misses(reuse == structure.x_reuse.end() ? XReuse() : *reuse, properties);
  return {number(structure.cols), misses, 1 - structure.neighbours / 2};
}

std::string share_text(double share) { return base::format_percent(std::abs(share)); }

}  // namespace

Planner::Parts::Search::Search(const Parts& used, const Matrix& of, const StrategyOptions& options)
    : parts(used),
      matrix(of),
      wanted(options),
      quick(parts.quick),
      allowance(matrix, parts.profile, quick.kernels().size()),
      strip_rows(std::max<std::int64_t>(
          1, std::min(parts.strip_rows(matrix, wanted, allowance), std::max<std::int64_t>(1, matrix.rows())))),
      strips(matrix, strip_rows, allowance.sampled_nonzeros),
      structure(parts.structure(matrix)),
      gathering(gathering_of(structure, 64 / value_bytes(parts.options.precision), parts.profile.properties)),
      objective(wanted.iterations > 0 ? planning::Objective{number(wanted.iterations), 1} : planning::Objective{}),
      whole(forecast_whole()),
      times(price_blocks()) {}

// That a matrix is symmetric is taken from a sample of its entries (presumed_symmetry()). All of them are asked where a
// kernel made for it would be chosen.
std::vector<Forecast> Planner::Parts::Search::forecast_whole() {
  std::vector<Forecast> forecasts = parts.forecasts(structure, {wanted.vectors, wanted.transposed});
  const auto made_for_symmetry = [](const Forecast& forecast) {
    return formats::kernel_or_plain(forecast.kernel).made_for == formats::MadeFor::symmetry;
  };
  const auto best = std::ranges::min_element(forecasts, {}, [&](const Forecast& forecast) {
    return cost(forecast.seconds, forecast.preprocess_s.value_or(0));
  });
  if (!parts.on_host() || best == forecasts.end() || !made_for_symmetry(*best)) return forecasts;
  structure.symmetry = matrix::value_symmetry(matrix, parts.options.threads);
  if (structure.symmetry.symmetric != 1) std::erase_if(forecasts, made_for_symmetry);
  return forecasts;
}

std::unique_ptr<planning::BlockPrices> Planner::Parts::Search::price_blocks() const {
  if (parts.asks_model)
    return std::make_unique<planning::ModelBlockTimes>(parts.models, quick, strips, whole, whole_only(), objective);
  return std::make_unique<planning::KernelBlockTimes>(quick, strips, gathering, whole_seconds(), whole_only(),
                                                      objective);
}

void Planner::Parts::Search::describe() {
  strategy.device = parts.profile.name;
  strategy.precision = parts.options.precision;
  strategy.threads = parts.options.threads;
  strategy.iterations = wanted.iterations;
  strategy.strips = strips.strips();
  strategy.strip_rows = strip_rows;
}

// What the quick forecast knows the best single kernel as; −1 where it does not.
int Planner::Parts::Search::quick_single() const {
  return quick.find(std::string(formats::measured_as(strategy.best_single.kernel)));
}

// Of the kernels of the search.
std::vector<double> Planner::Parts::Search::whole_seconds() const {
  std::vector<double> seconds(quick.kernels().size(), never);
  for (const Forecast& forecast : whole)
    if (const int kernel = quick.find(forecast.kernel); kernel >= 0)
      seconds[static_cast<std::size_t>(kernel)] = forecast.seconds;
  return seconds;
}

// Kernels that no block of a cut may take.
std::vector<bool> Planner::Parts::Search::whole_only() const {
  // Blocks of a cut are dealt to the host's threads by rows (host_blocks.hpp), each part to one thread.
  std::vector<bool> only(quick.kernels().size(), false);
  if (parts.on_host())
    for (std::size_t k = 0; k < only.size(); ++k) only[k] = quick.info(static_cast<int>(k)).whole_only;
  return only;
}

void Planner::Parts::Search::rank_singles() {
  for (const Forecast& forecast : whole)
    strategy.singles.push_back({forecast.kernel, forecast.seconds, forecast.preprocess_s.value_or(0)});
  if (strategy.singles.empty())
    throw Error(ErrorCode::failed, "no kernel can be forecast for " + matrix.name(), {}, "calibrate the device fully");
  std::ranges::stable_sort(strategy.singles, {},
                           [&](const SingleKernel& single) { return cost(single.seconds, single.conversion_s); });
  strategy.best_single = strategy.singles.front();
}

std::vector<PlannedBlock> Planner::Parts::Search::blocks_of(const planning::Cut& cut) const {
  std::vector<PlannedBlock> blocks;
  for (const planning::CutBlock& block : cut.blocks)
    blocks.push_back({block.first, block.last, (block.first - 1) * strip_rows,
                      std::min(block.last * strip_rows, matrix.rows()) - 1,
                      quick.kernels()[static_cast<std::size_t>(block.kernel)], false,
                      times->seconds(block.kernel, block.first, block.last),
                      times->conversion_seconds(block.kernel, block.first, block.last)});
  return blocks;
}

// The best cut into several blocks, and what it gains over the best single kernel.
void Planner::Parts::Search::find_best_cut() {
  if (!plain()) return;  // the quick forecast, which strips are added up by, knows y = A·x alone
  const planning::CutSearch search =
      wanted.max_blocks > 0 ? planning::optimal_cut(*times, wanted.max_blocks) : planning::optimal_cut(*times);
  if (search.several.blocks.empty()) return;
  strategy.best_cut = blocks_of(search.several);
  const int single = quick_single();
  double doubt = 0;  // of the cut's cost: blocks err together, as one model forecast them
  for (std::size_t b = 0; b < strategy.best_cut.size(); ++b) {
    const PlannedBlock& block = strategy.best_cut[b];
    cut_s += block.seconds;
    cut_conversion += block.conversion_s;
    const double of_block = single >= 0 ? times->doubt(search.several.blocks[b].kernel, single) : unknown_doubt;
    doubt += objective.product * block.seconds * of_block;
  }
  cut_s *= slowed_by_longest_row();
  tell_gain(doubt);
}

// A row is one thread's: where the longest takes longer than a thread's share of the whole, it is what counts.
double Planner::Parts::Search::slowed_by_longest_row() const {
  if (parts.options.threads <= 1 || matrix.nonzeros() == 0) return 1;
  const double longest = number(strips.whole().longest) / number(matrix.nonzeros());
  return std::max(1.0, longest * parts.options.threads);
}

// Of the best cut over the best single kernel; `doubt`: standard deviation of the difference of their costs.
void Planner::Parts::Search::tell_gain(double doubt) {
  const double single_cost = cost(strategy.best_single.seconds, strategy.best_single.conversion_s);
  strategy.gain = 1 - cost(cut_s, cut_conversion) / single_cost;
  strategy.gain_low = strategy.gain - two_sided_90 * doubt / single_cost;
  strategy.gain_high = strategy.gain + two_sided_90 * doubt / single_cost;
}

// Standard deviation of the error of the best single kernel's time.
double Planner::Parts::Search::deviation_of_single() const {
  const auto best = std::ranges::find(whole, strategy.best_single.kernel, &Forecast::kernel);
  if (best == whole.end() || best->low_s <= 0) return unknown_doubt * strategy.best_single.seconds;
  return best->seconds * std::log(best->high_s / best->low_s) / 2 / two_sided_90;
}

// Standard deviation of the error of (seconds of the cut − seconds of the best single kernel): by the full models'
// intervals as if all forecasts erred independently, or by what comparisons of the kernels were off by on families held
// back, where errors that two kernels have in common cancel. Neither is known to hold for blocks: the smaller will do.
double Planner::Parts::Search::doubt_of(const planning::RefinedCut& cut) const {
  const int single = quick_single();
  double compared = 0;
  for (const planning::RefinedBlock& block : cut.blocks) {
    const int kernel = quick.find(block.kernel);
    const double doubt = kernel < 0 || single < 0 ? unknown_doubt : quick.disagreement(kernel, single);
    compared += block.seconds * std::max(least_disagreement, doubt);
  }
  return std::min(compared, std::hypot(cut.deviation_s, deviation_of_single()));
}

// The cut where the rows change character: a form made for one stretch of them is nothing that sums over strips can
// see. Where they do not, the quick forecast's cut if it promises something.
std::vector<std::int64_t> Planner::Parts::Search::borders_worth_refining() const {
  const int most = wanted.max_blocks > 0 ? std::min(wanted.max_blocks, most_refined_blocks) : most_refined_blocks;
  std::vector<std::int64_t> borders = planning::changes_of_rows(strips, most);
  if (!planning::some_stretch_is_regular(strips, borders)) borders.clear();
  const auto count = static_cast<int>(strategy.best_cut.size());
  if (borders.empty() && count <= most && strategy.gain >= worth_refining)
    for (int b = 0; b + 1 < count; ++b) borders.push_back(strategy.best_cut[static_cast<std::size_t>(b)].last_strip);
  return borders;
}

// A form made for diagonals or blocks of a matrix may be made for those of some of its rows.
std::vector<std::string> Planner::Parts::Search::kernels_of_blocks() const {
  std::vector<std::string> names;
  for (const std::string& name : parts.kernels) {
    const formats::KernelInfo& kernel = formats::kernel_or_plain(name);
    const bool form = kernel.made_for == formats::MadeFor::diagonals || kernel.made_for == formats::MadeFor::blocks;
    if (form || (kernel.made_for == formats::MadeFor::any && !kernel.whole_only)) names.push_back(name);
  }
  return names;
}

// The full models' word on the cut that may win; it replaces the quick forecast's.
void Planner::Parts::Search::refine_cut() {
  if (parts.asks_model || !parts.on_host() || strategy.best_cut.empty()) return;
  if (wanted.iterations > 0 && wanted.iterations < fewest_products) return;
  const std::vector<std::int64_t> borders = borders_worth_refining();
  if (borders.empty()) return;
  const int single = quick_single();
  const planning::RefinedCut best =
      planning::refine_cut({matrix, strip_rows, strips.strips(), parts.models, kernels_of_blocks(), objective,
                            parts.options.threads, parts.options.precision, single >= 0 ? quick.launch(single) : 0},
                           borders);
  if (best.blocks.empty()) return;
  refined = true;
  strategy.best_cut.clear();
  for (const planning::RefinedBlock& block : best.blocks)
    strategy.best_cut.push_back({block.first_strip, block.last_strip, (block.first_strip - 1) * strip_rows,
                                 std::min(block.last_strip * strip_rows, matrix.rows()) - 1, block.kernel, false,
                                 block.seconds, block.conversion_s});
  cut_s = best.seconds * slowed_by_longest_row();
  cut_conversion = best.conversion_s;
  tell_gain(objective.product * doubt_of(best));
}

// The cut, where it is worth it or asked for, else the best single kernel.
void Planner::Parts::Search::choose() {
  // A paper's model is followed as the paper does: wherever it promises anything.
  const double least = refined ? least_refined_gain : least_gain;
  worthwhile = parts.asks_model ? strategy.gain > 0 : strategy.gain_low > 0 && strategy.gain > least;
  strategy.cut = !strategy.best_cut.empty() && (worthwhile || wanted.always_cut);
  if (strategy.cut) {
    strategy.blocks = strategy.best_cut;
    strategy.predicted_s = cut_s;
    strategy.conversion_s = cut_conversion;
  } else {
    const SingleKernel& best = strategy.best_single;
    strategy.blocks = {{1, strips.strips(), 0, matrix.rows() - 1, best.kernel, false, best.seconds, best.conversion_s}};
    strategy.predicted_s = best.seconds;
    strategy.conversion_s = best.conversion_s;
  }
}

void Planner::Parts::Search::reorder() {
  if (!parts.on_host() || !plain()) return;
  planning::reorder_rows(strategy.blocks, strips, gathering, quick, parts.options.threads, wanted.reorder);
  if (std::ranges::any_of(strategy.blocks, &PlannedBlock::reordered)) {
    strategy.predicted_s = strategy.conversion_s = 0;
    for (const PlannedBlock& block : strategy.blocks) {
      strategy.predicted_s += block.seconds;
      strategy.conversion_s += block.conversion_s;
    }
  }
}

void Planner::Parts::Search::give_reason() {
  if (!plain()) {
    strategy.reason = "one kernel for the whole matrix, as blocks of vectors and transposed products take";
  } else if (strategy.best_cut.empty()) {
    strategy.reason = "there is nothing to cut: one strip, or one block asked for";
  } else if (strategy.gain <= 0) {
    strategy.reason = "every cut is predicted slower than " + strategy.best_single.kernel + " alone";
  } else if (worthwhile) {
    strategy.reason =
        "the cut is predicted to save " + share_text(strategy.gain) +
        (parts.asks_model ? " by model " + parts.models.names().front() : ", beyond the forecast's uncertainty");
  } else {
    strategy.reason = "the best cut is predicted to save " + share_text(strategy.gain) +
                      ", which is within the forecast's uncertainty";
    if (strategy.cut) strategy.reason += "; taken as asked";
  }
}

void Planner::Parts::Search::find_break_even() {
  // Against the kernel that needs no conversion.
  const auto plain = std::ranges::find(strategy.singles, formats::default_kernel().name, &SingleKernel::kernel);
  if (plain != strategy.singles.end()) {
    const double saved = plain->seconds - strategy.predicted_s, spent = strategy.conversion_s - plain->conversion_s;
    if (spent > 0)
      strategy.break_even = saved > 0 ? static_cast<std::int64_t>(std::ceil(std::min(spent / saved, 1e15))) : -1;
  }
}

}  // namespace sparsecast
