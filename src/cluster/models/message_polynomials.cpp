#include "cluster/models/message_polynomials.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace sparsecast::cluster {
namespace {
std::vector<double> monomials(int nodes, int processes, double bytes, double neighbours) {
  const double s = std::log2(bytes), p = std::log2(static_cast<double>(processes)),
               n = std::log2(static_cast<double>(nodes));
  const double k = std::log2(std::max(1.0, neighbours));
  return {1, s, s * s, s * s * s, p, p * p, s * p, s * s * p, n, s * n, k, s * k};
}
}  // namespace

MessagePolynomials::MessagePolynomials(const ClusterProfile& profile) {
  std::map<MessagePattern, std::vector<const MessageTime*>> by_pattern;
  for (const MessageTime& m : profile.messages) by_pattern[m.pattern].push_back(&m);
  for (const auto& [pattern, times] : by_pattern) {
    const auto terms = static_cast<Eigen::Index>(monomials(1, 1, 8, 1).size());
    Eigen::MatrixXd a(static_cast<Eigen::Index>(times.size()), terms);
    Eigen::VectorXd b(a.rows());
    Fit fit{{}, INFINITY, 0};
    for (Eigen::Index i = 0; i < a.rows(); ++i) {
      const MessageTime& m = *times[static_cast<std::size_t>(i)];
      const auto row = monomials(m.nodes, m.processes, m.bytes, m.neighbours);
      for (Eigen::Index j = 0; j < terms; ++j) a(i, j) = row[static_cast<std::size_t>(j)];
      b(i) = std::log(m.seconds);
      fit.least_bytes = std::min(fit.least_bytes, m.bytes);
      fit.most_bytes = std::max(fit.most_bytes, m.bytes);
    }
    // With one node or one process count some monomials are not told apart: the solution of least norm is taken.
    const Eigen::VectorXd c = a.completeOrthogonalDecomposition().solve(b);
    fit.coefficients.assign(c.data(), c.data() + c.size());
    fits_[pattern] = std::move(fit);
  }
}

std::optional<double> MessagePolynomials::seconds(MessagePattern pattern, int nodes, int processes, double bytes,
                                                  double neighbours) const {
  const auto found = fits_.find(pattern);
  if (found == fits_.end()) return std::nullopt;
  const Fit& fit = found->second;
  const double size = std::clamp(bytes, fit.least_bytes, fit.most_bytes);
  const auto row = monomials(nodes, processes, size, neighbours);
  double log_time = 0;
  for (std::size_t j = 0; j < row.size(); ++j) log_time += fit.coefficients[j] * row[j];
  return std::exp(log_time) * std::max(1.0, bytes / fit.most_bytes);
}
}  // namespace sparsecast::cluster
