#include "cluster/models/nonnegative_fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace sparsecast::cluster {
std::vector<double> fit_nonnegative(const std::vector<std::vector<double>>& rows, std::span<const double> y,
                                    std::span<const double> prior, double pull, double stiffness) {
  const std::size_t terms = prior.size();
  std::vector<double> c(prior.begin(), prior.end());
  if (rows.empty()) return c;
  // Normal equations of the relative residuals.
  std::vector<double> gram(terms * terms, 0.0), right(terms, 0.0), share(terms, 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < terms; ++j) {
      const double a = rows[i][j] / y[i];
      right[j] += a;
      share[j] += std::abs(a) / static_cast<double>(rows.size());
      for (std::size_t k = 0; k < terms; ++k) gram[j * terms + k] += a * rows[i][k] / y[i];
    }
  for (std::size_t j = 0; j < terms; ++j) {
    const double weight = pull * share[j] * share[j] + (prior[j] > 0 ? std::pow(stiffness / prior[j], 2) : 0);
    gram[j * terms + j] += weight;
    right[j] += weight * prior[j];
  }
  for (int sweep = 0; sweep < 20000; ++sweep) {
    double moved = 0;
    for (std::size_t j = 0; j < terms; ++j) {
      if (gram[j * terms + j] <= 0) continue;
      double rest = right[j];
      for (std::size_t k = 0; k < terms; ++k)
        if (k != j) rest -= gram[j * terms + k] * c[k];
      const double next = std::max(0.0, rest / gram[j * terms + j]);
      moved = std::max(moved, std::abs(next - c[j]) * share[j]);
      c[j] = next;
    }
    if (moved < 1e-9) break;
  }
  return c;
}
}  // namespace sparsecast::cluster
