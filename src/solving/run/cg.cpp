// Conjugate gradients, preconditioned. An iteration reads p and q for one sum, updates r with its own, and moves x and
// p in one more pass: nine vectors read and three written where a call for each update reads eleven and writes four,
// with fewer waits.

#include <cmath>

#include "solving/run/methods.hpp"

namespace sparsecast::solving {
namespace {
// r −= a·q; r·r and r·M⁻¹r. z is M⁻¹r where the preconditioner is a step of its own.
formats::TwoSums next_residual(Problem& p, double a, const Vector& q, Vector& r, Vector& z) {
  Sweeps& sweeps = p.sweeps;
  const formats::VectorLoops& loops = p.loops();
  if (p.applied == Preconditioning::diagonal) {
    const double* m = p.preconditioner.diagonal();
    return sweeps.two_sums({q.data(), m, r.data()}, {r.data()}, [&](std::int64_t begin, std::int64_t end) {
      return loops.update_and_weigh(end - begin, -a, q.data() + begin, m + begin, r.data() + begin);
    });
  }
  const double rr = sweeps.sum({q.data(), r.data()}, {r.data()}, [&](std::int64_t begin, std::int64_t end) {
    return loops.update_and_square(end - begin, -a, q.data() + begin, r.data() + begin);
  });
  if (p.applied == Preconditioning::none) return {rr, rr};
  p.precondition(r, z);
  return {rr, p.dot(r, z)};
}

// x += a·d; d = M⁻¹r + b·d
void step(Problem& p, double a, double b, const Vector& r, const Vector& z, Vector& x, Vector& d) {
  Sweeps& sweeps = p.sweeps;
  if (p.applied == Preconditioning::diagonal) {
    const double* m = p.preconditioner.diagonal();
    sweeps.run({m, r.data(), x.data(), d.data()}, {x.data(), d.data()},
               [&](const formats::VectorLoops& loops, std::int64_t begin, std::int64_t end) {
                 loops.step_and_turn_scaled(end - begin, a, b, m + begin, r.data() + begin, x.data() + begin,
                                            d.data() + begin);
               });
    return;
  }
  const Vector& from = p.applied == Preconditioning::none ? r : z;
  sweeps.run({from.data(), x.data(), d.data()}, {x.data(), d.data()},
             [&](const formats::VectorLoops& loops, std::int64_t begin, std::int64_t end) {
               loops.step_and_turn(end - begin, a, b, from.data() + begin, x.data() + begin, d.data() + begin);
             });
}
}  // namespace

void run_cg(Problem& p, History& history, Vector& x) {
  Vector r = p.vector(), d = p.vector(), q = p.vector();
  Vector z = p.applied == Preconditioning::step ? p.vector() : Vector();
  const double first = p.residual(x, r);
  p.preconditioner.apply(r.data(), d.data());
  double rho = p.dot(r, d);
  history.begin(p.relative(first));
  for (bool on = true; on;) {
    const double curvature = p.product_dot(d, q, d);
    if (!(curvature > 0) || !(rho > 0))
      return history.break_down("the matrix or the preconditioner is not positive definite");
    const double a = rho / curvature;
    const formats::TwoSums sums = next_residual(p, a, q, r, z);
    on = history.goes_on(p.relative(sums.first));
    step(p, a, sums.second / rho, r, z, x, d);
    rho = sums.second;
  }
}
}  // namespace sparsecast::solving
