#include "plan_products.hpp"

#include <algorithm>
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

PetscErrorCode read_settings(Mat a, Settings& settings) {
  const char* prefix = nullptr;
  char kernel[64] = "";
  PetscInt threads = settings.threads, iterations = static_cast<PetscInt>(settings.iterations);
  PetscFunctionBegin;
  PetscCall(MatGetOptionsPrefix(a, &prefix));
  PetscCall(PetscOptionsGetString(nullptr, prefix, "-sparsecast_kernel", kernel, sizeof kernel, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, prefix, "-sparsecast_threads", &threads, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, prefix, "-sparsecast_iterations", &iterations, nullptr));
  settings.kernel = kernel;
  settings.threads = static_cast<int>(std::max<PetscInt>(1, threads));
  settings.iterations = std::max<PetscInt>(0, iterations);
  PetscFunctionReturn(0);
}

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

}  // namespace

PetscErrorCode PlanProducts::follow(Mat a) {
  PetscObjectState state = 0, pattern_state = 0;
  PetscFunctionBegin;
  PetscCall(PetscObjectStateGet(reinterpret_cast<PetscObject>(a), &state));
  if (state == state_) PetscFunctionReturn(0);
  PetscCall(MatGetNonzeroState(a, &pattern_state));
  PetscCall(renew(a, plan_.has_value() && pattern_state == pattern_state_));
  state_ = state;
  pattern_state_ = pattern_state;
  PetscFunctionReturn(0);
}

PetscErrorCode PlanProducts::renew(Mat a, bool same_pattern) {
  PetscInt rows = 0, cols = 0;
  const PetscInt *row_pointers = nullptr, *columns = nullptr;
  const PetscScalar* values = nullptr;
  PetscBool there = PETSC_FALSE;
  Settings settings;
  PetscFunctionBegin;
  PetscCall(read_settings(a, settings));
  PetscCall(MatGetSize(a, nullptr, &cols));
  PetscCall(MatGetRowIJ(a, 0, PETSC_FALSE, PETSC_FALSE, &rows, &row_pointers, &columns, &there));
  PetscCall(MatSeqAIJGetArrayRead(a, &values));
  std::string failure;
  if (there == PETSC_TRUE && rows > 0 && row_pointers[rows] > 0) {
    try {
      const auto entries = static_cast<std::size_t>(row_pointers[rows]);
      const Matrix matrix({.rows = rows,
                           .cols = cols,
                           .row_pointers = std::span<const PetscInt>(row_pointers, static_cast<std::size_t>(rows) + 1),
                           .column_indices = std::span<const PetscInt>(columns, entries),
                           .values = std::span<const PetscScalar>(values, entries)},
                          "petsc", same_pattern ? CsrCheck::sizes : CsrCheck::everything);
      if (same_pattern) {
        plan_->update_values(matrix, CsrCheck::sizes);
      } else {
        plan_.reset();
        plan_.emplace(make_plan(matrix, settings));
      }
    } catch (const Error& error) {
      plan_.reset();
      // Rows that are not sorted, say: PETSc multiplies such a matrix, and goes on doing so.
      if (error.code() != ErrorCode::bad_input) failure = error.what();
    }
  } else {
    plan_.reset();
  }
  PetscCall(MatSeqAIJRestoreArrayRead(a, &values));
  PetscCall(MatRestoreRowIJ(a, 0, PETSC_FALSE, PETSC_FALSE, &rows, &row_pointers, &columns, &there));
  PetscCheck(failure.empty(), PETSC_COMM_SELF, PETSC_ERR_LIB, "sparsecast: %s", failure.c_str());
  PetscFunctionReturn(0);
}

}  // namespace sparsecast::petsc
