#include "plan/trials/online_runner.hpp"

#include <utility>

#include "base/clock.hpp"

namespace sparsecast::planning {
OnlineRunner::OnlineRunner(const Matrix& matrix, Strategy planned, const TrialOptions& options)
    : Runner(std::move(planned), matrix), contest_(matrix, strategy, options) {
  conversion_s = contest_.best()->conversion_s;
  settle();
}

// What calls that do not try see.
void OnlineRunner::settle() const {
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
void OnlineRunner::try_again() const {
  constexpr int most = 3;
  const std::unique_lock turn(trying_, std::try_to_lock);
  if (!turn || again_ >= most) return;
  ++again_;
  contest_.again();
  settle();
}

std::shared_ptr<Runner> OnlineRunner::best() const {
  const std::lock_guard lock(mutex_);
  return best_;
}

template <class Multiply>
void OnlineRunner::multiply(bool of_kind, const Multiply& product) const {
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

void OnlineRunner::apply(std::span<const double> x, std::span<double> y) const {
  multiply(strategy.vectors == 1 && !strategy.transposed, [&](const Runner& runner) { runner.apply(x, y); });
}
void OnlineRunner::apply(std::span<const float> x, std::span<float> y) const {
  multiply(strategy.vectors == 1 && !strategy.transposed, [&](const Runner& runner) { runner.apply(x, y); });
}
void OnlineRunner::run(const Call<double>& call) const {
  multiply(call.x.vectors == strategy.vectors && call.transposed == strategy.transposed,
           [&](const Runner& runner) { runner.run(call); });
}
void OnlineRunner::run(const Call<float>& call) const {
  multiply(call.x.vectors == strategy.vectors && call.transposed == strategy.transposed,
           [&](const Runner& runner) { runner.run(call); });
}

// Nobody multiplies meanwhile (Plan::update_values).
bool OnlineRunner::update_values(const Matrix& matrix) {
  std::shared_ptr<Runner> renewed;
  if (!best_->update_values(matrix)) renewed = make_runner(matrix, best_->strategy, {.summed = false});
  contest_.replace(matrix, std::move(renewed));
  settle();
  return true;
}

std::int64_t OnlineRunner::bytes() const { return best()->bytes(); }
std::optional<TrialReport> OnlineRunner::trials() const {
  const std::lock_guard lock(mutex_);
  return report_;
}
std::vector<PlannedBlock> OnlineRunner::blocks() const {
  const std::lock_guard lock(mutex_);
  return blocks_;
}
}  // namespace sparsecast::planning
