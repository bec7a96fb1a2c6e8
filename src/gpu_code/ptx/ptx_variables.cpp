#include "gpu_code/ptx/ptx_variables.hpp"

#include <cstddef>
#include <utility>

namespace sparsecast::gpu_code {
namespace {
using OperandKind = PtxOperand::Kind;
constexpr std::int32_t none = -1, several = -2;

class Origins {
 public:
  explicit Origins(const PtxKernel& kernel) : kernel_(kernel), of_(kernel.registers.size(), none) {}

  std::vector<std::int32_t> find() {
    // Again and again, as loops carry pointers round: each register changes twice at most.
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& in : kernel_.body) changed |= follow(in);
    }
    return std::move(of_);
  }

 private:
  [[nodiscard]] std::int32_t of(const PtxOperand& o) const {
    if (o.kind == OperandKind::reg) return of_[static_cast<std::size_t>(o.index)];
    if (o.kind == OperandKind::symbol && o.index >= 0 && !o.memory) return o.index;
    return none;
  }

  /// Of a sum: the variable of the one part that points into one.
  [[nodiscard]] std::int32_t of_sum(const PtxInstruction& in) const {
    std::int32_t found = none;
    for (std::size_t k = 1; k < in.operands.size(); ++k) {
      const std::int32_t one = of(in.operands[k]);
      if (one == none) continue;
      found = found == none ? one : several;
    }
    return found;
  }

  /// Of a choice: a variable only where all point into it.
  [[nodiscard]] std::int32_t of_choice(const PtxInstruction& in) const {
    const std::int32_t first = of(in.operands[1]), second = of(in.operands[2]);
    if (first == none && second == none) return none;
    return first == second ? first : several;
  }

  /// True where that changes what is known of the result.
  bool follow(const PtxInstruction& in) {
    if (in.operands.size() < 2 || in.operands[0].kind != OperandKind::reg) return false;
    std::int32_t found = none;
    switch (in.op) {
      case PtxOp::mov:
      case PtxOp::cvta:
      case PtxOp::add:
      case PtxOp::sub:
      case PtxOp::mad: found = of_sum(in); break;
      case PtxOp::selp: found = in.operands.size() > 2 ? of_choice(in) : none; break;
      default: return false;
    }
    auto& known = of_[static_cast<std::size_t>(in.operands[0].index)];
    if (found == none || found == known || known == several) return false;
    known = known == none ? found : several;
    return true;
  }

  const PtxKernel& kernel_;
  std::vector<std::int32_t> of_;
};
}  // namespace

std::vector<std::int32_t> variables_of_registers(const PtxKernel& kernel) { return Origins(kernel).find(); }
}  // namespace sparsecast::gpu_code
