#pragma once
// The residual of a solve as it goes: when it is done, and when it will not be.

#include <cstdint>
#include <string>
#include <vector>

namespace sparsecast::solving {
struct RunOptions {
  double tolerance = 1e-8;       ///< of the residual, relative to the right-hand side
  std::int64_t iterations = 0;   ///< at most so many; 0: as many as the tolerance takes
  bool until_tolerance = true;   ///< false: so many iterations, however small the residual
  std::int64_t most = 100'000;   ///< where no number is given
  std::int64_t patience = 2000;  ///< iterations without progress that count as stagnation
};

/// The residual that a method carries along drifts from the true one by rounding; where it was too hopeful, the method
/// goes on from where it is, so often in all.
inline constexpr int most_continuations = 5;
/// Below it a residual is rounding, and methods divide 0 by 0.
inline constexpr double rounding = 1e-15;

enum class Ending { converged, limit, stagnated, diverged, broke_down };

class History {
 public:
  explicit History(const RunOptions& options);

  /// The clock starts: everything before is preparation. `residual`: relative, of the first guess. Where there were
  /// iterations already, it goes on.
  void begin(double residual);
  /// After every iteration, or after so many at once; false where it was the last.
  [[nodiscard]] bool goes_on(double residual, std::int64_t iterations = 1);
  /// The residual at which the method ends.
  [[nodiscard]] double enough() const;
  /// Whether a method that has converged by its own residual goes on from a true one that is so large.
  [[nodiscard]] bool goes_on_from(double true_residual) const;
  /// The last residual as it is, where the method's own was too hopeful.
  void correct(double residual) { residual_ = residual; }
  /// The method cannot go on, and why.
  void break_down(std::string reason);

  [[nodiscard]] std::int64_t iterations() const { return iterations_; }
  [[nodiscard]] double seconds() const { return seconds_; }  ///< of the iterations alone
  /// From the making of this history to the first iteration.
  [[nodiscard]] double preparation_s() const { return preparation_s_; }
  [[nodiscard]] Ending ending() const { return ending_; }
  [[nodiscard]] const std::string& reason() const { return reason_; }
  [[nodiscard]] double residual() const { return residual_; }
  /// Of every iteration while there are few, then of every second, fourth …: at most 2000.
  [[nodiscard]] const std::vector<double>& residuals() const { return kept_; }
  [[nodiscard]] std::int64_t every() const { return every_; }
  /// "1, 0.1, 0.02, …": eight of them.
  [[nodiscard]] std::string text() const;

 private:
  bool end(Ending ending);

  RunOptions options_;
  std::int64_t iterations_ = 0, best_at_ = 0, every_ = 1;
  double start_s_ = 0, preparation_s_ = 0, seconds_ = 0, residual_ = 1, first_ = 1, best_ = 1;
  Ending ending_ = Ending::limit;
  std::string reason_;
  std::vector<double> kept_;
};
}  // namespace sparsecast::solving
