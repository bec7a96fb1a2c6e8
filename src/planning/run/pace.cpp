#include "planning/run/pace.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "base/text.hpp"

namespace sparsecast::planning {
namespace {
constexpr double looked_over_s = 1, off_by = 0.15;
// Reading the clock twice and adding up, beside which a product is to be a thousand times as long.
constexpr double look_s = 1e-7;
constexpr int fewest_looks = 8;

bool is_off(double seconds, double promised) { return std::max(seconds / promised, promised / seconds) > 1 + off_by; }
}  // namespace

void Pace::promise(const Strategy& strategy) {
  if (vectors_ != strategy.vectors) vectors_ = strategy.vectors;
  if (transposed_ != strategy.transposed) transposed_ = strategy.transposed;
  const double seconds = strategy.predicted_s;
  std::uint32_t mask = 0;
  while (seconds > 0 && mask < 4095 && seconds * (mask + 1) < 1000 * look_s) mask = 2 * mask + 1;
  mask_ = mask;
  promised_ = seconds;
}

void Pace::took(double seconds) {
  const std::lock_guard lock(mutex_);
  sum_ += seconds;
  ++looks_;
  if (sum_ * (mask_ + 1) < looked_over_s || looks_ < fewest_looks) return;
  seconds_ = sum_ / looks_;
  off_ = is_off(seconds_, promised_);
  sum_ = 0;
  looks_ = 0;
}

PlanHealth Pace::health() {
  const std::lock_guard lock(mutex_);
  PlanHealth health{promised_, seconds_, false, {}};
  if (promised_ <= 0 || seconds_ <= 0) return health;
  health.off = is_off(seconds_, promised_);
  if (health.off && !told_) {
    told_ = true;
    health.line = fmt::format(
        "products take {} and were forecast to take {}: the machine runs at another speed than when it was measured, "
        "or shares its cores",
        base::format_seconds(seconds_), base::format_seconds(promised_));
  }
  return health;
}
}  // namespace sparsecast::planning
