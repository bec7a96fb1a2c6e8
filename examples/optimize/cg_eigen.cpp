// A plan behind Eigen's matrix-free interface: Eigen's conjugate gradients multiply by it without ever seeing a matrix.
//   example-cg_eigen MATRIX DEVICE|PROFILE.json [ITERATIONS]
// The matrix must have a symmetric pattern; the system solved is its graph's Laplacian plus the identity.

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <sparsecast/plan.hpp>
#include <sparsecast/read.hpp>

#include "spd_system.hpp"

class PlanOperator;

namespace Eigen::internal {
// What Eigen's solvers ask of a matrix type; the plan takes the place of a sparse one.
template <>
struct traits<PlanOperator> : traits<SparseMatrix<double>> {};
}  // namespace Eigen::internal

class PlanOperator : public Eigen::EigenBase<PlanOperator> {
 public:
  using Scalar = double;
  using RealScalar = double;
  using StorageIndex = int;
  enum { ColsAtCompileTime = Eigen::Dynamic, MaxColsAtCompileTime = Eigen::Dynamic, IsRowMajor = false };

  explicit PlanOperator(const sparsecast::Plan& plan) : plan_(&plan) {}
  [[nodiscard]] Eigen::Index rows() const { return plan_->rows(); }
  [[nodiscard]] Eigen::Index cols() const { return plan_->cols(); }
  template <class Rhs>
  Eigen::Product<PlanOperator, Rhs, Eigen::AliasFreeProduct> operator*(const Eigen::MatrixBase<Rhs>& x) const {
    return {*this, x.derived()};
  }
  [[nodiscard]] const sparsecast::Plan& plan() const { return *plan_; }

 private:
  const sparsecast::Plan* plan_;
};

namespace Eigen::internal {
template <class Rhs>
struct generic_product_impl<PlanOperator, Rhs, SparseShape, DenseShape, GemvProduct>
    : generic_product_impl_base<PlanOperator, Rhs, generic_product_impl<PlanOperator, Rhs>> {
  template <class Dest>
  static void scaleAndAddTo(Dest& y, const PlanOperator& a, const Rhs& x, const double& alpha) {
    const VectorXd in = x;
    VectorXd out(a.rows());
    a.plan().apply(std::span<const double>(in.data(), static_cast<std::size_t>(in.size())),
                   std::span<double>(out.data(), static_cast<std::size_t>(out.size())));
    y.noalias() += alpha * out;
  }
};
}  // namespace Eigen::internal

namespace {

void solve(const char* name, const sparsecast::Plan& plan, int iterations) {
  const PlanOperator a(plan);
  Eigen::ConjugateGradient<PlanOperator, Eigen::Lower | Eigen::Upper, Eigen::IdentityPreconditioner> solver;
  solver.setMaxIterations(iterations);
  solver.setTolerance(1e-10);
  solver.compute(a);
  const std::vector<double> entries = right_hand_side(plan.rows());
  const Eigen::VectorXd b = Eigen::VectorXd::Map(entries.data(), plan.rows());
  const double start = seconds_now();
  const Eigen::VectorXd x = solver.solve(b);
  const double seconds = seconds_now() - start;
  std::printf("%-5s %d iterations, %.3g s each, residual %.1e\n", name, static_cast<int>(solver.iterations()),
              seconds / std::max<double>(1, static_cast<double>(solver.iterations())), solver.error());
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s MATRIX DEVICE|PROFILE.json [ITERATIONS]\n", argv[0]);
    return 2;
  }
  const int iterations = argc > 3 ? std::atoi(argv[3]) : 200;
  const sparsecast::Matrix matrix = graph_laplacian_plus_one(sparsecast::read_matrix(argv[1]));
  sparsecast::PlanOptions options;
  options.strategy.iterations = iterations;
  const sparsecast::Plan plan = sparsecast::plan(matrix, profile_of(argv[2]), options);
  const sparsecast::Plan csr = plain_csr(matrix, plan.strategy());
  solve("warm", csr, 5);
  solve("csr", csr, iterations);
  solve("plan", plan, iterations);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
