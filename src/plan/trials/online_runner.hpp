#pragma once
// Trials in the caller's own products: a runner that is right from the first product on and gets faster. Each call
// multiplies once, with the best candidate so far or the one beside it; a conversion is made within the call that comes
// first after it is decided. Calls of several threads: one at a time tries, the others multiply with the best.

#include <atomic>
#include <mutex>

#include "plan/trials/contest.hpp"

namespace sparsecast::planning {
class OnlineRunner final : public Runner {
 public:
  OnlineRunner(const Matrix& matrix, Strategy planned, const TrialOptions& options);
  void apply(std::span<const double> x, std::span<double> y) const override;
  void apply(std::span<const float> x, std::span<float> y) const override;
  void run(const Call<double>& call) const override;
  void run(const Call<float>& call) const override;
  [[nodiscard]] bool update_values(const Matrix& matrix) override;
  [[nodiscard]] std::int64_t bytes() const override;
  [[nodiscard]] std::optional<TrialReport> trials() const override;
  [[nodiscard]] std::vector<PlannedBlock> blocks() const override;

 private:
  template <class Multiply>
  void multiply(bool of_kind, const Multiply& product) const;
  void settle() const;
  void try_again() const;
  [[nodiscard]] std::shared_ptr<Runner> best() const;

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
