#pragma once
// E[i, j] and F[i, j] for the kernels of one device: launch, plus what every strip adds, plus the padding of ELL and
// HYB, which depends on the block as a whole. What a strip adds is forecast once per kernel; a block then costs a few
// additions per kernel, and a column of the table is made from its lower end upwards with running maxima and a running
// histogram, so that nothing is looked at twice and nothing but the column is held.

#include "plan/search/optimal_cut.hpp"
#include "plan/search/quick_forecast.hpp"

namespace sparsecast::planning {

/// Row lengths of a growing range of strips: its mode and the split of HYB (structure.hpp) after every step.
class GrowingLengths {
 public:
  explicit GrowingLengths(std::int64_t longest);
  void clear();
  void add(std::span<const RowLengthCount> lengths);
  [[nodiscard]] HybSplit hyb() const { return {width_, overflow_}; }
  [[nodiscard]] std::int64_t mode() const { return mode_; }

 private:
  void settle_width();

  std::vector<std::int64_t> rows_of_length_;
  std::vector<std::int64_t> touched_;  // lengths with rows
  std::int64_t rows_ = 0, mode_ = 0;
  std::int64_t width_ = 0;     // K
  std::int64_t reaching_ = 0;  // rows of at least K non-zeros
  std::int64_t overflow_ = 0;  // Σ (length − K) over those
};

/// What is minimised: weight × seconds of a product + conversion_weight × seconds of the conversion.
struct Objective {
  double product = 1, conversion = 0;
};

/// Block times that also tell what a block would take in a kernel that is not its best.
class BlockPrices : public BlockTimes {
 public:
  /// Of one block by one kernel: a product, and the conversion.
  [[nodiscard]] virtual double seconds(int kernel, std::int64_t first, std::int64_t last) const = 0;
  [[nodiscard]] virtual double conversion_seconds(int kernel, std::int64_t first, std::int64_t last) const = 0;
  /// Standard deviation of the error of log(seconds of a block by `kernel` / seconds of the whole by `single`), as far
  /// as the models know of it.
  [[nodiscard]] virtual double doubt(int kernel, int single) const = 0;
};

class KernelBlockTimes final : public BlockPrices {
 public:
  /// `whole_s`: the forecast of every kernel of `quick` for the whole matrix, which the sum over all strips is scaled
  /// to; infinite where the kernel is out of the question. `whole_only`: kernels that cannot run a block of several.
  KernelBlockTimes(const QuickForecast& quick, const StripSums& strips, const Gathering& gathering,
                   const std::vector<double>& whole_s, const std::vector<bool>& whole_only, Objective objective);

  [[nodiscard]] std::int64_t strips() const override { return strips_.strips(); }
  void column(std::int64_t j, std::span<double> seconds, std::span<std::int32_t> kernels) override;

  [[nodiscard]] double seconds(int kernel, std::int64_t first, std::int64_t last) const override;
  [[nodiscard]] double conversion_seconds(int kernel, std::int64_t first, std::int64_t last) const override;
  [[nodiscard]] double doubt(int kernel, int single) const override;

 private:
  using Padding = formats::Padding;
  struct Kernel {
    int index = 0;  // into the quick forecast
    Padding padding = Padding::none;
    bool of_block = false;  // the padding depends on the block as a whole and not on its strips alone
    bool whole_only = false;
    double launch = 0;
    double whole_s = 0;          // of the whole matrix as one block
    double doubt = 0;            // how far the sum over the strips was from it beyond belief, in logarithms
    std::vector<double> before;  // Σ over the strips before: what they add
    double per_pad = 0;          // seconds per padded slot
    double per_overflow = 0;     // seconds per entry beyond HYB's width
  };
  struct Range {
    double rows = 0, nonzeros = 0, sell_slots = 0;
    std::int64_t longest = 0;
    HybSplit hyb;
  };
  [[nodiscard]] Range range(std::int64_t first, std::int64_t last) const;
  [[nodiscard]] double slots(const Kernel& kernel, const Range& range) const;
  [[nodiscard]] double seconds(const Kernel& kernel, const Range& range, std::int64_t first, std::int64_t last) const;
  [[nodiscard]] double strips_seconds(const Kernel& kernel, const Range& range, std::int64_t first,
                                      std::int64_t last) const;
  [[nodiscard]] double conversion(const Kernel& kernel, const Range& range) const;
  [[nodiscard]] const Kernel& find(int kernel) const;
  void drop_dominated();

  const QuickForecast& quick_;
  const StripSums& strips_;
  Objective objective_;
  std::vector<Kernel> kernels_;
  std::vector<char> searched_;  // per kernel: not dominated
  Range whole_;
  GrowingLengths lengths_;
  bool needs_lengths_ = false;
};

}  // namespace sparsecast::planning
