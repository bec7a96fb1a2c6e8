// The power method and PageRank: one eigenvector by products and sums.

#include <cmath>

#include "solving/run/methods.hpp"

namespace sparsecast::solving {
namespace {
constexpr double damping = 0.85;
}  // namespace

void run_power(Problem& p, History& history, Vector& x, std::vector<double>& eigenvalues) {
  Vector y = p.vector();
  const double norm = std::sqrt(p.dot(p.b, p.b));
  for (std::int64_t i = 0; i < p.rows(); ++i) x[i] = p.b[i] / norm;
  eigenvalues.assign(1, 0);
  history.begin(1);
  double residual = 0;
  do {
    const formats::TwoSums sums = p.product_dots(x, y, x);
    const double value = sums.first, length = std::sqrt(sums.second);
    if (!(length > 0)) return history.break_down("the product of the vector and the matrix is zero");
    eigenvalues[0] = value;
    const double rest = p.sweeps.sum(
        {y.data(), x.data()}, {x.data()}, [&](const formats::VectorLoops& loops, std::int64_t begin, std::int64_t end) {
          return loops.normalise(end - begin, 1 / length, value, y.data() + begin, x.data() + begin);
        });
    residual = std::sqrt(rest) / length;
  } while (history.goes_on(residual));
}

// x = d·Aᵀ·(x/degree) + (1 − d + d·what dangling nodes hold)/n. `inverse_degrees` is 0 for a dangling node.
void run_pagerank(Problem& p, History& history, Vector& x, const Vector& inverse_degrees) {
  const auto n = static_cast<double>(p.rows());
  Vector y = p.vector(), s = p.vector();
  double dangling = 0;
  for (std::int64_t i = 0; i < p.rows(); ++i) {
    x[i] = 1 / n;
    s[i] = inverse_degrees[i] / n;
    dangling += inverse_degrees[i] == 0 ? x[i] : 0;
  }
  history.begin(1);
  double change = 0;
  do {
    p.transposed(s, y);
    const double everywhere = (1 - damping + damping * dangling) / n;
    const formats::TwoSums sums = p.sweeps.two_sums(
        {y.data(), inverse_degrees.data(), x.data()}, {x.data(), s.data()}, [&](std::int64_t begin, std::int64_t end) {
          return p.loops().teleport(end - begin, damping, everywhere, y.data() + begin, inverse_degrees.data() + begin,
                                    x.data() + begin, s.data() + begin);
        });
    change = sums.first;
    dangling = sums.second;
  } while (history.goes_on(change));
}
}  // namespace sparsecast::solving
