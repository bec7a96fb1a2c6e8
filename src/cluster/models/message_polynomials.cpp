#include "cluster/models/message_polynomials.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "cluster/models/pattern_growth.hpp"

namespace sparsecast::cluster {
namespace {
// Of the logarithms of the size, the processes, the nodes and the neighbours: their degrees.
struct Monomial {
  int size = 0, processes = 0, nodes = 0, neighbours = 0;
};
constexpr Monomial monomials[] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {2, 0, 0, 0}, {3, 0, 0, 0}, {0, 1, 0, 0}, {0, 2, 0, 0},
                                  {1, 1, 0, 0}, {2, 1, 0, 0}, {0, 0, 1, 0}, {1, 0, 1, 0}, {0, 0, 0, 1}, {1, 0, 0, 1}};

double log_power(double x, int degree) {
  double product = 1;
  for (int k = 0; k < degree; ++k) product *= std::log2(std::max(1.0, x));
  return product;
}

double value_of(const Monomial& m, double bytes, double processes, double nodes, double neighbours) {
  return log_power(bytes, m.size) * log_power(processes, m.processes) * log_power(nodes, m.nodes) *
         log_power(neighbours, m.neighbours);
}
}  // namespace

// The least with that many neighbours or the next fewer, the most with that many or the next more.
MessagePolynomials::Range MessagePolynomials::Fit::seconds_with(double asked) const {
  const auto above = seconds.upper_bound(asked), from = seconds.lower_bound(asked);
  const Range& fewer = above == seconds.begin() ? above->second : std::prev(above)->second;
  const Range& more = from == seconds.end() ? std::prev(from)->second : from->second;
  return {fewer.least, std::max(fewer.least, more.most)};
}

MessagePolynomials::Fit MessagePolynomials::fitted(const std::vector<const MessageTime*>& times) {
  std::set<double> sizes, processes, nodes, neighbours;
  for (const MessageTime* m : times) {
    sizes.insert(m->bytes);
    processes.insert(m->processes);
    nodes.insert(m->nodes);
    neighbours.insert(std::max(1, m->neighbours));
  }
  const auto range = [](const std::set<double>& values) { return Range{*values.begin(), *values.rbegin()}; };
  Fit fit{{}, {}, range(nodes), range(processes), range(sizes), range(neighbours), {}};
  for (const MessageTime* m : times) {
    Range& seen = fit.seconds.try_emplace(std::max(1, m->neighbours), Range{m->seconds, m->seconds}).first->second;
    seen = {std::min(seen.least, m->seconds), std::max(seen.most, m->seconds)};
  }
  std::vector<Monomial> told;
  for (const Monomial& m : monomials) {
    const auto tells = [](const std::set<double>& values, int degree) {
      return degree < static_cast<int>(values.size());
    };
    fit.used.push_back(tells(sizes, m.size) && tells(processes, m.processes) && tells(nodes, m.nodes) &&
                       tells(neighbours, m.neighbours));
    if (fit.used.back()) told.push_back(m);
  }
  Eigen::MatrixXd a(static_cast<Eigen::Index>(times.size()), static_cast<Eigen::Index>(told.size()));
  Eigen::VectorXd b(a.rows());
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    const MessageTime& m = *times[static_cast<std::size_t>(i)];
    for (Eigen::Index j = 0; j < a.cols(); ++j)
      a(i, j) = value_of(told[static_cast<std::size_t>(j)], m.bytes, m.processes, m.nodes, m.neighbours);
    b(i) = std::log(m.seconds);
  }
  // Where nodes grow with processes their monomials are not told apart: the solution of least norm is taken.
  const Eigen::VectorXd c = a.completeOrthogonalDecomposition().solve(b);
  fit.coefficients.assign(c.data(), c.data() + c.size());
  return fit;
}

MessagePolynomials::MessagePolynomials(const ClusterProfile& profile) {
  std::map<std::pair<MessagePattern, bool>, std::vector<const MessageTime*>> apart;
  for (const MessageTime& m : profile.messages)
    if (m.seconds > 0) apart[{m.pattern, m.processes > 1}].push_back(&m);
  for (const auto& [key, times] : apart) fits_[key] = fitted(times);
}

std::optional<double> MessagePolynomials::seconds(MessagePattern pattern, int nodes, int processes, double bytes,
                                                  double neighbours) const {
  const auto found = fits_.find({pattern, processes > 1});
  if (found == fits_.end()) return std::nullopt;
  const Fit& fit = found->second;
  const auto within = [](double x, const Range& range) { return std::clamp(x, range.least, range.most); };
  double log_time = 0;
  std::size_t at = 0;
  for (std::size_t j = 0; j < fit.used.size(); ++j)
    if (fit.used[j])
      log_time +=
          fit.coefficients[at++] * value_of(monomials[j], within(bytes, fit.bytes), within(processes, fit.processes),
                                            within(nodes, fit.nodes), within(neighbours, fit.neighbours));
  const double inside = within(std::exp(log_time), fit.seconds_with(neighbours));
  // More messages at once than were ever measured leave one after the other.
  const double larger = std::max(1.0, bytes / fit.bytes.most), more = std::max(1.0, neighbours / fit.neighbours.most);
  return inside * larger * (pattern == MessagePattern::halo ? more : 1) *
         pattern_growth(pattern, fit.processes.most, processes);
}
}  // namespace sparsecast::cluster
