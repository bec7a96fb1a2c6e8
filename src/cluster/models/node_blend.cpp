#include "cluster/models/node_blend.hpp"

#include <cmath>
#include <vector>

#include "base/median.hpp"

namespace sparsecast::cluster {

double NodeBlend::seconds(double by_blocks, double by_node) const {
  if (weight == 0 || by_node <= 0 || by_blocks <= 0) return by_blocks;
  return std::pow(by_blocks, 1 - weight) * std::pow(scale * by_node, weight);
}

NodeBlend fit_blend(std::span<const BlendSample> samples) {
  constexpr std::size_t fewest = 5;
  std::vector<double> of_blocks, of_node;
  for (const BlendSample& s : samples) {
    if (s.measured <= 0 || s.by_blocks <= 0 || s.by_node <= 0) continue;
    of_blocks.push_back(std::log(s.measured / s.by_blocks));
    of_node.push_back(std::log(s.measured / s.by_node));
  }
  if (of_blocks.size() < fewest) return {};
  const double middle_blocks = base::median(of_blocks), middle_node = base::median(of_node);
  NodeBlend best;
  double least = INFINITY;
  for (const double weight : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    std::vector<double> errors;
    for (std::size_t k = 0; k < of_blocks.size(); ++k)
      errors.push_back(std::abs((1 - weight) * (of_blocks[k] - middle_blocks) + weight * (of_node[k] - middle_node)));
    if (const double error = base::median(errors); error < least) {
      least = error;
      best = {weight, std::exp(middle_node - middle_blocks)};
    }
  }
  return best;
}

}  // namespace sparsecast::cluster
