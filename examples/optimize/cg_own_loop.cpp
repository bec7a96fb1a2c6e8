// Conjugate gradients (Hestenes & Stiefel 1952) with a plan as the operator:
//   example-cg_own_loop MATRIX DEVICE|PROFILE.json [ITERATIONS]
// The matrix must have a symmetric pattern; the system solved is its graph's Laplacian plus the identity.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <numeric>
#include <sparsecast/plan.hpp>
#include <sparsecast/read.hpp>

#include "spd_system.hpp"

namespace {

using Vector = std::vector<double>;
using Operator = std::function<void(const Vector& x, Vector& y)>;

double dot(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

struct Outcome {
  int iterations = 0;
  double seconds_per_iteration = 0, residual = 0;
};

Outcome conjugate_gradients(const Operator& multiply, const Vector& b, int most_iterations) {
  Vector x(b.size(), 0.0), r = b, p = r, q(b.size());
  double rho = dot(r, r);
  const double start = seconds_now(), goal = 1e-20 * rho;
  Outcome outcome;
  while (outcome.iterations < most_iterations && rho > goal) {
    multiply(p, q);
    const double alpha = rho / dot(p, q);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    const double next = dot(r, r);
    for (std::size_t i = 0; i < p.size(); ++i) p[i] = r[i] + next / rho * p[i];
    rho = next;
    ++outcome.iterations;
  }
  outcome.seconds_per_iteration = (seconds_now() - start) / std::max(1, outcome.iterations);
  outcome.residual = std::sqrt(rho / dot(b, b));
  return outcome;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s MATRIX DEVICE|PROFILE.json [ITERATIONS]\n", argv[0]);
    return 2;
  }
  const int iterations = argc > 3 ? std::atoi(argv[3]) : 200;
  const sparsecast::Matrix matrix = graph_laplacian_plus_one(sparsecast::read_matrix(argv[1]));
  const sparsecast::Profile profile = profile_of(argv[2]);
  const sparsecast::Planner planner(profile);
  sparsecast::StrategyOptions options;
  options.iterations = iterations;
  const sparsecast::Plan plan(matrix, planner.strategy(matrix, options));

  const sparsecast::Plan csr = plain_csr(matrix, plan.strategy());

  const Vector b = right_hand_side(matrix.rows());
  const auto multiply_by = [](const sparsecast::Plan& a) {
    return [&a](const Vector& x, Vector& y) { a.apply(x, y); };
  };
  (void)conjugate_gradients(multiply_by(csr), b, 5);  // warm-up
  const Outcome by_csr = conjugate_gradients(multiply_by(csr), b, iterations);
  const Outcome by_plan = conjugate_gradients(multiply_by(plan), b, iterations);
  std::printf("%s: %zu block(s), first in %s\n", matrix.name().c_str(), plan.strategy().blocks.size(),
              plan.strategy().blocks[0].kernel.c_str());
  std::printf("csr   %d iterations, %.3g s each, residual %.1e\n", by_csr.iterations, by_csr.seconds_per_iteration,
              by_csr.residual);
  std::printf("plan  %d iterations, %.3g s each, residual %.1e, %.3g s to convert\n", by_plan.iterations,
              by_plan.seconds_per_iteration, by_plan.residual, plan.conversion_seconds());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
