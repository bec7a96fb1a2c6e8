#include "cluster/models/pattern_growth.hpp"

#include <algorithm>
#include <cmath>

namespace sparsecast::cluster {
double pattern_growth(MessagePattern pattern, double most, double processes) {
  switch (pattern) {
    case MessagePattern::ping_pong_near:
    case MessagePattern::ping_pong_far:
    case MessagePattern::halo: return 1;
    default: break;
  }
  return std::max(1.0, std::log2(std::max(2.0, processes)) / std::log2(std::max(2.0, most)));
}
}  // namespace sparsecast::cluster
