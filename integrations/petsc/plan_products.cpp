#include "plan_products.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <sparsecast/error.hpp>
#include <sparsecast/kernels.hpp>
#include <type_traits>
#include <utility>
#include <vector>

// Exported and documented; PETSc 3.18 declares it in a header that is not part of its interface.
PETSC_EXTERN PetscErrorCode PetscObjectStateGet(PetscObject, PetscObjectState*);

static_assert(std::is_same_v<PetscScalar, double>, "a PETSc with real numbers in double precision is needed");

namespace sparsecast::petsc {
PetscLogEvent planning_event = 0;

namespace {

// One planner for all matrices of the process, by what ships where this machine was not calibrated; none where its
// store cannot be read.
const Planner* planner_of(int threads) {
  static std::map<int, std::unique_ptr<Planner>> planners;
  const auto [entry, is_new] = planners.try_emplace(threads);
  if (is_new) {
    try {
      entry->second = std::make_unique<Planner>(calibrated_profile("host"), Precision::double_, threads);
    } catch (const Error&) {
      entry->second = nullptr;
    }
  }
  return entry->second.get();
}

// What the planner's strategy and its conversion cost. At first that is mostly reading the models; without
// a profile there is nothing to wait for.
double expected_planning_s = 0.02;

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

Strategy strategy_for(Way way, const Matrix& matrix, const Settings& settings) {
  // Without a forecast: the fastest of the formats for any matrix (docs/results-host.md).
  constexpr const char* usual = "sell";
  if (way == Way::quick)
    return one_kernel(matrix, settings.kernel.empty() ? usual : settings.kernel, Precision::double_, settings.threads);
  const Planner* planner = planner_of(settings.threads);
  if (planner == nullptr) {
    expected_planning_s = std::numeric_limits<double>::infinity();
    throw Error(ErrorCode::unavailable, "the store of this machine cannot be read");
  }
  const double start = now_s();
  Strategy strategy = planner->strategy(matrix, {.iterations = settings.iterations});
  expected_planning_s = now_s() - start + strategy.conversion_s;
  return strategy;
}

std::vector<std::string> kernels_of(const Strategy& strategy) {
  std::vector<std::string> kernels;
  for (const PlannedBlock& block : strategy.blocks) kernels.push_back(block.kernel);
  return kernels;
}

std::string name_of(const std::vector<std::string>& kernels) {
  std::string text;
  for (const std::string& kernel : kernels)
    if (text.find(kernel) == std::string::npos) text += (text.empty() ? "" : "+") + kernel;
  return text;
}

std::string microseconds(const char* format, double seconds) {
  char text[64];
  std::snprintf(text, sizeof text, format, 1e6 * seconds);
  return text;
}

// PETSc's own bound for its compressed rows.
constexpr double mostly_empty = 0.6;
constexpr PetscInt most_threads = 1024;

std::string host_kernels() {
  std::string names;
  for (const Kernel& kernel : kernel_table())
    if (kernel.on_host) names.append(names.empty() ? "" : ", ").append(kernel.name);
  return names;
}

// A mistyped name is one also where no block of the matrix has entries.
PetscErrorCode check_settings(const std::string& prefix, const std::string& kernel, PetscInt threads,
                              PetscInt iterations) {
  const Kernel* found = find_kernel(kernel);
  const std::string option = "-" + prefix + "mat_sparsecast_";
  PetscFunctionBegin;
  PetscCheck(kernel.empty() || (found != nullptr && found->on_host), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "sparsecast: %skernel is %s; give one of %s", option.c_str(), kernel.c_str(), host_kernels().c_str());
  PetscCheck(threads >= 1 && threads <= most_threads, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "sparsecast: %sthreads is %lld; give a number from 1 to %lld", option.c_str(), 0LL + threads,
             0LL + most_threads);
  PetscCheck(iterations >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "sparsecast: %siterations is %lld; give a number of products, or 0 for the fastest product alone",
             option.c_str(), 0LL + iterations);
  PetscFunctionReturn(0);
}

}  // namespace

PetscErrorCode read_settings(const std::string& prefix, Settings& settings) {
  char kernel[64] = "";
  PetscInt threads = settings.threads, iterations = static_cast<PetscInt>(settings.iterations);
  PetscFunctionBegin;
  // The world's first process alone prints what -help asks for.
  PetscOptionsBegin(PETSC_COMM_WORLD, prefix.c_str(), "Sparsecast: products by a plan", "Mat");
  PetscCall(PetscOptionsString("-mat_sparsecast_kernel", "Kernel of all rows (empty: the fastest of those tried)",
                               nullptr, kernel, kernel, sizeof kernel, nullptr));
  PetscCall(PetscOptionsInt("-mat_sparsecast_threads", "Threads of a product", nullptr, threads, &threads, nullptr));
  PetscCall(PetscOptionsInt("-mat_sparsecast_iterations", "Number of products over which the conversion must pay",
                            nullptr, iterations, &iterations, nullptr));
  PetscOptionsEnd();
  PetscCall(check_settings(prefix, kernel, threads, iterations));
  settings.kernel = kernel;
  settings.threads = static_cast<int>(threads);
  settings.iterations = iterations;
  PetscFunctionReturn(0);
}

PetscErrorCode PlanProducts::look_at(Mat a, const std::string& prefix) {
  constexpr double sell_entry_s = 1e-8;  // to make one entry of sell: 6 to 15 ns on an AMD EPYC of family 25
  PetscObjectState pattern_state = 0, state = 0;
  MatInfo info;
  PetscFunctionBegin;
  PetscCall(MatGetNonzeroState(a, &pattern_state));
  PetscCall(PetscObjectStateGet(reinterpret_cast<PetscObject>(a), &state));
  if (pattern_state != pattern_state_) {
    *this = PlanProducts{};
    PetscCall(MatGetInfo(a, MAT_LOCAL, &info));
    contest_ = Contest(expected_planning_s, sell_entry_s * info.nz_used);
    PetscCall(read_settings(prefix, settings_));
    pattern_state_ = pattern_state;
  }
  if (state != state_) since_change_ = 0;
  state_ = state;
  PetscFunctionReturn(0);
}

// New values are converted once PETSc's products since then lost as much time as that takes.
bool PlanProducts::pays_to_update(Way way, bool transposed) const {
  if (!settings_.kernel.empty() || !contest_.was_tried(way, transposed)) return true;
  const double saved_s = contest_.seconds(Way::petsc, transposed) - contest_.seconds(way, transposed);
  return static_cast<double>(since_change_) * saved_s >= of(way).update_s;
}

PetscErrorCode PlanProducts::next(Mat a, const std::string& prefix, bool transposed, Way& way) {
  PetscFunctionBegin;
  PetscCall(look_at(a, prefix));
  do {
    way = settings_.kernel.empty() ? contest_.next(transposed) : Way::quick;
    if (contest_.is_out(way)) way = Way::petsc;
    if (way == Way::petsc || of(way).state == state_) break;
    if (pays_to_update(way, transposed)) {
      PetscCall(bring_up_to_date(a, way));
    } else {
      way = Way::petsc;
    }
  } while (contest_.is_out(way));
  for (Way other : ways)
    if (contest_.is_out(other)) of(other).plan.reset();
  ++since_change_;
  PetscFunctionReturn(0);
}

PetscErrorCode PlanProducts::foresee(Mat a, const std::string& prefix) {
  const Way way = settings_.kernel.empty() ? Way::planned : Way::quick;
  PetscFunctionBegin;
  PetscCall(look_at(a, prefix));
  contest_.hasten();
  if (!contest_.is_out(way) && !of(way).plan) PetscCall(bring_up_to_date(a, way));
  PetscFunctionReturn(0);
}

void PlanProducts::leave_out_empty_rows(std::span<const PetscInt> row_pointers) {
  rows_.clear();
  row_pointers_.assign(1, 0);
  for (std::size_t row = 0; row + 1 < row_pointers.size(); ++row) {
    if (row_pointers[row + 1] == row_pointers[row]) continue;
    rows_.push_back(static_cast<PetscInt>(row));
    row_pointers_.push_back(row_pointers[row + 1]);
  }
  const auto empty = static_cast<double>(row_pointers.size() - row_pointers_.size());
  if (empty < mostly_empty * static_cast<double>(row_pointers.size() - 1)) rows_ = {}, row_pointers_ = {};
  sums_.resize(rows_.size());
}

void PlanProducts::multiply(Way way, std::span<const double> x, std::span<double> y, double beta, bool transposed) {
  const std::optional<Plan>& plan = of(way).plan;
  if (!plan) throw Error(ErrorCode::usage, "a product without a plan");
  if (rows_.empty()) return transposed ? plan->apply_transposed(x, y, 1, beta) : plan->apply(x, y, 1, beta);
  const auto place = [this](std::size_t row) { return static_cast<std::size_t>(rows_[row]); };
  if (transposed) {
    for (std::size_t row = 0; row < rows_.size(); ++row) sums_[row] = x[place(row)];
    return plan->apply_transposed(sums_, y, 1, beta);
  }
  plan->apply(x, sums_, 1, 0);
  if (beta == 0) std::ranges::fill(y, 0.0);
  for (std::size_t row = 0; row < rows_.size(); ++row) y[place(row)] += sums_[row];
}

std::string PlanProducts::describe() const {
  std::string text;
  for (Way way : ways) {
    const Made& made = of(way);
    const double seconds = contest_.seconds(way, false);
    if (way != Way::petsc && !made.plan) continue;
    if (way == Way::petsc && std::isinf(seconds)) continue;
    text += (text.empty() ? "" : "; ") + (made.plan ? name_of(made.plan->kernels()) : "PETSc's own");
    if (made.forecast_s > 0) text += microseconds(", forecast %.3g us a product", made.forecast_s);
    if (!std::isinf(seconds)) text += microseconds(", seen %.3g us", seconds);
  }
  if (text.empty()) text = "PETSc's own products at first";
  if (!rows_.empty()) text += "; of " + std::to_string(rows_.size()) + " rows, the others are empty";
  return text;
}

void PlanProducts::make_or_update(Way way, const Matrix& matrix) {
  const double start = now_s();
  Made& made = of(way);
  if (made.plan) {
    made.plan->update_values(matrix, CsrCheck::sizes);
    made.update_s = now_s() - start;
    return;
  }
  Strategy strategy = strategy_for(way, matrix, settings_);
  for (Way other : ways) {
    if (!of(other).plan || of(other).plan->kernels() != kernels_of(strategy)) continue;
    of(other).forecast_s = std::max(of(other).forecast_s, strategy.predicted_s);
    return contest_.drop(way);
  }
  made.forecast_s = strategy.predicted_s;
  made.plan.emplace(matrix, std::move(strategy));
}

PetscErrorCode PlanProducts::bring_up_to_date(Mat a, Way way) {
  PetscInt rows = 0, cols = 0;
  const PetscInt *row_pointers = nullptr, *columns = nullptr;
  const PetscScalar* values = nullptr;
  PetscBool there = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(planning_event, a, nullptr, nullptr, nullptr));
  PetscCall(MatGetSize(a, nullptr, &cols));
  PetscCall(MatGetRowIJ(a, 0, PETSC_FALSE, PETSC_FALSE, &rows, &row_pointers, &columns, &there));
  PetscCall(MatSeqAIJGetArrayRead(a, &values));
  std::string failure;
  entries_ = there == PETSC_TRUE && rows > 0 ? row_pointers[rows] : 0;
  try {
    if (entries_ == 0) throw Error(ErrorCode::bad_input, "a matrix without entries needs no plan");
    const std::span<const PetscInt> all(row_pointers, static_cast<std::size_t>(rows) + 1);
    if (!was_checked_) leave_out_empty_rows(all);
    const auto entries = static_cast<std::size_t>(entries_);
    const Matrix matrix({.rows = rows_.empty() ? rows : static_cast<PetscInt>(rows_.size()),
                         .cols = cols,
                         .row_pointers = rows_.empty() ? all : std::span<const PetscInt>(row_pointers_),
                         .column_indices = std::span<const PetscInt>(columns, entries),
                         .values = std::span<const PetscScalar>(values, entries)},
                        "petsc", was_checked_ ? CsrCheck::sizes : CsrCheck::everything);
    was_checked_ = true;
    make_or_update(way, matrix);
    of(way).state = state_;
  } catch (const std::exception& error) {  // PETSc is C: none may pass
    contest_.drop(way);
    of(way).plan.reset();
    // Rows that are not sorted, say: PETSc multiplies such a matrix, and goes on doing so.
    const auto* own = dynamic_cast<const Error*>(&error);
    const bool bad_input = own != nullptr && own->code() == ErrorCode::bad_input;
    if (!settings_.kernel.empty() && !bad_input) failure = error.what();
  }
  PetscCall(MatSeqAIJRestoreArrayRead(a, &values));
  PetscCall(MatRestoreRowIJ(a, 0, PETSC_FALSE, PETSC_FALSE, &rows, &row_pointers, &columns, &there));
  PetscCall(PetscLogEventEnd(planning_event, a, nullptr, nullptr, nullptr));
  PetscCheck(failure.empty(), PETSC_COMM_SELF, PETSC_ERR_LIB, "sparsecast: %s", failure.c_str());
  PetscFunctionReturn(0);
}

}  // namespace sparsecast::petsc
