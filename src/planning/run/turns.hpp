#pragma once
// Products timed in turns, so that a machine that drifts or is shared hurts all alike, and what the rounds say.

#include "planning/run/plan_runner.hpp"

namespace sparsecast::planning {
struct MeasureOptions {
  int rounds = 31;
  double block_s = 2e-3;  ///< a turn takes about so long
  double most_s = 20;     ///< soft bound on all rounds together; at least 5 are made
};

/// One of the products that take turns.
struct Turns {
  hardware::Product* product = nullptr;
  int runs = 1;                 ///< of one turn
  std::vector<double> seconds;  ///< of one product, by round
};

/// Turn by turn, the order reversed in every other round, so that none always follows the same neighbour. Returns how
/// many rounds were made.
int take_turns(std::vector<Turns>& series, const MeasureOptions& options);

/// Share of the slow one's time that the fast one saves: median, 5 % and 95 % quantile over rounds.
struct GainOfTurns {
  double median = 0, low = 0, high = 0;
};
[[nodiscard]] GainOfTurns gain_over(const Turns& slow, const Turns& fast);

/// Entries in [0.5, 1.5), the same on every run.
[[nodiscard]] std::vector<double> vector_for_checks(std::int64_t entries);

/// Largest difference, relative to the largest entry expected.
[[nodiscard]] double largest_error(std::span<const double> y, std::span<const double> expected);

/// "gain 12.0 % (8.0 % – 15.0 %)"; where the interval holds 0, that there is no gain beyond `doubt` ("the noise"): a
/// number would say what was not found.
[[nodiscard]] std::string gain_text(double gain, double low, double high, std::string_view doubt);

struct MeasuredSingle {
  std::string kernel;
  double seconds = 0;  ///< median of the rounds; 0 where it was not measured
  std::string status = "ok";
};

struct MeasuredGain {
  double plan_s = 0;
  double best_single_s = 0;             ///< of the kernel that was predicted to be the best
  std::vector<MeasuredSingle> singles;  ///< in the order of Strategy::singles
  std::string fastest;                  ///< the truly fastest single kernel
  double fastest_s = 0;
  double gain = 0;           ///< share of the best single's time that the plan saves: the median over rounds
  double low = 0, high = 0;  ///< 5 % and 95 % quantiles over rounds
  double conversion_s = 0;   ///< of the plan
  int rounds = 0;
  double largest_error = 0;  ///< of the plan's y against the single kernel's, relative to the largest entry
};

/// A plan that is one kernel is measured once: it is the same program. Error unavailable or failed as open_device().
[[nodiscard]] MeasuredGain measure_gain(const Matrix& matrix, const Plan& plan, const MeasureOptions& options = {});

// Whether to hold Aᵀ beside A for y = Aᵀ·x: what a product then takes, what making it costs, and from how many products
// on that pays.

struct TransposeAdvice {
  bool symmetric = false;       ///< Aᵀ is A: there is nothing to hold
  std::string kernel;           ///< of the stored transpose
  double seconds = 0;           ///< one of its products, predicted
  double conversion_s = 0;      ///< its kernel's, predicted
  double transpose_s = 0;       ///< making Aᵀ in CSR, measured just now
  std::int64_t pays_from = -1;  ///< products of Aᵀ, against multiplying by A's own arrays; −1: never
};

/// `transposed`: the planner's strategy for y = Aᵀ·x from A's own arrays with the same options. Makes the transpose and
/// drops it; takes as much memory as the matrix.
[[nodiscard]] TransposeAdvice advise_transpose(const Planner& planner, const Matrix& matrix, const Strategy& transposed,
                                               const StrategyOptions& options);

// A plan's products as they are timed: with x and y of their own, as hardware/host/host.cpp times single kernels.

/// x and y of the product that a strategy is for, which several runners share.
class TimingVectors {
 public:
  explicit TimingVectors(const Runner& runner);
  /// Seconds of so many products; those of a device by its own timer, without x and y on their way.
  double run(const Runner& runner, int times);
  /// Of one product, as a look at it takes them.
  double run_one(const Runner& runner);

 private:
  template <class Value>
  struct Arrays {
    Array<Value> x, y;
  };
  template <class Value>
  void multiply(const Runner& runner, Arrays<Value>& arrays) const;

  std::int64_t vectors_, from_, to_;
  bool transposed_;
  std::variant<Arrays<double>, Arrays<float>, Arrays<std::complex<double>>, Arrays<std::complex<float>>> arrays_;
};

/// A plan as something that can be timed beside the single kernels. `plan` must outlive it.
[[nodiscard]] std::unique_ptr<hardware::Product> timed_plan(const Plan& plan);
}  // namespace sparsecast::planning
