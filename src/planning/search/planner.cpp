// Planner: from a matrix in memory to a strategy, within the time of some products of a large matrix. A single kernel's
// time is the model's forecast from the matrix's whole Structure, the same that `sparsecast predict` gives; so are the
// times of a cut's blocks, from their own (below).

#include "base/clock.hpp"
#include "base/threads.hpp"
#include "forecast/task_forecast.hpp"
#include "formats/kernels.hpp"
#include "matrix/structure/structure_parts.hpp"
#include "planning/run/row_range.hpp"
#include "planning/search/change_of_rows.hpp"
#include "planning/search/planner_parts.hpp"

namespace sparsecast {
namespace {
// Where a model is asked for every block there are half as many forecasts of each kernel as strips squared.
constexpr std::int64_t most_strips_of_a_model = 128;

// Reuse of x in the lines of the host's caches.
int line_elements(Precision precision) { return 64 / value_bytes(precision); }

// Rows of 1 to 16 non-zeros near the diagonal; as many as make the models speak of variants too.
Matrix warm_up_matrix() {
  constexpr std::int32_t rows = 1 << 14, most = 16;
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

Planner::Parts::Parts(const Profile& from, Precision precision, int threads, const FitNotice& notice,
                      const std::string& model)
    : profile(from),
      options{precision, threads, notice},
      asks_model(model != "best" && model != "sparsecast"),
      models(asks_model ? model : "sparsecast", from, options),
      kernels(forecast::kernels_of(from)) {
  options.notice = {};  // it may refer to what does not outlive this call
  profile.records.clear();
  profile.matrices.clear();
}

// S of a kernel with a warp per row as in the paper, on the host S(csr): threads × 1024 rows. A multiple of it where a
// model is asked for more blocks than that many strips have.
std::int64_t Planner::Parts::strip_rows(const Matrix& matrix, const StrategyOptions& wanted) const {
  const std::int64_t rows = std::max<std::int64_t>(1, matrix.rows());
  if (wanted.strip_rows > 0) return std::min(wanted.strip_rows, rows);
  const DeviceProperties device = with_threads(profile.properties, options.threads);
  std::int64_t strip = 0;
  for (const formats::KernelInfo& kernel : formats::kernel_table())
    if (kernel.unit == formats::WorkUnit::row_per_warp && strip <= 0) strip = device.strip(std::string(kernel.name));
  if (strip <= 0) strip = device.strip(std::string(formats::default_kernel().name));
  if (strip <= 0) strip = 1024;  // an imported profile may not say
  const std::int64_t strips = (rows + strip - 1) / strip;
  const std::int64_t joined = asks_model ? (strips + most_strips_of_a_model - 1) / most_strips_of_a_model : 1;
  return std::min(strip * joined, rows);
}

// What the models read of a matrix. Samples of half the size cost 9 of 30 products less and products 0.2 % more, those
// of a quarter 13 and 0.3 % (91 real matrices, one thread of a Zen 4 guest, on which the bounds were chosen).
Structure Planner::Parts::structure(const Matrix& matrix, std::int64_t iterations) const {
  if (!on_host()) return analyze(matrix);
  const bool forms = std::ranges::any_of(kernels, [](const std::string& kernel) {
    return formats::kernel_or_plain(kernel).made_for != formats::MadeFor::any;
  });
  const int line = line_elements(options.precision);
  const int sparser = iterations == 0 || iterations >= 4000 ? 0 : iterations < 1000 ? 2 : 1;
  return matrix::analyze_for(matrix, {.lines = {&line, 1}, .forms = forms, .sparser = sparser, .presume = true},
                             options.threads);
}

// Of blocks with like rows throughout, smaller samples tell as much.
Structure Planner::Parts::structure_of_block(const Matrix& rows) const {
  if (!on_host()) return analyze(rows);
  const int line = line_elements(options.precision);
  return matrix::analyze_for(rows, {.lines = {&line, 1}, .sparser = 2}, options.threads);
}

// Blocks of a cut are dealt to the host's threads by rows (plan/run/host_runner.cpp), each part to one thread. A form
// made for diagonals or blocks of a matrix may be made for those of some of its rows; the papers' models know none.
std::vector<std::string> Planner::Parts::kernels_of_blocks() const {
  if (!on_host()) return kernels;
  std::vector<std::string> names;
  for (const std::string& name : kernels) {
    const formats::KernelInfo& kernel = formats::kernel_or_plain(name);
    const bool form = kernel.made_for == formats::MadeFor::diagonals || kernel.made_for == formats::MadeFor::blocks;
    if (form ? !asks_model : kernel.made_for == formats::MadeFor::any && !kernel.whole_only) names.push_back(name);
  }
  return names;
}

// What `sparsecast predict` says of the matrix, without what the device would refuse.
std::vector<Forecast> Planner::Parts::forecasts(const Structure& structure, const ProductKind& task) const {
  // Of a matrix without rows there is nothing that a model could look at: as for one that has next to nothing.
  static const Structure one_entry = analyze(Matrix(Csr<std::int32_t, std::int32_t>{1, 1, {0, 1}, {0}, {1.0}}, ""), 1);
  std::vector<Forecast> all = models.best(structure.rows > 0 ? structure : one_entry, kernels);
  if (!task.plain()) all = forecast::TaskForecast(profile, options, task).of(std::move(all), structure);
  // Half of the memory, as devices/host/host.cpp refuses it.
  const double memory = planning::number(profile.properties.memory_bytes);
  if (memory > 0)
    std::erase_if(all,
                  [&](const Forecast& forecast) { return planning::number(forecast.bytes.value_or(0)) > memory / 2; });
  return all;
}

Planner::Planner(const Profile& profile, Precision precision, int threads, const FitNotice& notice,
                 const std::string& model)
    : parts_(std::make_unique<Parts>(profile, precision,
                                     profile.properties.kind == DeviceKind::host ? base::thread_count(threads) : 0,
                                     notice, model)) {
  // A plan for a small matrix takes a fifth of a millisecond, and twice that where the models are read for the first
  // time since they were fitted.
  (void)strategy(warm_up_matrix());
}
Planner::~Planner() = default;
Planner::Planner(Planner&&) noexcept = default;
Planner& Planner::operator=(Planner&&) noexcept = default;

std::shared_ptr<const Structure> Planner::structure(const Matrix& matrix, std::int64_t iterations) const {
  return std::make_shared<Structure>(parts_->structure(matrix, iterations));
}

Strategy Planner::strategy(const Matrix& matrix, const StrategyOptions& wanted) const {
  const double start = base::now_s();
  if (wanted.strip_rows < 0 || wanted.iterations < 0 || wanted.max_blocks < 0)
    throw Error(ErrorCode::usage, "strip rows, iterations and blocks of a plan cannot be negative");
  if (wanted.vectors < 1) throw Error(ErrorCode::usage, "a plan is for at least one vector");
  Parts::Search search(*parts_, matrix, wanted);
  search.rank_singles();
  search.find_cut();
  search.choose();
  search.reorder();
  search.give_reason();
  planning::find_break_even(search.strategy);
  search.strategy.planning_s = base::now_s() - start;
  return std::move(search.strategy);
}

// The two ways to a cut. The product's own model is asked where the rows change character: every stretch of such a cut
// is forecast as `sparsecast predict` would forecast it, from the Structure of its own rows, as if the whole matrix
// were like it, so that caches are as full as they will be. It costs what analyze() costs, once more. A model of the
// papers is asked for every block, as Guo, Wang & Chen (2014, section 4) ask theirs: a block is a matrix of its own,
// known by its row lengths, and the dynamic program finds the best of all cuts.

namespace planning {
namespace {
constexpr int most_stretches = 4;
// From how many products on what looking for a cut costs (some ten of a large matrix) may come back.
constexpr std::int64_t fewest_products = 100;

Structure strip_of(const Matrix& matrix, std::int64_t first, std::int64_t last) {
  Structure strip;
  strip.rows = last - first;
  strip.cols = matrix.cols();
  matrix.visit_pattern([&](const auto& csr) {
    strip.nonzeros = csr.row_pointers[last] - csr.row_pointers[first];
    matrix::analyze_rows(csr.row_pointers.subspan(at(first), at(last - first) + 1), strip, 1);
  });
  return strip;
}

// What the models of the papers read of some rows: sizes and row lengths.
void add_rows(Structure& block, const Structure& strip) {
  block.cols = strip.cols;
  block.rows += strip.rows;
  block.nonzeros += strip.nonzeros;
  block.row_max = std::max(block.row_max, strip.row_max);
  block.row_mean = block.rows > 0 ? number(block.nonzeros) / number(block.rows) : 0;
  std::vector<RowLengthCount> lengths;
  const auto shorter = [](const RowLengthCount& a, const RowLengthCount& b) { return a.length < b.length; };
  std::ranges::merge(block.row_histogram, strip.row_histogram, std::back_inserter(lengths), shorter);
  block.row_histogram.clear();
  for (const RowLengthCount& entry : lengths) {
    std::vector<RowLengthCount>& merged = block.row_histogram;
    if (merged.empty() || merged.back().length != entry.length) merged.push_back({entry.length, 0});
    merged.back().rows += entry.rows;
  }
  // The shorter of two lengths that are equally common, as everywhere (structure.hpp).
  const auto mode = std::ranges::max_element(block.row_histogram, {}, &RowLengthCount::rows);
  if (mode != block.row_histogram.end()) block.row_mode = mode->length;
  if (block.slices.empty()) return void(block.slices = strip.slices);
  for (std::size_t s = 0; s < block.slices.size(); ++s) block.slices[s].slots += strip.slices[s].slots;
}

// E[i, j] and F[i, j] by a model that is asked for every block.
template <class Cost>
class ModelTimes final : public BlockTimes {
 public:
  ModelTimes(const forecast::ModelSet& models, std::vector<std::string> kernels, std::vector<Structure> strips,
             const Cost& cost)
      : models_(models), kernels_(std::move(kernels)), strips_(std::move(strips)), cost_(cost) {}

  [[nodiscard]] std::int64_t strips() const override { return static_cast<std::int64_t>(strips_.size()); }

  void column(std::int64_t j, std::span<double> seconds, std::span<std::int32_t> kernels) override {
    Structure block;
    for (std::int64_t i = j; i >= 1; --i) {
      add_rows(block, strips_[at(i - 1)]);
      const Forecast best = best_of(block);
      seconds[at(i - 1)] = cost_(best);
      kernels[at(i - 1)] = static_cast<std::int32_t>(std::ranges::find(kernels_, best.kernel) - kernels_.begin());
    }
  }

  [[nodiscard]] PricedBlock priced(std::int64_t first, std::int64_t last) const {
    PricedBlock block{.first_strip = first, .last_strip = last};
    for (std::int64_t strip = last; strip >= first; --strip) add_rows(block.rows, strips_[at(strip - 1)]);
    block.forecast = best_of(block.rows);
    block.seconds = block.forecast.seconds;
    block.conversion_s = block.forecast.preprocess_s.value_or(0);
    return block;
  }

 private:
  [[nodiscard]] Forecast best_of(const Structure& block) const {
    const std::vector<Forecast> all = models_.best(block, kernels_);
    const auto best = std::ranges::min_element(all, {}, cost_);
    Forecast unknown;
    unknown.seconds = never;
    return best == all.end() ? unknown : *best;
  }

  const forecast::ModelSet& models_;
  std::vector<std::string> kernels_;
  std::vector<Structure> strips_;
  const Cost& cost_;
};
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
  more(s.compact.far_slots);
  s.symmetry.symmetric = 0;  // rows of a matrix are not its transpose's
  return s;
}
}  // namespace planning

using planning::number;
using planning::PricedBlock;

std::vector<PricedBlock> Planner::Parts::Search::cut_by_recurrence() const {
  std::vector<Structure> strips;
  for (std::int64_t first = 0; first < matrix.rows(); first += strategy.strip_rows)
    strips.push_back(planning::strip_of(matrix, first, std::min(matrix.rows(), first + strategy.strip_rows)));
  const auto cost_of = [this](const Forecast& forecast) { return cost(forecast); };
  planning::ModelTimes times(parts.models, parts.kernels_of_blocks(), std::move(strips), cost_of);
  const planning::CutSearch search =
      wanted.max_blocks > 0 ? planning::optimal_cut(times, wanted.max_blocks) : planning::optimal_cut(times);
  std::vector<PricedBlock> blocks;
  for (const planning::CutBlock& block : search.several.blocks) blocks.push_back(times.priced(block.first, block.last));
  return blocks;
}

// Strips first … last in the kernel that is best for them.
PricedBlock Planner::Parts::Search::priced_stretch(std::int64_t first, std::int64_t last) const {
  const std::int64_t strip = strategy.strip_rows;
  const Structure alone =
      parts.structure_of_block(planning::row_range(matrix, (first - 1) * strip, std::min(last * strip, matrix.rows())));
  const double times = number(matrix.nonzeros()) / std::max(1.0, number(alone.nonzeros)), of_product = launch_s();
  PricedBlock best{.first_strip = first, .last_strip = last, .seconds = planning::never};
  best.rows = planning::repeated(alone, times);
  for (const Forecast& forecast : parts.models.best(best.rows, parts.kernels_of_blocks())) {
    const double launch = std::min(of_product, forecast.seconds / 2);
    const double seconds = (forecast.seconds - launch) / times, conversion = forecast.preprocess_s.value_or(0) / times;
    if (cost(seconds, conversion) >= cost(best.seconds, best.conversion_s)) continue;
    best.seconds = seconds;
    best.conversion_s = conversion;
    best.forecast = forecast;
  }
  for (const Forecast& single : parts.models.best(best.rows, {strategy.best_single.kernel})) {
    best.single_s = std::max(0.0, single.seconds - of_product) / times;
    best.single_deviation = planning::deviation_of(single);
  }
  // The host's threads go through all blocks at once, a GPU has a launch for each.
  if (!parts.on_host() || first == 1) best.seconds += of_product;
  return best;
}

std::vector<PricedBlock> Planner::Parts::Search::cut_where_rows_change() const {
  if (wanted.iterations > 0 && wanted.iterations < planning::fewest_products && !wanted.always_cut) return {};
  const std::vector<planning::RowSums> strips =
      planning::sums_of_strips(matrix, strategy.strip_rows, parts.options.threads);
  const int most =
      wanted.max_blocks > 0 ? std::min(wanted.max_blocks, planning::most_stretches) : planning::most_stretches;
  const std::vector<std::int64_t> borders = planning::changes_of_rows(strips, most);
  if (borders.empty() || (!wanted.always_cut && !planning::some_stretch_is_regular(strips, borders))) return {};
  std::vector<PricedBlock> blocks;
  for (std::size_t b = 0; b <= borders.size(); ++b) {
    const std::int64_t first = b == 0 ? 1 : borders[b - 1] + 1;
    blocks.push_back(priced_stretch(first, b < borders.size() ? borders[b] : strategy.strips));
    if (!(blocks.back().seconds < planning::never)) return {};
  }
  return blocks;
}
}  // namespace sparsecast
