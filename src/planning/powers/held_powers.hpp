#pragma once
// The powers that a plan holds, in its precision: nothing where they do not pay, or none were asked for.

#include <variant>

#include "planning/powers/block_powers.hpp"

namespace sparsecast::planning {
class HeldPowers {
 public:
  HeldPowers() = default;
  /// Of complex values and on other devices than the host powers are products one after the other.
  HeldPowers(const Matrix& matrix, const Strategy& strategy);

  /// Null where powers are products one after the other.
  template <class Value>
  [[nodiscard]] const Powers<Value>* of() const {
    const auto* found = std::get_if<std::unique_ptr<Powers<Value>>>(&held_);
    return found == nullptr ? nullptr : found->get();
  }
  [[nodiscard]] std::int64_t bytes() const;
  /// Seconds that making them took.
  [[nodiscard]] double conversion_s() const { return conversion_s_; }

 private:
  std::variant<std::monostate, std::unique_ptr<Powers<float>>, std::unique_ptr<Powers<double>>> held_;
  double conversion_s_ = 0;
};
}  // namespace sparsecast::planning
