#include "planning/search/block_names.hpp"

namespace sparsecast::planning {
std::string name_of(const std::vector<PlannedBlock>& blocks) {
  std::string name;
  for (const PlannedBlock& block : blocks)
    name += (name.empty() ? "" : "+") + block.kernel + (block.reordered ? " sorted" : "");
  return name;
}
}  // namespace sparsecast::planning
