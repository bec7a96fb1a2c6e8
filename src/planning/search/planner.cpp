// Planner: from a matrix in memory to a strategy, within the time of some products of a large matrix. A single kernel's
// time is the model's forecast from the matrix's whole Structure, the same that predict() gives; so are the times of a
// cut's blocks, from their own (cut_where_rows_change.cpp, cut_by_recurrence.cpp).

#include <fmt/format.h>
#include <sparsecast/error.hpp>
#include "base/clock.hpp"
#include "base/threads.hpp"
#include "forecast/memory_fit.hpp"
#include "forecast/model_names.hpp"
#include "forecast/task_forecast.hpp"
#include "formats/kernels.hpp"
#include "matrix/structure/structure_parts.hpp"
#include "planning/search/cost.hpp"
#include "planning/search/strategy_search.hpp"

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
      asks_model(!forecast::asks_own(model)),
      models(asks_model || !from.is_measured() ? model : forecast::own_model, from, options),
      kernels(forecast::kernels_of(from, asks_model ? model : "best")) {
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

// What the models read of a matrix. Samples of a quarter of the size made plans 13 of 30 products cheaper and products
// 0.3 % slower (91 real matrices, one thread of a Zen 4 guest, on which the bound was chosen).
Structure Planner::Parts::structure(const Matrix& matrix, std::int64_t iterations) const {
  if (!on_host()) return analyze(matrix);
  const bool forms = std::ranges::any_of(kernels, [](const std::string& kernel) {
    return formats::kernel_or_plain(kernel).made_for != formats::MadeFor::any;
  });
  const int line = line_elements(options.precision);
  const int sparser = iterations == 0 || iterations >= 4000 ? 0 : 2;
  return matrix::analyze_for(matrix, {.lines = {&line, 1}, .forms = forms, .sparser = sparser, .presume = true},
                             options.threads);
}

// Of blocks with like rows throughout, smaller samples tell as much.
Structure Planner::Parts::structure_of_block(const Matrix& rows) const {
  if (!on_host()) return analyze(rows);
  const int line = line_elements(options.precision);
  return matrix::analyze_for(rows, {.lines = {&line, 1}, .sparser = 2, .presume = true}, options.threads);
}

// Blocks of a cut are dealt to the host's threads by rows (run/host_runner.cpp), each part to one thread. A form
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
  std::vector<Forecast> all = models.best(structure, kernels);
  if (!task.plain()) all = forecast::TaskForecast(profile, options, task).of(std::move(all), structure);
  forecast::tell_what_fits(all, profile.properties, structure, options.precision, task.vectors);
  forecast::keep_what_fits(all);
  // Half of the memory, as hardware/host/host.cpp refuses it.
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
  for (const std::string& kernel : wanted.kernels)
    if (formats::find_kernel(kernel) == nullptr && std::ranges::find(parts_->kernels, kernel) == parts_->kernels.end())
      throw Error(ErrorCode::usage, fmt::format("there is no kernel '{}'", kernel), {},
                  fmt::format("{} has: {}", parts_->profile.name, fmt::join(parts_->kernels, ", ")));
  Parts::Search search(*parts_, matrix, wanted);
  search.rank_singles();
  search.find_cut();
  search.choose();
  search.reorder();
  search.give_reason();
  planning::find_break_even(search.strategy, search.plain_csr);
  search.strategy.planning_s = base::now_s() - start;
  return std::move(search.strategy);
}
}  // namespace sparsecast
