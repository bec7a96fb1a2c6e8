// BiCGSTAB, preconditioned on the right: the residual is that of the system itself.

#include <cmath>

#include "solving/run/methods.hpp"

namespace sparsecast::solving {
namespace {
constexpr double vanished = 1e-30;  // of r·g beside both norms: g has nothing more to tell

struct Bicgstab {
  Problem& p;
  Vector r, g, v, d, t, y, s;  // y = M⁻¹d and s = M⁻¹r where there is a preconditioner

  explicit Bicgstab(Problem& problem)
      : p(problem), r(p.vector()), g(p.vector()), v(p.vector()), d(p.vector()), t(p.vector()) {
    if (p.applied != Preconditioning::none) {
      y = p.vector();
      s = p.vector();
    }
  }
  [[nodiscard]] const Vector& of_d() const { return p.applied == Preconditioning::none ? d : y; }
  [[nodiscard]] const Vector& of_r() const { return p.applied == Preconditioning::none ? r : s; }

  // d = r + b·(d − w·v), y = M⁻¹d
  void turn(double b, double w) {
    if (p.applied == Preconditioning::diagonal) {
      const double* m = p.preconditioner.diagonal();
      p.sweeps.run({r.data(), v.data(), m, d.data()}, {d.data(), y.data()},
                   [&](const formats::VectorLoops& loops, std::int64_t begin, std::int64_t end) {
                     loops.turn_scaled(end - begin, b, w, r.data() + begin, v.data() + begin, m + begin,
                                       d.data() + begin, y.data() + begin);
                   });
      return;
    }
    p.sweeps.run({r.data(), v.data(), d.data()}, {d.data()},
                 [&](const formats::VectorLoops& loops, std::int64_t begin, std::int64_t end) {
                   loops.turn(end - begin, b, w, r.data() + begin, v.data() + begin, d.data() + begin);
                 });
    if (p.applied == Preconditioning::step) p.precondition(d, y);
  }

  // r −= a·v, s = M⁻¹r
  void halve(double a) {
    if (p.applied == Preconditioning::diagonal) {
      const double* m = p.preconditioner.diagonal();
      p.sweeps.run({v.data(), m, r.data()}, {r.data(), s.data()},
                   [&](const formats::VectorLoops& loops, std::int64_t begin, std::int64_t end) {
                     loops.update_and_times(end - begin, -a, v.data() + begin, m + begin, r.data() + begin,
                                            s.data() + begin);
                   });
      return;
    }
    p.sweeps.run({v.data(), r.data()}, {r.data()},
                 [&](const formats::VectorLoops& loops, std::int64_t begin, std::int64_t end) {
                   loops.update(end - begin, -a, v.data() + begin, r.data() + begin);
                 });
    if (p.applied == Preconditioning::step) p.precondition(r, s);
  }

  // t = A·s; w = t·r / t·t
  double smoothing() {
    const formats::TwoSums sums = p.product_dots(of_r(), t, r);
    return sums.second > 0 ? sums.first / sums.second : 0;
  }

  // x += a·y + w·s; r −= w·t; r·r and g·r
  formats::TwoSums finish(double a, double w, Vector& x) {
    const auto body = [&](std::int64_t begin, std::int64_t end) {
      return p.loops().step_twice(end - begin, a, w, of_d().data() + begin, of_r().data() + begin, t.data() + begin,
                                  g.data() + begin, x.data() + begin, r.data() + begin);
    };
    if (p.applied == Preconditioning::none)
      return p.sweeps.two_sums({d.data(), t.data(), g.data(), x.data(), r.data()}, {x.data(), r.data()}, body);
    return p.sweeps.two_sums({y.data(), s.data(), t.data(), g.data(), x.data(), r.data()}, {x.data(), r.data()}, body);
  }
};
}  // namespace

void run_bicgstab(Problem& p, History& history, Vector& x) {
  Bicgstab state(p);
  double rr = p.residual(x, state.r), gg = rr;
  state.g = state.r;
  double rho = rr, rho_before = 1, a = 1, w = 1;
  history.begin(p.relative(rr));
  for (bool first = true;; first = false) {
    if (std::abs(rho) <= vanished * std::sqrt(rr) * std::sqrt(gg)) {  // begin anew from here
      state.g = state.r;
      rho = gg = rr;
      first = true;
    }
    if (!(rr > 0)) return history.break_down("the residual is zero");
    state.turn(first ? 0 : (rho / rho_before) * (a / w), w);
    const double gv = p.product_dot(state.of_d(), state.v, state.g);
    if (gv == 0) return history.break_down("the method broke down: a search direction has zero length");
    a = rho / gv;
    state.halve(a);
    w = state.smoothing();
    const formats::TwoSums sums = state.finish(a, w, x);
    rr = sums.first;
    rho_before = rho;
    rho = sums.second;
    if (!history.goes_on(p.relative(rr))) return;
    if (w == 0) return history.break_down("the method broke down: a step has zero length");
  }
}
}  // namespace sparsecast::solving
