#pragma once
// What a cut or a single kernel is called where its measured products are kept and looked up.

#include <sparsecast/plan.hpp>

namespace sparsecast::planning {
/// "csr", "csr sorted" where the rows are multiplied in the order of their lengths, "sell+csr sorted" for a cut. Trials
/// store a product under this name and every look-up asks for it.
[[nodiscard]] std::string name_of(const std::vector<PlannedBlock>& blocks);
}  // namespace sparsecast::planning
