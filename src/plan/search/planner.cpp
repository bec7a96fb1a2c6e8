// Planner: from a matrix in memory to a strategy, within the time of some products of a large matrix. A single kernel's
// time is the model's forecast from the matrix's whole Structure, the same that `sparsecast predict` gives. The strips
// of a cut are added up by the quick forecast and scaled to it; what they may cost is bounded by the estimated time of
// a product (Allowance), so that a matrix whose product takes 20 µs is planned in a fraction of a millisecond.

#include <algorithm>
#include <sparsecast/error.hpp>
#include <sparsecast/plan.hpp>

#include "base/clock.hpp"
#include "base/threads.hpp"
#include "forecast/task_forecast.hpp"
#include "matrix/structure/structure_parts.hpp"
#include "plan/search/numbers.hpp"
#include "plan/search/planner_parts.hpp"

namespace sparsecast {
namespace {

using planning::number;

// Where a model is asked for every block there are half as many forecasts of each kernel as strips squared.
constexpr std::int64_t most_strips_of_a_model = 128;

}  // namespace

// S of a kernel with a warp per row as in the paper, on the host S(csr): threads × 1024 rows. A multiple of it where
// that many strips would take longer to compare than they can save.
std::int64_t Planner::Parts::strip_rows(const Matrix& matrix, const StrategyOptions& wanted,
                                        const planning::Allowance& allowance) const {
  if (wanted.strip_rows > 0) return wanted.strip_rows;
  const DeviceProperties device = with_threads(profile.properties, options.threads);
  std::int64_t strip = 0;
  for (const formats::KernelInfo& kernel : formats::kernel_table())
    if (kernel.unit == formats::WorkUnit::row_per_warp && strip <= 0) strip = device.strip(std::string(kernel.name));
  if (strip <= 0) strip = device.strip(std::string(formats::default_kernel().name));
  if (strip <= 0) strip = 1024;  // an imported profile may not say
  const std::int64_t strips = (matrix.rows() + strip - 1) / strip;
  const std::int64_t most = asks_model ? most_strips_of_a_model : allowance.most_strips;
  return strip * std::max<std::int64_t>(1, (strips + most - 1) / most);
}

// What the models read of a matrix: on the host, reuse of x in the lines of its caches.
Structure Planner::Parts::structure(const Matrix& matrix) const {
  if (!on_host()) return analyze(matrix);
  const int line = 64 / value_bytes(options.precision);
  return matrix::analyze_for(matrix, {.lines = {&line, 1}, .forms = knows_forms(), .presume_symmetry = true},
                             options.threads);
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

Strategy Planner::strategy(const Matrix& matrix, const StrategyOptions& wanted) const {
  const double start = base::now_s();
  if (wanted.strip_rows < 0 || wanted.iterations < 0 || wanted.max_blocks < 0)
    throw Error(ErrorCode::usage, "strip rows, iterations and blocks of a plan cannot be negative");
  if (wanted.vectors < 1) throw Error(ErrorCode::usage, "a plan is for at least one vector");
  Parts::Search search(*parts_, matrix, wanted);
  search.describe();
  search.rank_singles();
  search.find_best_cut();
  search.refine_cut();
  search.choose();
  search.reorder();
  search.give_reason();
  search.find_break_even();
  search.strategy.planning_s = base::now_s() - start;
  return std::move(search.strategy);
}

}  // namespace sparsecast
