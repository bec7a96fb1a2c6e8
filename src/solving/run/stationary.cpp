// Methods without sums that steer them: Jacobi's iteration and Chebyshev's, whose bounds some steps of cg find.

#include <Eigen/Eigenvalues>
#include <cmath>

#include "solving/run/methods.hpp"

namespace sparsecast::solving {
namespace {
struct Bounds {
  double low = 0, high = 0;
};

// Of the eigenvalues of M⁻¹A, from the tridiagonal matrix that cg makes (Golub & Van Loan, 10.2.5). They are found from
// within, so the upper one is raised: beyond it the iteration would grow.
Bounds find_bounds(Problem& p, const Vector& x) {
  constexpr double raised = 1.1, lowered = 0.9;
  Vector r = p.vector(), d = p.vector(), q = p.vector(), z = p.vector();
  const double first = p.residual(x, r);
  p.preconditioner.apply(r.data(), z.data());
  d = z;
  double rho = p.dot(r, z), a_before = 1, b_before = 0;
  std::vector<double> diagonal, beside;
  for (int step = 0; step < chebyshev_bound_steps; ++step) {
    const double curvature = p.product_dot(d, q, d);
    if (!(curvature > 0) || !(rho > 1e-28 * first)) break;
    const double a = rho / curvature;
    diagonal.push_back(1 / a + b_before / a_before);
    p.sweeps.run({q.data(), r.data()}, {r.data()}, [&](std::int64_t begin, std::int64_t end) {
      p.loops().update(end - begin, -a, q.data() + begin, r.data() + begin);
    });
    p.preconditioner.apply(r.data(), z.data());
    const double next = p.dot(r, z), b = next / rho;
    beside.push_back(std::sqrt(b) / a);
    p.sweeps.run({z.data(), d.data()}, {d.data()}, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) d[i] = z[i] + b * d[i];
    });
    a_before = a;
    b_before = b;
    rho = next;
  }
  if (diagonal.empty()) return {1, 1};
  const auto size = static_cast<Eigen::Index>(diagonal.size());
  Eigen::MatrixXd t = Eigen::MatrixXd::Zero(size, size);
  for (Eigen::Index i = 0; i < size; ++i) {
    t(i, i) = diagonal[static_cast<std::size_t>(i)];
    if (i + 1 < size) t(i, i + 1) = t(i + 1, i) = beside[static_cast<std::size_t>(i)];
  }
  const Eigen::VectorXd values =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(t, Eigen::EigenvaluesOnly).eigenvalues();
  return {lowered * values.minCoeff(), raised * values.maxCoeff()};
}

// d = a·d + c·M⁻¹r; x += d
void accelerate(Problem& p, double a, double c, const Vector& r, const Vector& z, Vector& d, Vector& x) {
  if (p.applied == Preconditioning::diagonal) {
    const double* m = p.preconditioner.diagonal();
    p.sweeps.run({m, r.data(), d.data(), x.data()}, {d.data(), x.data()},
                 [&](const formats::VectorLoops& loops, std::int64_t begin, std::int64_t end) {
                   loops.accelerate_scaled(end - begin, a, c, m + begin, r.data() + begin, d.data() + begin,
                                           x.data() + begin);
                 });
    return;
  }
  const Vector& from = p.applied == Preconditioning::none ? r : z;
  p.sweeps.run({from.data(), d.data(), x.data()}, {d.data(), x.data()},
               [&](const formats::VectorLoops& loops, std::int64_t begin, std::int64_t end) {
                 loops.accelerate(end - begin, a, c, from.data() + begin, d.data() + begin, x.data() + begin);
               });
}
}  // namespace

// Saad, Iterative Methods for Sparse Linear Systems, algorithm 12.1.
void run_chebyshev(Problem& p, History& history, Vector& x) {
  const Bounds bounds = find_bounds(p, x);
  const double middle = (bounds.high + bounds.low) / 2, half = std::max((bounds.high - bounds.low) / 2, 1e-12 * middle);
  const double sigma = middle / half;
  double rho = 1 / sigma;
  Vector r = p.vector(), d = p.vector(), q = p.vector();
  Vector z = p.applied == Preconditioning::step ? p.vector() : Vector();
  const double first = p.residual(x, r);
  if (p.applied == Preconditioning::step) p.precondition(r, z);
  accelerate(p, 0, 1 / middle, r, z, d, x);
  history.begin(p.relative(first));
  for (;;) {
    p.product(d, q);
    const double rr = p.sweeps.sum({q.data(), r.data()}, {r.data()}, [&](std::int64_t begin, std::int64_t end) {
      return p.loops().update_and_square(end - begin, -1, q.data() + begin, r.data() + begin);
    });
    if (!history.goes_on(p.relative(rr))) return;
    if (p.applied == Preconditioning::step) p.precondition(r, z);
    const double next = 1 / (2 * sigma - rho);
    accelerate(p, next * rho, 2 * next / half, r, z, d, x);
    rho = next;
  }
}

void run_jacobi(Problem& p, History& history, Vector& x, const Vector& inverse_diagonal) {
  Vector q = p.vector();
  const double first = p.residual(x, q);
  history.begin(p.relative(first));
  double rr = 0;
  do {
    p.product(x, q);
    rr = p.sweeps.sum({p.b.data(), q.data(), inverse_diagonal.data(), x.data()}, {x.data()},
                      [&](const formats::VectorLoops& loops, std::int64_t begin, std::int64_t end) {
                        return loops.relax(end - begin, p.b.data() + begin, q.data() + begin,
                                           inverse_diagonal.data() + begin, x.data() + begin);
                      });
  } while (history.goes_on(p.relative(rr)));
}
}  // namespace sparsecast::solving
