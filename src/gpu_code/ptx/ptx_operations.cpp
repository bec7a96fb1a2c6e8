#include "gpu_code/ptx/ptx_operations.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <unordered_map>
#include <utility>

namespace sparsecast::gpu_code {
namespace {
constexpr PtxOperation table[] = {
#define PTX_OPERATION(operation, name, fewest_operands, effect, cost) \
  {name, PtxOp::operation, fewest_operands, PtxEffect::effect, PtxCost::cost},
#include "gpu_code/ptx/ptx_operations.def"
};

/// Other spellings of what counts as one operation.
constexpr std::pair<std::string_view, PtxOp> spellings[] = {
    {"prefetchu", PtxOp::prefetch},
    {"wmma", PtxOp::mma},
    {"ldmatrix", PtxOp::mma},
};
}  // namespace

const PtxOperation& ptx_operation(PtxOp operation) { return table[static_cast<std::size_t>(operation)]; }

const PtxOperation& ptx_operation(std::string_view name) {
  static const auto by_name = [] {
    std::unordered_map<std::string_view, const PtxOperation*> names;
    for (const auto& row : table)
      if (!row.name.empty()) names.emplace(row.name, &row);
    for (const auto& [other, meant] : spellings) names.emplace(other, &ptx_operation(meant));
    return names;
  }();
  const auto found = by_name.find(name);
  return found != by_name.end() ? *found->second : ptx_operation(PtxOp::unknown);
}

bool writes_first_operand(const PtxInstruction& in) {
  const auto& operation = ptx_operation(in.op);
  switch (operation.effect) {
    case PtxEffect::store:
    case PtxEffect::branch: return false;
    case PtxEffect::atomic: return in.op != PtxOp::red;
    case PtxEffect::barrier: return in.type.kind != PtxType::Kind::none;  // bar.red
    default: return true;
  }
}
}  // namespace sparsecast::gpu_code
