// Conjugate gradients, preconditioned. An iteration reads p and q for one sum, updates r with its own, and moves x and
// p in one more pass: nine vectors read and three written where a call for each update reads eleven and writes four,
// with fewer waits.

#include <cmath>

#include "solving/run/problem.hpp"

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

  // w = t·r / t·t
  double smoothing() {
    const formats::TwoSums sums =
        p.sweeps.two_sums({r.data(), t.data()}, {}, [&](std::int64_t begin, std::int64_t end) {
          return p.loops().dot_and_square(end - begin, r.data() + begin, t.data() + begin);
        });
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

// Of the norm that is left: less, and rounding has turned the vector back towards the basis.
constexpr double done_again_below = 0.1;

class Gmres {
 public:
  Gmres(Problem& problem, int restart)
      : p_(problem), restart_(restart), z_(p_.applied == Preconditioning::none ? Vector() : p_.vector()) {
    for (int j = 0; j <= restart; ++j) {
      basis_.push_back(p_.vector());
      pointers_.push_back(basis_.back().data());
    }
    const auto m = static_cast<std::size_t>(restart);
    h_.assign(m * (m + 1), 0);
    cosine_.assign(m, 0);
    sine_.assign(m, 0);
    g_.assign(m + 1, 0);
  }

  // One restart from r, of the norm given; false where the history has ended.
  bool restart(const Vector& r, double norm, Vector& x, History& history) {
    scale(1 / norm, r, basis_[0]);
    std::ranges::fill(g_, 0.0);
    g_[0] = norm;
    int done = 0;
    bool on = true;
    while (on && done < restart_) {
      const double left = expand(done);
      on = history.goes_on(std::abs(g_[at(done + 1)]) / p_.b_norm);
      ++done;
      if (left == 0) break;  // the solution is in the basis
    }
    add_solution(done, x);
    return on;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  double& h(int row, int column) { return h_[at(column) * (at(restart_) + 1) + at(row)]; }

  // Without a preconditioner the vector of the basis is the operand of the next product.
  void scale(double a, const Vector& from, Vector& to) {
    const auto pass = [&](const formats::VectorLoops& loops, std::int64_t begin, std::int64_t end) {
      loops.scale(end - begin, a, from.data() + begin, to.data() + begin);
    };
    if (p_.applied == Preconditioning::none) return p_.sweeps.run({from.data()}, {to.data()}, pass);
    p_.sweeps.run({from.data()}, {to.data()},
                  [&](std::int64_t begin, std::int64_t end) { pass(p_.loops(), begin, end); });
  }
  // z = M⁻¹v, or v itself.
  const Vector& preconditioned(const Vector& v) {
    if (p_.applied == Preconditioning::none) return v;
    if (p_.applied == Preconditioning::step) {
      p_.precondition(v, z_);
    } else {
      const double* m = p_.preconditioner.diagonal();
      p_.sweeps.run({m, v.data()}, {z_.data()},
                    [&](const formats::VectorLoops& loops, std::int64_t begin, std::int64_t end) {
                      loops.times(end - begin, m + begin, v.data() + begin, z_.data() + begin);
                    });
    }
    return z_;
  }

  // The next vector of the basis and column j of H, rotated; the norm that was left of it.
  double expand(int j) {
    Vector& w = basis_[at(j + 1)];
    p_.product(preconditioned(basis_[at(j)]), w);
    const std::span<const double* const> basis(pointers_.data(), at(j + 1));
    std::vector<double> projections(at(j + 1)), minus(at(j + 1));
    for (int i = 0; i <= j; ++i) h(i, j) = 0;
    double left = 0;
    for (int turn = 0; turn < 2; ++turn) {
      p_.sweeps.project(basis, w.data(), projections);
      double taken = 0;
      for (int i = 0; i <= j; ++i) {
        h(i, j) += projections[at(i)];
        minus[at(i)] = -projections[at(i)];
        taken += projections[at(i)] * projections[at(i)];
      }
      left = p_.sweeps.combine(basis, minus, 1, w.data());
      if (left >= done_again_below * done_again_below * (left + taken)) break;
    }
    left = std::sqrt(left);
    if (left > 0) scale(1 / left, w, w);
    rotate(j, left);
    return left;
  }

  void rotate(int j, double below) {
    for (int i = 0; i < j; ++i) {
      const double upper = h(i, j), lower = h(i + 1, j);
      h(i, j) = cosine_[at(i)] * upper + sine_[at(i)] * lower;
      h(i + 1, j) = -sine_[at(i)] * upper + cosine_[at(i)] * lower;
    }
    const double length = std::hypot(h(j, j), below);
    cosine_[at(j)] = length > 0 ? h(j, j) / length : 1;
    sine_[at(j)] = length > 0 ? below / length : 0;
    h(j, j) = length;
    g_[at(j + 1)] = -sine_[at(j)] * g_[at(j)];
    g_[at(j)] *= cosine_[at(j)];
  }

  // x += M⁻¹·(basis · solution of the triangular system)
  void add_solution(int count, Vector& x) {
    std::vector<double> y(at(count));
    for (int i = count - 1; i >= 0; --i) {
      double sum = g_[at(i)];
      for (int k = i + 1; k < count; ++k) sum -= h(i, k) * y[at(k)];
      y[at(i)] = h(i, i) != 0 ? sum / h(i, i) : 0;
    }
    if (u_.empty()) u_ = p_.vector();
    p_.sweeps.combine(std::span<const double* const>(pointers_.data(), at(count)), y, 0, u_.data());
    const Vector& step = preconditioned(u_);
    p_.sweeps.run({step.data(), x.data()}, {x.data()}, [&](std::int64_t begin, std::int64_t end) {
      p_.loops().update(end - begin, 1, step.data() + begin, x.data() + begin);
    });
  }

  Problem& p_;
  int restart_;
  Vector z_, u_;
  std::vector<Vector> basis_;
  std::vector<const double*> pointers_;
  std::vector<double> h_, cosine_, sine_, g_;
};
}  // namespace

void run_cg(Problem& p, History& history, Vector& x) {
  Vector r = p.vector(), d = p.vector(), q = p.vector();
  Vector z = p.applied == Preconditioning::step ? p.vector() : Vector();
  const double first = p.residual(x, r);
  p.preconditioner.apply(r.data(), d.data());
  double rho = p.dot(r, d);
  history.begin(p.relative(first));
  for (bool on = true; on;) {
    p.product(d, q);
    const double curvature = p.dot(d, q);
    if (!(curvature > 0) || !(rho > 0))
      return history.break_down("the matrix or the preconditioner is not positive definite");
    const double a = rho / curvature;
    const formats::TwoSums sums = next_residual(p, a, q, r, z);
    on = history.goes_on(p.relative(sums.first));
    step(p, a, sums.second / rho, r, z, x, d);
    rho = sums.second;
  }
}

// BiCGSTAB, preconditioned on the right: the residual is that of the system itself.

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
    p.product(state.of_d(), state.v);
    const double gv = p.dot(state.g, state.v);
    if (gv == 0) return history.break_down("the method broke down: a search direction without length");
    a = rho / gv;
    state.halve(a);
    p.product(state.of_r(), state.t);
    w = state.smoothing();
    const formats::TwoSums sums = state.finish(a, w, x);
    rr = sums.first;
    rho_before = rho;
    rho = sums.second;
    if (!history.goes_on(p.relative(rr))) return;
    if (w == 0) return history.break_down("the method broke down: a step without length");
  }
}

// Restarted GMRES, preconditioned on the right. The new vector is held against the whole basis at once (classical
// Gram-Schmidt), which reads the basis twice and waits twice whatever its size; where much of it vanishes in that, it
// is done once more.

void run_gmres(Problem& p, History& history, Vector& x, int restart) {
  Gmres gmres(p, restart);
  Vector r = p.vector();
  double norm = std::sqrt(p.residual(x, r));
  history.begin(norm / p.b_norm);
  for (;;) {
    if (!(norm > 0)) return history.break_down("the residual is zero");
    if (!gmres.restart(r, norm, x, history)) return;
    norm = std::sqrt(p.residual(x, r));
  }
}
}  // namespace sparsecast::solving
