#pragma once
// Trials in the caller's own products: a runner that is right from the first product on and gets faster. Each call
// multiplies once, with the best candidate so far or the one beside it; a conversion is made within the call that comes
// first after it is decided. Calls of several threads: one at a time tries, the others multiply with the best.

#include <atomic>
#include <mutex>

#include "base/clock.hpp"
#include "planning/trials/contest.hpp"

namespace sparsecast::planning {
class OnlineRunner final : public Runner {
 public:
  OnlineRunner(const Matrix& matrix, Strategy planned, const TrialOptions& options)
      : Runner(std::move(planned), matrix), contest_(matrix, strategy, options) {
    conversion_s = contest_.best()->conversion_s;
    settle();
  }

  void apply(std::span<const double> x, std::span<double> y) const override { apply_one(x, y); }
  void apply(std::span<const float> x, std::span<float> y) const override { apply_one(x, y); }
  void run(const Call<double>& call) const override { run_call(call); }
  void run(const Call<float>& call) const override { run_call(call); }
  void run(const Call<std::complex<double>>& call) const override { run_call(call); }
  void run(const Call<std::complex<float>>& call) const override { run_call(call); }

  // Nobody multiplies meanwhile (Plan::update_values).
  bool update_values(const Matrix& matrix) override {
    std::shared_ptr<Runner> renewed;
    if (!best_->update_values(matrix)) renewed = make_runner(matrix, best_->strategy, {.summed = false});
    contest_.replace(matrix, std::move(renewed));
    settle();
    return true;
  }

  [[nodiscard]] std::int64_t bytes() const override { return best()->bytes(); }
  [[nodiscard]] std::int64_t device_memory_bytes() const override { return best()->device_memory_bytes(); }
  [[nodiscard]] std::optional<TrialReport> trials() const override {
    const std::lock_guard lock(mutex_);
    return report_;
  }
  [[nodiscard]] std::vector<PlannedBlock> blocks() const override {
    const std::lock_guard lock(mutex_);
    return blocks_;
  }

 private:
  template <class Value>
  void apply_one(std::span<const Value> x, std::span<Value> y) const {
    multiply(strategy.vectors == 1 && !strategy.transposed, [&](const Runner& runner) { runner.apply(x, y); });
  }
  template <class Value>
  void run_call(const Call<Value>& call) const {
    multiply(call.x.vectors == strategy.vectors && call.transposed == strategy.transposed,
             [&](const Runner& runner) { runner.run(call); });
  }

  template <class Multiply>
  void multiply(bool of_kind, const Multiply& product) const {
    if (settled_.load(std::memory_order_acquire) && pace.take_off()) try_again();
    if (settled_.load(std::memory_order_acquire) || !of_kind) return product(*best());
    const std::unique_lock turn(trying_, std::try_to_lock);
    if (!turn) return product(*best());
    contest_.convert();
    const std::shared_ptr<Runner> runner = contest_.next();
    const double start = base::now_s();
    product(*runner);
    if (contest_.course().step().action == TrialAction::multiply) contest_.took(base::now_s() - start);
    settle();
  }

  // What calls that do not try see.
  void settle() const {
    const Strategy now = contest_.outcome();
    const bool over = contest_.course().step().action == TrialAction::done;
    const std::lock_guard lock(mutex_);
    best_ = contest_.best();
    report_ = *now.trials;
    blocks_ = now.blocks;
    if (over && !settled_) pace.promise(now);
    settled_ = over;
  }

  // The machine runs otherwise than when it was tried: what was best then may not be now. A machine that is never the
  // same is not tried for ever.
  void try_again() const {
    constexpr int most = 3;
    const std::unique_lock turn(trying_, std::try_to_lock);
    if (!turn || again_ >= most) return;
    ++again_;
    contest_.again();
    settle();
  }

  [[nodiscard]] std::shared_ptr<Runner> best() const {
    const std::lock_guard lock(mutex_);
    return best_;
  }

  mutable std::mutex trying_;  // held by who tries
  mutable Contest contest_;
  mutable std::mutex mutex_;  // of what follows
  mutable std::shared_ptr<Runner> best_;
  mutable TrialReport report_;
  mutable std::vector<PlannedBlock> blocks_;
  mutable std::atomic<bool> settled_ = false;
  mutable int again_ = 0;
};
}  // namespace sparsecast::planning
