#pragma once
// Runner: what carries out a strategy, on the host or on a device behind hardware/device.hpp. A Plan is a handle to
// one.

#include <sparsecast/plan.hpp>
#include <tuple>

#include "formats/product_dots.hpp"
#include "hardware/device.hpp"
#include "planning/powers/held_powers.hpp"
#include "planning/run/gram.hpp"
#include "planning/run/matrix_checksums.hpp"
#include "planning/run/pace.hpp"

namespace sparsecast::planning {
/// What a plan is asked for beside y = A·x. Sizes are checked already, and x and y do not overlap.
template <class Value>
struct Call {
  formats::Scaling<Value> scaling;
  formats::Vectors<const Value> x;
  formats::Vectors<Value> y;
  bool transposed = false;

  [[nodiscard]] bool one_vector() const {
    return x.vectors == 1 && (x.row_stride == 1 || x.rows <= 1) && (y.row_stride == 1 || y.rows <= 1);
  }
};

class Runner {
 public:
  /// What runs that plan, and the plan of that.
  [[nodiscard]] static const Runner& of(const Plan& plan) noexcept { return *plan.runner_; }
  [[nodiscard]] static std::shared_ptr<Runner> share(const Plan& plan) noexcept { return plan.runner_; }
  [[nodiscard]] static Plan plan_of(std::shared_ptr<Runner> runner) { return Plan(std::move(runner)); }

  Runner(Strategy chosen, const Matrix& matrix, bool summed = true);
  Runner& operator=(Runner&&) = delete;  // nor copied
  virtual ~Runner() = default;
  /// y = A·x. Sizes are checked already.
  virtual void apply(std::span<const double> x, std::span<double> y) const = 0;
  virtual void apply(std::span<const float> x, std::span<float> y) const = 0;
  /// Everything else.
  virtual void run(const Call<double>& call) const = 0;
  virtual void run(const Call<float>& call) const = 0;
  /// Complex ones, plain products too: of the host's runners.
  virtual void run(const Call<std::complex<double>>& call) const;
  virtual void run(const Call<std::complex<float>>& call) const;
  /// y = Aᵀ·(A·x) in one pass over A; false, the default: there is none.
  [[nodiscard]] virtual bool one_pass(std::span<const double> /*x*/, std::span<double> /*y*/) const { return false; }
  [[nodiscard]] virtual bool one_pass(std::span<const float> /*x*/, std::span<float> /*y*/) const { return false; }
  [[nodiscard]] virtual bool one_pass(std::span<const std::complex<double>> /*x*/,
                                      std::span<std::complex<double>> /*y*/) const {
    return false;
  }
  [[nodiscard]] virtual bool one_pass(std::span<const std::complex<float>> /*x*/,
                                      std::span<std::complex<float>> /*y*/) const {
    return false;
  }
  /// The product of that call with its dots with w and itself (product_dots.hpp); false, the default: take them in a
  /// pass behind run().
  [[nodiscard]] virtual bool run_with_dots(const Call<double>& /*call*/, std::span<const double> /*w*/,
                                           formats::DotSums<double>& /*sums*/) const {
    return false;
  }
  [[nodiscard]] virtual bool run_with_dots(const Call<float>& /*call*/, std::span<const float> /*w*/,
                                           formats::DotSums<float>& /*sums*/) const {
    return false;
  }
  [[nodiscard]] virtual bool run_with_dots(const Call<std::complex<double>>& /*call*/,
                                           std::span<const std::complex<double>> /*w*/,
                                           formats::DotSums<std::complex<double>>& /*sums*/) const {
    return false;
  }
  [[nodiscard]] virtual bool run_with_dots(const Call<std::complex<float>>& /*call*/,
                                           std::span<const std::complex<float>> /*w*/,
                                           formats::DotSums<std::complex<float>>& /*sums*/) const {
    return false;
  }
  /// Takes the values of a matrix with the same pattern. False where the plan has to be converted anew.
  [[nodiscard]] virtual bool update_values(const Matrix& matrix) = 0;
  [[nodiscard]] virtual std::int64_t bytes() const = 0;
  /// Of the device that it runs on, all of it; 0 where that is not known.
  [[nodiscard]] virtual std::int64_t device_memory_bytes() const = 0;
  /// Whether the device has a timer of its own, for products without x and y on their way. Else the host's clock is to
  /// be read around run().
  [[nodiscard]] virtual bool has_timer() const { return false; }
  /// Seconds of so many products of the strategy's kind by that timer.
  [[nodiscard]] virtual double timed_by_device(int /*times*/) const { return 0; }
  /// What trials in its own products gave so far, and what it multiplies with now.
  [[nodiscard]] virtual std::optional<TrialReport> trials() const { return strategy.trials; }
  [[nodiscard]] virtual std::vector<PlannedBlock> blocks() const { return strategy.blocks; }

  /// Of the matrix; of plans for few products on its own arrays as it is when somebody first asks.
  [[nodiscard]] const MatrixChecksums& checksums() const;
  [[nodiscard]] bool summed_when_made() const { return summed_when_made_; }
  void set_checksums(MatrixChecksums sums);
  /// Values are no longer those.
  void forget_values();

  /// What powers work in where they are products one after the other.
  template <class Value>
  [[nodiscard]] formats::Workspace<Value>& work_of() const {
    return std::get<formats::Workspace<Value>>(work_);
  }

  Strategy strategy;
  std::int64_t rows, cols, nonzeros;
  HeldPowers powers;  // that strategy.powers tells of; of a runner that is only tried, none
  double conversion_s = 0;
  mutable Pace pace;
  mutable Gram gram;  ///< y = Aᵀ·(A·x), the faster way

 private:
  mutable std::mutex checksums_mutex_;
  mutable MatrixChecksums checksums_;
  mutable std::optional<Matrix> unsummed_;
  bool summed_when_made_ = true;
  template <class Value>
  using Work = formats::Workspace<Value>;
  mutable std::tuple<Work<float>, Work<double>, Work<std::complex<float>>, Work<std::complex<double>>> work_{1, 1, 1,
                                                                                                             1};
};

/// The plan whose runner that is, with the powers of its strategy.
[[nodiscard]] std::shared_ptr<Runner> with_powers(std::shared_ptr<Runner> runner, const Matrix& matrix);

/// Error usage: vectors of the other precision than the plan's.
[[noreturn]] void refuse_precision(Precision have);

/// How a runner is made: with its matrix's checksums or, where it is only tried, without; on the device of another one.
struct RunnerMaking {
  bool summed = true;
  const Runner* beside = nullptr;
};
[[nodiscard]] std::shared_ptr<Runner> make_runner(const Matrix& matrix, Strategy strategy,
                                                  const RunnerMaking& making = {});
/// Of a strategy for A and Aᵀ; `normal` multiplies by A and `other` by what is stored for Aᵀ alone: made where they are
/// null.
[[nodiscard]] std::shared_ptr<Runner> pair_runner(Strategy strategy, const Matrix& matrix,
                                                  std::shared_ptr<Runner> normal = {},
                                                  std::shared_ptr<Runner> other = {});
/// What is stored for Aᵀ alone; null where nothing is.
[[nodiscard]] std::shared_ptr<Runner> make_transpose_runner(const Matrix& matrix, const Strategy& strategy);
[[nodiscard]] std::shared_ptr<Runner> host_runner(Strategy strategy, const Matrix& matrix, const RunnerMaking& making);
[[nodiscard]] std::shared_ptr<Runner> device_runner(Strategy strategy, const Matrix& matrix,
                                                    const RunnerMaking& making);
}  // namespace sparsecast::planning
