#pragma once
// The course of trials, as pure logic: which candidate is converted or multiplied next, when two of them are told
// apart, and when it is over. It knows no matrix and no clock; whoever carries it out tells how long things took. So
// products may be the caller's own (online_runner.hpp) as well as made for it (try_out.cpp).

#include <optional>
#include <sparsecast/trials.hpp>
#include <string>
#include <vector>

namespace sparsecast::planning {
/// What is known of a candidate before anything is tried.
struct Candidate {
  std::string name;
  double seconds = 0, low_s = 0, high_s = 0;  ///< forecast of a product, 90 % interval
  double conversion_s = 0;                    ///< forecast
};

struct CourseOptions {
  std::int64_t iterations = 0;  ///< products that the conversion is to pay within; 0: without end
  int most = 0;                 ///< so many candidates are tried, in their order; 0: while it pays
  int threads = 1;              ///< of a product: several drift more
  double spent_s = 0;           ///< on looking before the course begins
};

/// Where products are counted, trials must be expected to win so many times their price: who looks for the best of many
/// beliefs finds those that promise too much. Found on 41 judged matrices, for whose 100 products price alone lost.
inline constexpr double wins_of_price = 3;

enum class TrialAction { convert, multiply, done };
struct TrialStep {
  TrialAction action = TrialAction::done;
  std::size_t candidate = 0;
  bool timed = false;  ///< false: the product only warms up
};

class TrialCourse {
 public:
  /// `candidates`: at least one; the first is what would be taken without trials.
  TrialCourse(std::vector<Candidate> candidates, CourseOptions options);

  /// What is to be done now.
  [[nodiscard]] TrialStep step() const { return step_; }
  /// It was done, in so many seconds.
  void took(double seconds);
  /// It cannot be done.
  void failed(const std::string& why);
  /// No more: what was seen counts.
  void end(const std::string& why, bool settled = true);

  /// The best one so far.
  [[nodiscard]] std::size_t best() const { return best_; }
  /// What must stay converted beside it; none.
  [[nodiscard]] std::optional<std::size_t> challenger() const { return challenger_; }
  /// A product of the best one: as measured, else as forecast.
  [[nodiscard]] double best_s() const;
  [[nodiscard]] TrialReport report() const;

 private:
  struct Tried {
    bool looked_at = false;
    std::vector<double> turns;  // the least product of each
    double seconds = 0;         // by its turns beside the best one
    TriedKernel told;
  };
  struct Belief {
    double median_s = 0, deviation = 0;  // of log(seconds)
  };

  void begin(std::size_t candidate);
  void begin_turn(std::size_t candidate);
  void end_turn();
  void judge_pair();
  [[nodiscard]] double doubt_of_ratio() const;
  void settle_pair();
  void choose_next();
  [[nodiscard]] Belief belief(std::size_t candidate) const;
  [[nodiscard]] bool far_behind(double apart) const;
  [[nodiscard]] double expected_saving(std::size_t candidate) const;
  [[nodiscard]] double cost_of_trying(std::size_t candidate) const;
  [[nodiscard]] bool may_pay(std::size_t candidate) const;
  [[nodiscard]] double left_to_win() const;

  std::vector<Candidate> candidates_;
  CourseOptions options_;
  std::vector<Tried> tried_;
  std::vector<std::size_t> order_;  // in which they were tried
  std::size_t best_ = 0;
  std::optional<std::size_t> challenger_;
  TrialStep step_;
  int warm_left_ = 0, timed_left_ = 0;
  double least_ = 0;            // product of this turn
  std::vector<double> ratios_;  // log(challenger / best) of each pair of turns
  double spent_ = 0;
  bool settled_ = false;
  std::string reason_;
};
}  // namespace sparsecast::planning
