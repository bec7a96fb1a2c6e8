// A plan within Eigen: its conjugate gradients multiply by it without ever seeing a matrix.
//   example-cg_eigen MATRIX DEVICE|PROFILE.json [ITERATIONS]
// The matrix must have a symmetric pattern; the system solved is its graph's Laplacian plus the identity.

#include <Eigen/IterativeLinearSolvers>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <sparsecast/eigen.hpp>
#include <sparsecast/plan.hpp>
#include <sparsecast/read.hpp>
#include <string>

#include "spd_system.hpp"

namespace {

void solve(const char* name, const sparsecast::Plan& plan, int iterations) {
  const sparsecast::EigenPlan a(plan);
  Eigen::ConjugateGradient<sparsecast::EigenPlan, Eigen::Lower | Eigen::Upper, Eigen::IdentityPreconditioner> solver;
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
  const std::string device = argv[2];
  sparsecast::PlanRequest request;
  request.matrix = matrix;
  request.strategy.iterations = iterations;
  if (device.ends_with(".json"))
    request.profile = device;
  else
    request.device = device;
  const sparsecast::Plan plan = sparsecast::plan(request);
  const sparsecast::Plan csr = plain_csr(matrix, plan.strategy());
  solve("warm", csr, 5);
  solve("csr", csr, iterations);
  solve("plan", plan, iterations);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
