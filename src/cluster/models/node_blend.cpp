#include "cluster/models/node_blend.hpp"

#include <algorithm>
#include <cmath>
#include <sparsecast_constants.hpp>
#include <vector>

#include "base/median.hpp"

namespace sparsecast::cluster {
double NodeBlend::seconds(double by_blocks, double by_node) const {
  if (weight == 0 || by_node <= 0) return by_blocks;
  if (weight == 1) return scale * by_node;
  return std::pow(by_blocks, 1 - weight) * std::pow(scale * by_node, weight);
}

namespace {
// What runs say of the node's forecasts, beside one that stands for many runs: all of a calibration share the state
// that the machine was in. Ranks that share a core take a whole number of times as long, and that stays.
double drawn_to_one(double ratio, std::size_t runs) {
  const double shared = ratio > constants::node_shared ? std::round(ratio) : 1, count = static_cast<double>(runs);
  return shared * std::pow(ratio / shared, count / (count + constants::node_runs));
}
}  // namespace

NodeBlend fit_blend(std::span<const BlendSample> samples) {
  // The blocks are taken in only where many runs err clearly less by them: blocks know no machine beside this one.
  constexpr std::size_t fewest = 3, many = 15;
  std::vector<double> of_blocks, of_node;
  for (const BlendSample& s : samples) {
    if (s.measured <= 0 || s.by_node <= 0) continue;
    of_node.push_back(std::log(s.measured / s.by_node));
    if (s.by_blocks > 0) of_blocks.push_back(std::log(s.measured / s.by_blocks));
  }
  if (of_node.size() < fewest) return {};
  const double middle_node = base::median(of_node);
  const NodeBlend by_node{1, drawn_to_one(std::exp(middle_node), of_node.size())};
  if (of_blocks.size() < std::max(many, of_node.size())) return by_node;
  const double middle_blocks = base::median(of_blocks);
  const auto error = [&](double weight) {
    std::vector<double> errors;
    for (std::size_t k = 0; k < of_blocks.size(); ++k)
      errors.push_back(std::abs((1 - weight) * (of_blocks[k] - middle_blocks) + weight * (of_node[k] - middle_node)));
    return base::median(errors);
  };
  NodeBlend best = by_node;
  double least = constants::blocks_clearly * error(1);
  for (double weight = 0; weight < 1; weight += 1. / 4)
    if (error(weight) < least) {
      least = error(weight);
      best = {weight, std::exp(middle_node - middle_blocks)};
    }
  return best;
}
}  // namespace sparsecast::cluster
