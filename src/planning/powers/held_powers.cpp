#include "planning/powers/held_powers.hpp"

#include "base/clock.hpp"

namespace sparsecast::planning {
HeldPowers::HeldPowers(const Matrix& matrix, const Strategy& strategy) {
  if (!strategy.powers || !strategy.powers->pays || strategy.device != "host") return;
  const double start = base::now_s();
  if (strategy.precision == Precision::double_)
    held_ = block_powers<double>(matrix, *strategy.powers, strategy.threads);
  else if (strategy.precision == Precision::single_)
    held_ = block_powers<float>(matrix, *strategy.powers, strategy.threads);
  conversion_s_ = base::now_s() - start;
}

std::int64_t HeldPowers::bytes() const {
  return std::visit(
      [](const auto& held) -> std::int64_t {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>)
          return 0;
        else
          return held->bytes();
      },
      held_);
}
}  // namespace sparsecast::planning
