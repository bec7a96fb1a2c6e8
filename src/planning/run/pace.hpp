#pragma once
// Pace: how long a plan's products take beside what was promised. Of short products a sample is looked at, so that
// looking costs a thousandth of them.

#include <atomic>
#include <mutex>
#include <sparsecast/plan.hpp>

#include "base/clock.hpp"

namespace sparsecast::planning {
/// Thread safety: may be used from several threads at once, but for the first promise().
class Pace {
 public:
  /// predicted_s of a product of the strategy's kind; where that is 0, nothing is promised. Later ones are of the same
  /// kind.
  void promise(const Strategy& strategy);
  /// A product that was looked at took so long.
  void took(double seconds);
  [[nodiscard]] PlanHealth health();
  /// Whether a second was off since this was last asked.
  [[nodiscard]] bool take_off() {
    return off_.load(std::memory_order_relaxed) && off_.exchange(false, std::memory_order_relaxed);
  }
  /// Whether the next product is one to look at.
  [[nodiscard]] bool due(std::int64_t vectors, bool transposed) {
    if (promised_.load(std::memory_order_relaxed) <= 0) return false;
    const std::uint32_t count = count_.load(std::memory_order_relaxed);
    count_.store(count + 1, std::memory_order_relaxed);  // one that is lost to another thread does no harm
    return (count & mask_.load(std::memory_order_relaxed)) == 0 && vectors == vectors_ && transposed == transposed_;
  }

  /// Around a product.
  class Look {
   public:
    Look(Pace& pace, std::int64_t vectors, bool transposed)
        : pace_(pace), start_(pace.due(vectors, transposed) ? base::now_s() : -1) {}
    ~Look() {
      if (start_ >= 0) pace_.took(base::now_s() - start_);
    }
    Look& operator=(Look&&) = delete;  // nor copied

   private:
    Pace& pace_;
    double start_;
  };

 private:
  std::atomic<double> promised_ = 0;
  std::int64_t vectors_ = 1;
  bool transposed_ = false;
  std::atomic<std::uint32_t> mask_ = 0;  // one product of mask_ + 1 is looked at
  std::atomic<std::uint32_t> count_ = 0;
  std::mutex mutex_;
  double sum_ = 0;  // of the second that runs
  int looks_ = 0;
  double seconds_ = 0;  // of the one before
  bool told_ = false;
  std::atomic<bool> off_ = false;
};
}  // namespace sparsecast::planning
