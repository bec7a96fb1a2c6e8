// Planner: from a matrix in memory to a strategy, within the time of some products of a large matrix. A single kernel's
// time is the model's forecast from the matrix's whole Structure, the same that `sparsecast predict` gives. The strips
// of a cut are added up by the quick forecast and scaled to it; what they may cost is bounded by the estimated time of
// a product (Allowance), so that a matrix whose product takes 20 µs is planned in a fraction of a millisecond.

#include <algorithm>
#include <cmath>
#include <limits>
#include <sparsecast/error.hpp>
#include <sparsecast/plan.hpp>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "devices/device.hpp"
#include "forecast/model_set.hpp"
#include "forecast/task_forecast.hpp"
#include "formats/kernels.hpp"
#include "matrix/structure/structure_parts.hpp"
#include "plan/run/sorted_rows.hpp"
#include "plan/search/block_times.hpp"
#include "plan/search/numbers.hpp"

namespace sparsecast {
namespace {

using planning::never;
using planning::number;

constexpr double two_sided_90 = 1.645;  // standard deviations of a normal distribution
// A cut that promises less is within what dealing rows anew and another placement in memory do to a product.
constexpr double least_gain = 0.1;
// Of the logarithm of a cut's time over a single kernel's that no records tell the quick forecast of: no cut is
// advised.
constexpr double unknown_doubt = 1;

// What one step costs on a host of today, seconds. Rough figures will do: they bound work, they forecast nothing.
constexpr double quick_forecast_s = 8e-7, table_entry_s = 4e-8;

// How much may be spent on a matrix of that size.
struct Allowance {
  std::int64_t most_strips = 0;
  std::int64_t sampled_nonzeros = 0;

  Allowance(const Matrix& matrix, const Profile& profile, std::size_t kernels) {
    const double footprint = 12 * number(matrix.nonzeros()) + 12 * number(matrix.rows()) + 8 * number(matrix.cols());
    double bandwidth =
        1e11;  // of a core whose caches hold everything: an estimate that is too short is on the safe side
    for (const Curve& curve : profile.curves)
      if (curve.name == "read_bandwidth" && !curve.y.empty())
        bandwidth = std::max(curve.y.back(), number(matrix.nonzeros()) > 4e6 ? 0.0 : 1e11);
    const double product_s = footprint / bandwidth;
    const double strips = 3 * product_s / (quick_forecast_s * static_cast<double>(std::max<std::size_t>(1, kernels)));
    const double pairs = std::sqrt(2 * 3 * product_s / table_entry_s);
    most_strips = std::max<std::int64_t>(2, static_cast<std::int64_t>(std::min({strips, pairs, 1e6})));
    sampled_nonzeros = std::max<std::int64_t>(1024, std::min<std::int64_t>(matrix.nonzeros() / 64, 1 << 20));
  }
};

// How the matrix reads x, in the lines of that precision.
planning::Gathering gathering_of(const Structure& structure, int per_line) {
  const auto reuse = std::ranges::find(structure.x_reuse, per_line, &XReuse::elements_per_line);
  return {number(structure.cols), reuse == structure.x_reuse.end() ? XReuse() : *reuse, 1 - structure.neighbours / 2};
}

// Sorting pays where row ends that were guessed wrongly cost more than putting every sum in its place. Only long rows
// have such ends: eight short ones are taken at once. The save is forecast, the cost is not calibrated: a nanosecond a
// row, and a tenth of the block must remain, or as much as the forecast is usually off by.
constexpr double place_s = 1e-9, worthwhile_reorder = 0.1;

void reorder_rows(std::vector<PlannedBlock>& blocks, const planning::StripSums& strips,
                  const planning::Gathering& gathering, const planning::QuickForecast& quick, int threads,
                  Reorder reorder) {
  if (reorder == Reorder::never) return;
  for (PlannedBlock& block : blocks) {
    const int kernel = quick.find(block.kernel);
    if (kernel < 0 || quick.info(kernel).sorted_like.empty()) continue;
    const double least = std::max(worthwhile_reorder, quick.error(kernel));
    planning::StripContent content, sorted;
    double runs = 0;  // of rows of one length within windows
    double long_rows = 0;
    for (std::int64_t strip = block.first_strip; strip <= block.last_strip; ++strip) {
      content.add(strips[strip]);
      for (const RowLengthCount& entry : strips.lengths(strip))
        if (entry.length > RowGroups::short_nonzeros / RowGroups::rows) long_rows += number(entry.rows);
      runs += static_cast<double>(strips.lengths(strip).size()) *
              std::ceil(strips[strip].rows / number(planning::sorted_window_rows));
    }
    sorted = content;
    sorted.mispredictions -=
        long_rows / std::max(1.0, content.rows) * (content.mispredictions - std::min(runs, content.mispredictions));
    const double before = quick.seconds(kernel, content, 1, gathering, content.nonzeros);
    const double saved = block.seconds * (1 - quick.seconds(kernel, sorted, 1, gathering, content.nonzeros) / before) -
                         place_s * content.rows / std::max(1, threads);
    if (reorder == Reorder::where_it_pays && saved < least * block.seconds) continue;
    block.reordered = true;
    block.seconds -= std::max(0.0, saved);
    // It moves what that kernel's conversion moves, without padding.
    if (const int like = quick.find(std::string(quick.info(kernel).sorted_like)); like >= 0)
      block.conversion_s = quick.conversion_seconds(like, content, content.nonzeros);
  }
}

std::string share_text(double share) { return base::format_percent(std::abs(share)); }

}  // namespace

struct Planner::Parts {
  Parts(const Profile& from, Precision precision, int threads, const FitNotice& notice)
      : profile(from),
        options{precision, threads, notice},
        models("sparsecast", from, options),
        kernels(forecast::kernels_of(from)),
        quick(from, options) {
    options.notice = {};  // it may refer to what does not outlive this call
    profile.records.clear();
    profile.matrices.clear();
  }

  Profile profile;  // without what the models were fitted to
  FitOptions options;
  forecast::ModelSet models;
  std::vector<std::string> kernels;  // that may multiply the whole matrix
  planning::QuickForecast quick;     // of those that may take blocks of it

  struct Search;
  // Whether the profile knows a kernel that is made for a structure.
  [[nodiscard]] bool knows_forms() const {
    return std::ranges::any_of(kernels, [](const std::string& kernel) {
      return formats::kernel_or_plain(kernel).made_for != formats::MadeFor::any;
    });
  }
  [[nodiscard]] bool on_host() const { return profile.properties.kind == DeviceKind::host; }
  [[nodiscard]] std::int64_t strip_rows(const Matrix& matrix, const StrategyOptions& wanted,
                                        const Allowance& allowance) const;
  [[nodiscard]] Structure structure(const Matrix& matrix) const;
  [[nodiscard]] std::vector<Forecast> forecasts(const Structure& structure, const devices::ProductTask& task) const;
};

// S of a kernel with a warp per row as in the paper, on the host S(csr): threads × 1024 rows. A multiple of it where
// that many strips would take longer to compare than they can save.
std::int64_t Planner::Parts::strip_rows(const Matrix& matrix, const StrategyOptions& wanted,
                                        const Allowance& allowance) const {
  if (wanted.strip_rows > 0) return wanted.strip_rows;
  const DeviceProperties device = with_threads(profile.properties, options.threads);
  std::int64_t strip = 0;
  for (const formats::KernelInfo& kernel : formats::kernel_table())
    if (kernel.unit == formats::WorkUnit::row_per_warp && strip <= 0) strip = device.strip(std::string(kernel.name));
  if (strip <= 0) strip = device.strip(std::string(formats::default_kernel().name));
  if (strip <= 0) strip = 1024;  // an imported profile may not say
  const std::int64_t strips = (matrix.rows() + strip - 1) / strip;
  return strip * std::max<std::int64_t>(1, (strips + allowance.most_strips - 1) / allowance.most_strips);
}

// What the models read of a matrix: on the host, reuse of x in the lines of its caches.
Structure Planner::Parts::structure(const Matrix& matrix) const {
  if (!on_host()) return analyze(matrix);
  const int line = 64 / value_bytes(options.precision);
  return matrix::analyze_for(matrix, {.lines = {&line, 1}, .forms = knows_forms()}, options.threads);
}

// What `sparsecast predict` says of the matrix, without what the device would refuse.
std::vector<Forecast> Planner::Parts::forecasts(const Structure& structure, const devices::ProductTask& task) const {
  std::vector<Forecast> all = models.best(structure, kernels);
  if (!task.plain()) all = forecast::TaskForecast(profile, options, task).of(std::move(all), structure);
  if (structure.rows == 0) {  // nothing that a model could look at
    for (const std::string& kernel : quick.kernels()) {
      Forecast& nothing = all.emplace_back();
      nothing.kernel = kernel;
      nothing.seconds = quick.launch(quick.find(kernel));
    }
  }
  // Half of the memory, as devices/host/host.cpp refuses it.
  const double memory = number(profile.properties.memory_bytes);
  if (memory > 0)
    std::erase_if(all, [&](const Forecast& forecast) { return number(forecast.bytes.value_or(0)) > memory / 2; });
  return all;
}

namespace {
// Rows of 1 to 16 non-zeros near the diagonal.
Matrix warm_up_matrix() {
  constexpr std::int32_t rows = 4096, most = 16;
  Csr<std::int32_t, std::int32_t> csr{rows, rows + most, {}, {}, {}};
  csr.row_pointers.push_back(0);
  for (std::int32_t row = 0; row < rows; ++row) {
    for (std::int32_t k = 0; k <= row % most; ++k) csr.column_indices.push_back(row + k);
    csr.row_pointers.push_back(static_cast<std::int32_t>(csr.column_indices.size()));
  }
  csr.values.assign(csr.column_indices.size(), 1.0);
  return {std::move(csr), "warm-up"};
}
}  // namespace

Planner::Planner(const Profile& profile, Precision precision, int threads, const FitNotice& notice)
    : parts_(std::make_unique<Parts>(
          profile, precision, profile.properties.kind == DeviceKind::host ? base::thread_count(threads) : 0, notice)) {
  // A plan for a small matrix takes a fifth of a millisecond, and twice that where the models are read for the first
  // time since they were fitted.
  (void)strategy(warm_up_matrix());
}
Planner::~Planner() = default;
Planner::Planner(Planner&&) noexcept = default;
Planner& Planner::operator=(Planner&&) noexcept = default;

// One search for a strategy, stage by stage; each stage adds to the strategy what the next one needs.
struct Planner::Parts::Search {
  Search(const Parts& used, const Matrix& of, const StrategyOptions& options);

  void describe();
  void rank_singles();
  void find_best_cut();
  void choose();
  void reorder();
  void give_reason();
  void find_break_even();

  const Parts& parts;
  const Matrix& matrix;
  const StrategyOptions& wanted;
  const planning::QuickForecast& quick;
  Allowance allowance;
  std::int64_t strip_rows;
  planning::StripSums strips;
  Structure structure;
  planning::Gathering gathering;
  std::vector<Forecast> whole;  // of every kernel for the whole matrix
  planning::Objective objective;
  planning::KernelBlockTimes times;
  double cut_s = 0, cut_conversion = 0;  // of the best cut
  bool worthwhile = false;               // the best cut, beyond the forecast's uncertainty
  Strategy strategy;

 private:
  [[nodiscard]] std::vector<double> whole_seconds() const;
  [[nodiscard]] std::vector<bool> whole_only() const;
  [[nodiscard]] bool plain() const { return devices::ProductTask{wanted.vectors, wanted.transposed}.plain(); }
  [[nodiscard]] double cost(double seconds, double conversion_s) const {
    return objective.product * seconds + objective.conversion * conversion_s;
  }
  [[nodiscard]] std::vector<PlannedBlock> blocks_of(const planning::Cut& cut) const;
};

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
      gathering(gathering_of(structure, 64 / value_bytes(parts.options.precision))),
      whole(parts.forecasts(structure, {wanted.vectors, wanted.transposed})),
      objective(wanted.iterations > 0 ? planning::Objective{number(wanted.iterations), 1} : planning::Objective{}),
      times(quick, strips, gathering, whole_seconds(), whole_only(), objective) {}

void Planner::Parts::Search::describe() {
  strategy.device = parts.profile.name;
  strategy.precision = parts.options.precision;
  strategy.threads = parts.options.threads;
  strategy.iterations = wanted.iterations;
  strategy.strips = strips.strips();
  strategy.strip_rows = strip_rows;
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
                      times.seconds(block.kernel, block.first, block.last),
                      times.conversion_seconds(block.kernel, block.first, block.last)});
  return blocks;
}

// The best cut into several blocks, and what it gains over the best single kernel.
void Planner::Parts::Search::find_best_cut() {
  if (!plain()) return;  // the quick forecast, which strips are added up by, knows y = A·x alone
  const planning::CutSearch search =
      wanted.max_blocks > 0 ? planning::optimal_cut(times, wanted.max_blocks) : planning::optimal_cut(times);
  if (search.several.blocks.empty()) return;
  strategy.best_cut = blocks_of(search.several);
  const int single = quick.find(strategy.best_single.kernel);
  double doubt = 0;  // of the cut's cost: blocks err together, as one model forecast them
  for (std::size_t b = 0; b < strategy.best_cut.size(); ++b) {
    const PlannedBlock& block = strategy.best_cut[b];
    cut_s += block.seconds;
    cut_conversion += block.conversion_s;
    const double of_block = single >= 0 ? times.doubt(search.several.blocks[b].kernel, single) : unknown_doubt;
    doubt += objective.product * block.seconds * of_block;
  }
  // A row is one thread's: where the longest takes longer than a thread's share of the whole, it is what counts.
  if (parts.options.threads > 1 && matrix.nonzeros() > 0) {
    const double longest = number(strips.whole().longest) / number(matrix.nonzeros());
    cut_s *= std::max(1.0, longest * parts.options.threads);
  }
  const double single_cost = cost(strategy.best_single.seconds, strategy.best_single.conversion_s);
  strategy.gain = 1 - cost(cut_s, cut_conversion) / single_cost;
  strategy.gain_low = strategy.gain - two_sided_90 * doubt / single_cost;
  strategy.gain_high = strategy.gain + two_sided_90 * doubt / single_cost;
}

// The cut, where it is worth it or asked for, else the best single kernel.
void Planner::Parts::Search::choose() {
  worthwhile = strategy.gain_low > 0 && strategy.gain > least_gain;
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
  reorder_rows(strategy.blocks, strips, gathering, quick, parts.options.threads, wanted.reorder);
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
        "the cut is predicted to save " + share_text(strategy.gain) + ", beyond the forecast's uncertainty";
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

Strategy Planner::strategy(const Matrix& matrix, const StrategyOptions& wanted) const {
  const double start = base::now_s();
  if (wanted.strip_rows < 0 || wanted.iterations < 0 || wanted.max_blocks < 0)
    throw Error(ErrorCode::usage, "strip rows, iterations and blocks of a plan cannot be negative");
  if (wanted.vectors < 1) throw Error(ErrorCode::usage, "a plan is for at least one vector");
  Parts::Search search(*parts_, matrix, wanted);
  search.describe();
  search.rank_singles();
  search.find_best_cut();
  search.choose();
  search.reorder();
  search.give_reason();
  search.find_break_even();
  search.strategy.planning_s = base::now_s() - start;
  return std::move(search.strategy);
}

}  // namespace sparsecast
