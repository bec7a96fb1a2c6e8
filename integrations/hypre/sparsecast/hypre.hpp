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
// Other values, or another matrix, for the same solver: products are hypre's again and plans are begun anew, also where
// the solver was not set up again. hypre's matrices do not count their changes, so every residual (beta is not 0, with
// which each solve begins) compares all entries with the planned ones by a checksum, and every other product some.
//
// Thread safety: as hypre's, one thread.

#include <_hypre_parcsr_ls.h>
#include <krylov.h>

#include <algorithm>
#include <bit>
#include <cstdint>
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

/// The last step of SplitMix64; Steele, Lea & Flood (2014).
inline std::uint64_t mixed(std::uint64_t word) {
  word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9U;
  word = (word ^ word >> 27) * 0x94d049bb133111ebU;
  return word ^ word >> 31;
}

/// Of all entries of a block, or of some of them at even distances.
inline std::uint64_t checksum(const hypre_CSRMatrix* block, bool whole) {
  constexpr int some = 16;
  const int rows = hypre_CSRMatrixNumRows(block), entries = rows > 0 ? hypre_CSRMatrixI(block)[rows] : 0;
  std::uint64_t sum = 0, place = 0;
  const auto add = [&](std::uint64_t word) { sum += mixed(word + 0x9e3779b97f4a7c15U * ++place); };
  add(static_cast<std::uint64_t>(rows));
  add(static_cast<std::uint64_t>(hypre_CSRMatrixNumCols(block)));
  const auto step = [whole](int count) { return whole ? 1 : std::max(1, count / some); };
  for (std::int64_t row = 0; row < rows; row += step(rows))
    add(static_cast<std::uint64_t>(hypre_CSRMatrixI(block)[row + 1]));
  for (std::int64_t k = 0; k < entries; k += step(entries)) {
    add(static_cast<std::uint64_t>(hypre_CSRMatrixJ(block)[k]));
    add(std::bit_cast<std::uint64_t>(hypre_CSRMatrixData(block)[k]));
  }
  return sum;
}

/// Which matrix plans were made of.
struct Planned {
  const hypre_ParCSRMatrix* a = nullptr;
  std::uint64_t all = 0, some = 0;

  explicit Planned(hypre_ParCSRMatrix* of) : a(of), all(checksum_of(of, true)), some(checksum_of(of, false)) {}
  [[nodiscard]] bool is(hypre_ParCSRMatrix* other, bool surely) const {
    return other == a && (surely ? checksum_of(other, true) == all : checksum_of(other, false) == some);
  }

 private:
  static std::uint64_t checksum_of(hypre_ParCSRMatrix* of, bool whole) {
    return mixed(checksum(hypre_ParCSRMatrixDiag(of), whole)) + checksum(hypre_ParCSRMatrixOffd(of), whole);
  }
};

/// A plan multiplies one vector, and not in place.
inline bool fit_plans(hypre_ParVector* x, hypre_ParVector* y) {
  const hypre_Vector *from = hypre_ParVectorLocalVector(x), *to = hypre_ParVectorLocalVector(y);
  return hypre_VectorNumVectors(from) == 1 && hypre_VectorNumVectors(to) == 1 &&
         hypre_VectorData(from) != hypre_VectorData(to);
}

/// With the matrix that the solver hands over, which need not be the one that it was set up with: hypre has some
/// solvers create this once for all their set-ups.
class Products {
 public:
  HYPRE_Int multiply(double alpha, hypre_ParCSRMatrix* a, hypre_ParVector* x, double beta, hypre_ParVector* y) {
    // All processes have to make them at once, and a plan may come first.
    if (hypre_ParCSRMatrixCommPkg(a) == nullptr) hypre_MatvecCommPkgCreate(a);
    if (planned_ && !planned_->is(a, beta != 0)) *this = Products{};
    const double start = MPI_Wtime();
    const bool ours = takes_plan(a) && fit_plans(x, y);
    if (ours)
      by_plan(alpha, a, x, beta, y);
    else
      hypre_ParCSRMatrixMatvec(alpha, a, x, beta, y);
    double& least = least_s_[ours ? 1 : 0];
    if (seen_ < 2 * tries) least = std::min(least, MPI_Wtime() - start);
    ++seen_;
    return hypre_error_flag;
  }

 private:
  static constexpr int tries = 4;
  static constexpr double worthwhile = 0.97;
  std::optional<Planned> planned_;  // none where there are no plans
  std::optional<Plan> own_, remote_;
  std::vector<double> sent_, received_;
  double least_s_[2] = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  int seen_ = 0;

  bool takes_plan(hypre_ParCSRMatrix* a) {
    if (seen_ == tries) make_plans(a);
    return planned_ && seen_ >= tries && (seen_ < 2 * tries || least_s_[1] < worthwhile * least_s_[0]);
  }

  void make_plans(hypre_ParCSRMatrix* a) {
    try {
      own_ = plan_of(hypre_ParCSRMatrixDiag(a));
      remote_ = plan_of(hypre_ParCSRMatrixOffd(a));
      planned_.emplace(a);
    } catch (const std::exception&) {  // nor where there is no memory for them
      planned_.reset();
    }
  }

  void by_plan(double alpha, hypre_ParCSRMatrix* a, hypre_ParVector* x, double beta, hypre_ParVector* y) {
    const auto values = [](hypre_ParVector* v) {
      hypre_Vector* local = hypre_ParVectorLocalVector(v);
      return std::span<double>(hypre_VectorData(local), static_cast<std::size_t>(hypre_VectorSize(local)));
    };
    const std::span<double> from = values(x), to = values(y);
    hypre_ParCSRCommPkg* messages = hypre_ParCSRMatrixCommPkg(a);
    // Other processes' rows may be others by now, and ask for other entries of x.
    const int sends = hypre_ParCSRCommPkgNumSends(messages);
    sent_.resize(static_cast<std::size_t>(hypre_ParCSRCommPkgSendMapStart(messages, sends)));
    received_.resize(static_cast<std::size_t>(hypre_CSRMatrixNumCols(hypre_ParCSRMatrixOffd(a))));
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

inline void* create_products(void*, void*) { return new Products; }
inline HYPRE_Int multiply(void* products, double alpha, void* a, void* x, double beta, void* y) {
  return static_cast<Products*>(products)->multiply(alpha, static_cast<hypre_ParCSRMatrix*>(a),
                                                    static_cast<hypre_ParVector*>(x), beta,
                                                    static_cast<hypre_ParVector*>(y));
}
inline HYPRE_Int destroy_products(void* products) {
  delete static_cast<Products*>(products);
  return hypre_error_flag;
}
}  // namespace hypre

/// Before the solver's first set-up; `Data` is hypre's of that solver, from krylov.h.
template <class Data>
void multiply_by_plans(HYPRE_Solver solver) {
  auto* const functions = reinterpret_cast<Data*>(solver)->functions;
  functions->MatvecCreate = hypre::create_products;
  functions->Matvec = hypre::multiply;
  functions->MatvecDestroy = hypre::destroy_products;
}
}  // namespace sparsecast
