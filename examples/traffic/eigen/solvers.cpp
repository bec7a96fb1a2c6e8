// Solvers that others wrote: Eigen's own, called as a user calls them. Beside each stands its prototype NAME.m, typed
// from Eigen's source statement by statement, whose region is the loop.
//
//     solvers NAME ITERATIONS
//
// does so many iterations more than the few of a run with 0, so that the difference of two runs is the loop alone.
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/Sparse>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unsupported/Eigen/IterativeSolvers>
#include <vector>

namespace {

using Sparse = Eigen::SparseMatrix<double, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;
constexpr int both = Eigen::Lower | Eigen::Upper;

Sparse poisson(int nx, int ny) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) {
      const int row = j * nx + i;
      entries.emplace_back(row, row, 4);
      if (i > 0) entries.emplace_back(row, row - 1, -1);
      if (i + 1 < nx) entries.emplace_back(row, row + 1, -1);
      if (j > 0) entries.emplace_back(row, row - nx, -1);
      if (j + 1 < ny) entries.emplace_back(row, row + nx, -1);
    }
  Sparse a(nx * ny, nx * ny);
  a.setFromTriplets(entries.begin(), entries.end());
  return a;
}

template <class Solver>
double solve(Solver&& solver, const Sparse& a, int iterations) {
  solver.setTolerance(0);
  solver.setMaxIterations(iterations);
  solver.compute(a);
  const Vector b = Vector::Ones(a.rows());
  const Vector x = solver.solve(b);
  return x[a.rows() / 2];
}

double run(const std::string& name, const Sparse& a, int more) {
  using None = Eigen::IdentityPreconditioner;
  using Jacobi = Eigen::DiagonalPreconditioner<double>;
  if (name == "cg") return solve(Eigen::ConjugateGradient<Sparse, both, None>(), a, 1 + more);
  if (name == "cg_jacobi") return solve(Eigen::ConjugateGradient<Sparse, both, Jacobi>(), a, 1 + more);
  if (name == "bicgstab") return solve(Eigen::BiCGSTAB<Sparse, None>(), a, 1 + more);
  if (name == "bicgstab_jacobi") return solve(Eigen::BiCGSTAB<Sparse, Jacobi>(), a, 1 + more);
  if (name == "lscg") return solve(Eigen::LeastSquaresConjugateGradient<Sparse, None>(), a, 1 + more);
  if (name == "minres") return solve(Eigen::MINRES<Sparse, both, None>(), a, 1 + more);
  if (name == "gmres") {
    Eigen::GMRES<Sparse, None> solver;
    solver.set_restart(8);
    return solve(solver, a, 8 + more);
  }
  if (name == "idrs") {
    Eigen::IDRS<Sparse, None> solver;
    solver.setS(4);
    return solve(solver, a, 1 + more);
  }
  std::exit(2);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::printf("%.15g\n", run(argv[1], poisson(96, 512), std::atoi(argv[2])));
}
