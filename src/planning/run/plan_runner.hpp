#pragma once
// Runner: what carries out a strategy, on the host or on a device behind hardware/device.hpp. A Plan is a handle to
// one.

#include <atomic>
#include <sparsecast/plan.hpp>

#include "base/clock.hpp"
#include "hardware/device.hpp"
#include "formats/host_product.hpp"

namespace sparsecast::planning {
// Pace: how long a plan's products take beside what was promised. Of short products a sample is looked at, so that
// looking costs a thousandth of them.

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

// The checksums that a plan keeps of its matrix: of everything, to which a saved plan is bound, and of sizes and
// pattern alone, which new values leave as they are.

struct MatrixChecksums {
  std::string pattern;
  std::string whole;  ///< empty where it is no longer known
};

/// Both in one pass.
[[nodiscard]] MatrixChecksums matrix_checksums(const Matrix& matrix);
[[nodiscard]] std::string pattern_checksum(const Matrix& matrix);

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
  /// Takes the values of a matrix with the same pattern. False where the plan has to be converted anew.
  [[nodiscard]] virtual bool update_values(const Matrix& matrix) = 0;
  [[nodiscard]] virtual std::int64_t bytes() const = 0;
  /// What trials in its own products gave so far, and what it multiplies with now.
  [[nodiscard]] virtual std::optional<TrialReport> trials() const { return strategy.trials; }
  [[nodiscard]] virtual std::vector<PlannedBlock> blocks() const { return strategy.blocks; }

  /// Of the matrix; of plans for few products on its own arrays as it is when somebody first asks.
  [[nodiscard]] const MatrixChecksums& checksums() const;
  [[nodiscard]] bool summed_when_made() const { return summed_when_made_; }
  void set_checksums(MatrixChecksums sums);
  /// Values are no longer those.
  void forget_values();

  Strategy strategy;
  std::int64_t rows, cols, nonzeros;
  double conversion_s = 0;
  mutable Pace pace;

 private:
  mutable std::mutex checksums_mutex_;
  mutable MatrixChecksums checksums_;
  mutable std::optional<Matrix> unsummed_;
  bool summed_when_made_ = true;
};

/// Error usage: vectors of the other precision than the plan's.
[[noreturn]] void refuse_precision(Precision have);

/// How a runner is made: with its matrix's checksums or, where it is only tried, without; on the device of another one.
struct RunnerMaking {
  bool summed = true;
  const Runner* beside = nullptr;
};
[[nodiscard]] std::shared_ptr<Runner> make_runner(const Matrix& matrix, Strategy strategy,
                                                  const RunnerMaking& making = {});
[[nodiscard]] std::shared_ptr<Runner> host_runner(Strategy strategy, const Matrix& matrix, const RunnerMaking& making);
[[nodiscard]] std::shared_ptr<Runner> device_runner(Strategy strategy, const Matrix& matrix,
                                                    const RunnerMaking& making);
}  // namespace sparsecast::planning
