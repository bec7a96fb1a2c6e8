#include "plan_products.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <sparsecast/error.hpp>
#include <sparsecast/kernels.hpp>
#include <type_traits>
#include <vector>

// Exported and documented; PETSc 3.18 declares it in a header that is not part of its interface.
PETSC_EXTERN PetscErrorCode PetscObjectStateGet(PetscObject, PetscObjectState*);

static_assert(std::is_same_v<PetscScalar, double>, "a PETSc of real numbers in double precision is needed");

namespace sparsecast::petsc {
namespace {

// One planner for all matrices of the process; none where this machine was not calibrated.
const Planner* planner_of(int threads) {
  static std::mutex mutex;
  static std::map<int, std::unique_ptr<Planner>> planners;
  const std::lock_guard lock(mutex);
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

Plan make_plan(const Matrix& matrix, const Settings& settings) {
  const Planner* planner = settings.kernel.empty() ? planner_of(settings.threads) : nullptr;
  if (planner != nullptr) return {matrix, planner->strategy(matrix, {.iterations = settings.iterations})};
  const auto first = std::ranges::find(kernel_table(), true, &Kernel::on_host);
  const std::string kernel = settings.kernel.empty() ? std::string(first->name) : settings.kernel;
  return {matrix, one_kernel(matrix, kernel, Precision::double_, settings.threads)};
}

// PETSc's own bound for its compressed rows.
constexpr double mostly_empty = 0.6;

}  // namespace

PetscErrorCode read_settings(const std::string& prefix, Settings& settings) {
  char kernel[64] = "";
  PetscInt threads = settings.threads, iterations = static_cast<PetscInt>(settings.iterations);
  PetscFunctionBegin;
  // The world's first process alone prints what -help asks for.
  PetscOptionsBegin(PETSC_COMM_WORLD, prefix.c_str(), "Sparsecast: products by a plan", "Mat");
  PetscCall(PetscOptionsString("-mat_sparsecast_kernel", "Kernel of all rows (empty: the planner's choice)", nullptr,
                               kernel, kernel, sizeof kernel, nullptr));
  PetscCall(PetscOptionsInt("-mat_sparsecast_threads", "Threads of a product", nullptr, threads, &threads, nullptr));
  PetscCall(PetscOptionsInt("-mat_sparsecast_iterations", "Products that the conversion is to pay over", nullptr,
                            iterations, &iterations, nullptr));
  PetscOptionsEnd();
  settings.kernel = kernel;
  settings.threads = static_cast<int>(std::max<PetscInt>(1, threads));
  settings.iterations = std::max<PetscInt>(0, iterations);
  PetscFunctionReturn(0);
}

PetscErrorCode PlanProducts::follows(Mat a, bool& follows) const {
  PetscObjectState state = 0;
  PetscFunctionBegin;
  PetscCall(PetscObjectStateGet(reinterpret_cast<PetscObject>(a), &state));
  follows = state == state_;
  PetscFunctionReturn(0);
}

PetscErrorCode PlanProducts::follow(Mat a, const std::string& prefix) {
  PetscObjectState pattern_state = 0;
  PetscFunctionBegin;
  PetscCall(MatGetNonzeroState(a, &pattern_state));
  PetscCall(renew(a, prefix, plan_.has_value() && pattern_state == pattern_state_));
  PetscCall(PetscObjectStateGet(reinterpret_cast<PetscObject>(a), &state_));
  pattern_state_ = pattern_state;
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

void PlanProducts::multiply(std::span<const double> x, std::span<double> y, double beta, bool transposed) {
  if (!plan_) throw Error(ErrorCode::usage, "a product without a plan");
  if (rows_.empty()) return transposed ? plan_->apply_transposed(x, y, 1, beta) : plan_->apply(x, y, 1, beta);
  const auto place = [this](std::size_t row) { return static_cast<std::size_t>(rows_[row]); };
  if (transposed) {
    for (std::size_t row = 0; row < rows_.size(); ++row) sums_[row] = x[place(row)];
    return plan_->apply_transposed(sums_, y, 1, beta);
  }
  plan_->apply(x, sums_, 1, 0);
  if (beta == 0) std::ranges::fill(y, 0.0);
  for (std::size_t row = 0; row < rows_.size(); ++row) y[place(row)] += sums_[row];
}

std::string PlanProducts::describe() const {
  if (!plan_) return "no plan, PETSc's own products";
  std::string text;
  for (const std::string& kernel : plan_->kernels())
    if (text.find(kernel) == std::string::npos) text += (text.empty() ? "" : "+") + kernel;
  if (!rows_.empty()) text += " of " + std::to_string(rows_.size()) + " rows, the others are empty";
  const double seconds = plan_->strategy().predicted_s;
  if (seconds <= 0) return text + ", without a forecast";
  char forecast[64];
  std::snprintf(forecast, sizeof forecast, ", forecast %.3g us a product", 1e6 * seconds);
  return text + forecast;
}

PetscErrorCode PlanProducts::renew(Mat a, const std::string& prefix, bool same_pattern) {
  PetscInt rows = 0, cols = 0;
  const PetscInt *row_pointers = nullptr, *columns = nullptr;
  const PetscScalar* values = nullptr;
  PetscBool there = PETSC_FALSE;
  Settings settings;
  PetscFunctionBegin;
  if (!same_pattern) PetscCall(read_settings(prefix, settings));
  PetscCall(MatGetSize(a, nullptr, &cols));
  PetscCall(MatGetRowIJ(a, 0, PETSC_FALSE, PETSC_FALSE, &rows, &row_pointers, &columns, &there));
  PetscCall(MatSeqAIJGetArrayRead(a, &values));
  std::string failure;
  entries_ = there == PETSC_TRUE && rows > 0 ? row_pointers[rows] : 0;
  try {
    if (entries_ == 0) {
      plan_.reset();
    } else {
      const std::span<const PetscInt> all(row_pointers, static_cast<std::size_t>(rows) + 1);
      if (!same_pattern) leave_out_empty_rows(all);
      const auto entries = static_cast<std::size_t>(entries_);
      const Matrix matrix({.rows = rows_.empty() ? rows : static_cast<PetscInt>(rows_.size()),
                           .cols = cols,
                           .row_pointers = rows_.empty() ? all : std::span<const PetscInt>(row_pointers_),
                           .column_indices = std::span<const PetscInt>(columns, entries),
                           .values = std::span<const PetscScalar>(values, entries)},
                          "petsc", same_pattern ? CsrCheck::sizes : CsrCheck::everything);
      if (same_pattern) {
        plan_->update_values(matrix, CsrCheck::sizes);
      } else {
        plan_.reset();
        plan_.emplace(make_plan(matrix, settings));
      }
    }
  } catch (const Error& error) {
    plan_.reset();
    // Rows that are not sorted, say: PETSc multiplies such a matrix, and goes on doing so.
    if (error.code() != ErrorCode::bad_input) failure = error.what();
  }
  PetscCall(MatSeqAIJRestoreArrayRead(a, &values));
  PetscCall(MatRestoreRowIJ(a, 0, PETSC_FALSE, PETSC_FALSE, &rows, &row_pointers, &columns, &there));
  PetscCheck(failure.empty(), PETSC_COMM_SELF, PETSC_ERR_LIB, "sparsecast: %s", failure.c_str());
  PetscFunctionReturn(0);
}

}  // namespace sparsecast::petsc
