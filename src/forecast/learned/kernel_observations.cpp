#include "forecast/learned/kernel_observations.hpp"

#include <algorithm>

namespace sparsecast::forecast {
int Observations::family_count() const { return families.empty() ? 0 : *std::ranges::max_element(families) + 1; }

Observations Observations::subset(const std::vector<bool>& keep_family, std::size_t most) const {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < size(); ++i)
    if (keep_family[static_cast<std::size_t>(families[i])]) kept.push_back(i);
  // By family, then evenly: observations of a family stand in the order of its recipe.
  std::ranges::stable_sort(kept, {}, [&](std::size_t i) { return families[i]; });
  const std::size_t count = std::min(most, kept.size());
  Observations out;
  out.log_seconds.resize(static_cast<Eigen::Index>(count));
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t from = kept[i * kept.size() / count];
    out.workloads.push_back(workloads[from]);
    out.families.push_back(families[from]);
    out.log_seconds[static_cast<Eigen::Index>(i)] = log_seconds[static_cast<Eigen::Index>(from)];
  }
  return out;
}
}  // namespace sparsecast::forecast
