#pragma once
// Plans within hypre's Krylov solvers: their products with a ParCSR matrix go through a plan, on every process through
// one of its own. Preconditioners (BoomerAMG), vectors, sums and messages stay hypre's.
//
//   HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, &solver);
//   sparsecast::multiply_by_plans<hypre_PCGData>(solver);   // or hypre_GMRESData, hypre_BiCGSTABData, …
//   HYPRE_ParCSRPCGSetup(solver, a, b, x);
//
// The first products are hypre's own, the next ones a plan's; what was faster goes on, hypre's unless the plan saves
// 3 %. A plan is the planner's where this machine is calibrated (`sparsecast calibrate --threads 1`), else sell. A
// matrix that a plan does not take keeps hypre's products.
//
// Thread safety: as hypre's, one thread.

#include <_hypre_parcsr_ls.h>
#include <krylov.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <sparsecast/error.hpp>
#include <sparsecast/plan.hpp>
#include <type_traits>
#include <vector>

#ifdef HYPRE_USING_GPU
#error "plans multiply in host memory, and this hypre keeps its data elsewhere"
#endif

namespace sparsecast {
namespace hypre {
static_assert(std::is_same_v<HYPRE_Int, int> && std::is_same_v<HYPRE_Complex, double>,
              "a hypre build for the host is needed");

inline Strategy strategy_for(const Matrix& matrix) {
  try {
    static const Planner planner(calibrated_profile("host"), Precision::double_, 1);
    return planner.strategy(matrix, {.iterations = 1000});
  } catch (const Error&) {  // not calibrated
    return one_kernel(matrix, "sell", Precision::double_, 1);
  }
}

/// The block in arrays that the matrix keeps, as kernels that read CSR go on reading them. hypre's rows begin with
/// their diagonal: these are ascending.
inline Matrix matrix_of(const hypre_CSRMatrix* block) {
  struct Arrays {
    std::vector<int> row_pointers, columns;
    std::vector<double> values;
  };
  const int rows = hypre_CSRMatrixNumRows(block), *first = hypre_CSRMatrixI(block);
  const auto kept = std::make_shared<Arrays>();
  kept->row_pointers.assign(first, first + rows + 1);
  std::vector<int> order;
  for (int row = 0; row < rows; ++row) {
    order.resize(static_cast<std::size_t>(first[row + 1] - first[row]));
    std::iota(order.begin(), order.end(), first[row]);
    std::ranges::sort(order, {}, [&](int k) { return hypre_CSRMatrixJ(block)[k]; });
    for (const int k : order) {
      kept->columns.push_back(hypre_CSRMatrixJ(block)[k]);
      kept->values.push_back(hypre_CSRMatrixData(block)[k]);
    }
  }
  return Matrix({.rows = rows,
                 .cols = hypre_CSRMatrixNumCols(block),
                 .row_pointers = std::span<const int>(kept->row_pointers),
                 .column_indices = std::span<const int>(kept->columns),
                 .values = std::span<const double>(kept->values),
                 .owner = kept},
                "hypre");
}

/// None of a block without entries.
inline std::optional<Plan> plan_of(const hypre_CSRMatrix* block) {
  const int rows = hypre_CSRMatrixNumRows(block);
  if (rows == 0 || hypre_CSRMatrixI(block)[rows] == 0) return std::nullopt;
  const Matrix matrix = matrix_of(block);
  return Plan(matrix, strategy_for(matrix));
}

/// A plan multiplies one vector, and not in place.
inline bool fit_plans(hypre_ParVector* x, hypre_ParVector* y) {
  const hypre_Vector *from = hypre_ParVectorLocalVector(x), *to = hypre_ParVectorLocalVector(y);
  return hypre_VectorNumVectors(from) == 1 && hypre_VectorNumVectors(to) == 1 &&
         hypre_VectorData(from) != hypre_VectorData(to);
}

class Products {
 public:
  explicit Products(hypre_ParCSRMatrix* a) : a_(a) {
    if (hypre_ParCSRMatrixCommPkg(a) == nullptr) hypre_MatvecCommPkgCreate(a);
  }

  HYPRE_Int multiply(double alpha, hypre_ParVector* x, double beta, hypre_ParVector* y) {
    const double start = MPI_Wtime();
    const bool ours = takes_plan() && fit_plans(x, y);
    if (ours)
      by_plan(alpha, x, beta, y);
    else
      hypre_ParCSRMatrixMatvec(alpha, a_, x, beta, y);
    double& least = least_s_[ours ? 1 : 0];
    if (seen_ < 2 * tries) least = std::min(least, MPI_Wtime() - start);
    ++seen_;
    return hypre_error_flag;
  }

 private:
  static constexpr int tries = 4;
  static constexpr double worthwhile = 0.97;
  hypre_ParCSRMatrix* a_;
  std::optional<Plan> own_, remote_;
  std::vector<double> sent_, received_;
  double least_s_[2] = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  int seen_ = 0;
  bool has_plans_ = false;

  bool takes_plan() {
    if (seen_ == tries) make_plans();
    return has_plans_ && seen_ >= tries && (seen_ < 2 * tries || least_s_[1] < worthwhile * least_s_[0]);
  }

  void make_plans() {
    try {
      own_ = plan_of(hypre_ParCSRMatrixDiag(a_));
      remote_ = plan_of(hypre_ParCSRMatrixOffd(a_));
      has_plans_ = true;
    } catch (const std::exception&) {  // nor where there is no memory for them
      has_plans_ = false;
    }
    const hypre_ParCSRCommPkg* messages = hypre_ParCSRMatrixCommPkg(a_);
    const int sends = hypre_ParCSRCommPkgNumSends(messages);
    sent_.resize(static_cast<std::size_t>(hypre_ParCSRCommPkgSendMapStart(messages, sends)));
    received_.resize(static_cast<std::size_t>(hypre_CSRMatrixNumCols(hypre_ParCSRMatrixOffd(a_))));
  }

  void by_plan(double alpha, hypre_ParVector* x, double beta, hypre_ParVector* y) {
    const auto values = [](hypre_ParVector* v) {
      hypre_Vector* local = hypre_ParVectorLocalVector(v);
      return std::span<double>(hypre_VectorData(local), static_cast<std::size_t>(hypre_VectorSize(local)));
    };
    const std::span<double> from = values(x), to = values(y);
    hypre_ParCSRCommPkg* messages = hypre_ParCSRMatrixCommPkg(a_);
    for (std::size_t k = 0; k < sent_.size(); ++k)
      sent_[k] = from[static_cast<std::size_t>(hypre_ParCSRCommPkgSendMapElmt(messages, k))];
    hypre_ParCSRCommHandle* travelling = hypre_ParCSRCommHandleCreate(1, messages, sent_.data(), received_.data());
    if (own_)
      own_->apply(from, to, alpha, beta);
    else
      for (double& value : to) value = beta == 0 ? 0 : beta * value;
    hypre_ParCSRCommHandleDestroy(travelling);
    if (remote_) remote_->apply(received_, to, alpha, 1);
  }
};

inline void* create_products(void* a, void*) { return new Products(static_cast<hypre_ParCSRMatrix*>(a)); }
inline HYPRE_Int multiply(void* products, double alpha, void*, void* x, double beta, void* y) {
  return static_cast<Products*>(products)->multiply(alpha, static_cast<hypre_ParVector*>(x), beta,
                                                    static_cast<hypre_ParVector*>(y));
}
inline HYPRE_Int destroy_products(void* products) {
  delete static_cast<Products*>(products);
  return hypre_error_flag;
}
}  // namespace hypre

/// Before the solver's set-up, at which the plans are begun anew; `Data` is hypre's of that solver, from krylov.h.
template <class Data>
void multiply_by_plans(HYPRE_Solver solver) {
  auto* const functions = reinterpret_cast<Data*>(solver)->functions;
  functions->MatvecCreate = hypre::create_products;
  functions->Matvec = hypre::multiply;
  functions->MatvecDestroy = hypre::destroy_products;
}
}  // namespace sparsecast
