#include "cluster/cache_states.hpp"

#include <algorithm>
#include <cmath>
#include <sparsecast_constants.hpp>

#include "base/median.hpp"

namespace sparsecast::cluster {
CacheStates::CacheStates(std::vector<double> handovers) {
  std::erase_if(handovers, [](double s) { return !(s > 0); });
  std::ranges::sort(handovers);
  // The widest gap between two that follow each other parts the states.
  std::size_t above = 0;
  double widest = constants::states_apart;
  for (std::size_t i = 1; i < handovers.size(); ++i)
    if (const double gap = handovers[i] / handovers[i - 1]; gap > widest) {
      widest = gap;
      above = i;
    }
  if (above == 0) return;
  border_ = std::sqrt(handovers[above - 1] * handovers[above]);
  const auto middle = handovers.begin() + static_cast<std::ptrdiff_t>(above);
  met_ = {base::median(std::vector(handovers.begin(), middle)), base::median(std::vector(middle, handovers.end()))};
}

CacheStates CacheStates::of(const ClusterProfile& profile) {
  std::vector<double> handovers;
  for (const MessageTime& m : profile.messages) handovers.push_back(m.handover_s);
  return CacheStates(std::move(handovers));
}

std::size_t CacheStates::index_of(double handover_s) const { return met_ && handover_s > border_ ? 1 : 0; }

bool CacheStates::alike(double one, double other) const {
  return !(one > 0) || !(other > 0) || index_of(one) == index_of(other);
}
}  // namespace sparsecast::cluster
