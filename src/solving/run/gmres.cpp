// Restarted GMRES, preconditioned on the right. The new vector is held against the whole basis at once (classical
// Gram-Schmidt), which reads the basis twice and waits twice whatever its size; where much of it vanishes in that, it
// is done once more.

#include <algorithm>
#include <cmath>

#include "solving/run/methods.hpp"

namespace sparsecast::solving {
namespace {
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
