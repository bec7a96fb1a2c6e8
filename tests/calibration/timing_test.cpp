#include "calibration/timing.hpp"

#include <gtest/gtest.h>

namespace sparsecast {
namespace {

// A product whose clock is arithmetic: start-up cost plus a fixed time per product, and a disturbance now and then.
class ClockworkProduct final : public hardware::Product {
 public:
  ClockworkProduct(double startup_s, double product_s, int disturbed_every = 0)
      : startup_s_(startup_s), product_s_(product_s), disturbed_every_(disturbed_every) {}
  double run(int times) override {
    products += times;
    ++runs;
    const bool disturbed = disturbed_every_ > 0 && runs % disturbed_every_ == 0;
    return startup_s_ + product_s_ * times * (disturbed ? 1.7 : 1.0);
  }
  std::vector<double> multiply(std::span<const double>) override { return {}; }
  [[nodiscard]] double preprocess_seconds() const override { return 0; }
  [[nodiscard]] std::int64_t bytes() const override { return 0; }

  std::int64_t products = 0;
  int runs = 0;

 private:
  double startup_s_, product_s_;
  int disturbed_every_;
};

calibration::Timing time_one(hardware::Product& product, const calibration::TimingOptions& options = {}) {
  hardware::Product* const products[] = {&product};
  return calibration::time_interleaved(products, options).front();
}

TEST(Timing, StartUpCostCancels) {
  ClockworkProduct product(1e-3, 2e-5);
  EXPECT_NEAR(time_one(product).seconds, 2e-5, 1e-12);
}

TEST(Timing, CentreIsWhereUndisturbedBlocksCrowd) {
  ClockworkProduct product(1e-5, 2e-5, 7);
  const calibration::Timing timing = time_one(product);
  EXPECT_NEAR(timing.seconds, 2e-5, 1e-11);
  EXPECT_GT(timing.high_s, timing.seconds);
}

TEST(Timing, SteadyProductStopsAtTheFewestBlocks) {
  ClockworkProduct product(0, 1e-4);
  calibration::TimingOptions options;
  const calibration::Timing timing = time_one(product, options);
  EXPECT_LT(timing.spread, options.target_spread);
  EXPECT_EQ(timing.repeats % options.min_blocks, 0);
}

TEST(Timing, SlowProductIsBoundedInTime) {
  ClockworkProduct product(0, 10.0);
  calibration::TimingOptions options;
  options.max_s = 1;
  (void)time_one(product, options);
  EXPECT_LE(product.products, 2 + 3 * 3);
}

TEST(Timing, NoBlockOfASlowProductIsShorterThanTheProduct) {
  for (const double product_s : {0.003, 0.004, 0.02, 0.5}) {
    ClockworkProduct product(1e-5, product_s, 3);  // every third run takes 1.7 times as long
    const calibration::Timing timing = time_one(product);
    EXPECT_GE(timing.low_s, 0.999 * product_s);
    EXPECT_NEAR(timing.seconds, product_s, 0.01 * product_s);
  }
}

// The first product after another's finds the caches full of the other's data.
class RefillingProduct final : public hardware::Product {
 public:
  RefillingProduct(const hardware::Product*& last, double refill_s, double product_s)
      : last_(last), refill_s_(refill_s), product_s_(product_s) {}
  double run(int times) override {
    const double refill = last_ == this ? 0 : refill_s_;
    last_ = this;
    return refill + product_s_ * times;
  }
  std::vector<double> multiply(std::span<const double>) override { return {}; }
  [[nodiscard]] double preprocess_seconds() const override { return 0; }
  [[nodiscard]] std::int64_t bytes() const override { return 0; }

 private:
  const hardware::Product*& last_;
  double refill_s_, product_s_;
};

TEST(Timing, CachesAreWarmWhereSeveralProductsTakeTurns) {
  const hardware::Product* last = nullptr;
  RefillingProduct quick(last, 1e-3, 2e-5), slow(last, 1e-3, 3e-3);
  hardware::Product* const products[] = {&quick, &slow};
  const std::vector<calibration::Timing> timings = calibration::time_interleaved(products, {});
  EXPECT_NEAR(timings[0].seconds, 2e-5, 1e-9) << "runs once more before its blocks";
  EXPECT_NEAR(timings[1].seconds, 3e-3, 1e-9) << "as long as a block: no α runs";
}

TEST(Timing, RepeatsCountEveryTimedProduct) {
  ClockworkProduct product(0, 1e-3);
  const calibration::Timing timing = time_one(product);
  EXPECT_GT(timing.repeats, 0);
  EXPECT_LE(timing.repeats, product.products);
}

TEST(Timing, TheLessNoisyRoundTookFewerCycles) {
  const calibration::Timing calm{1.0, 0, 0, 0, 0, 1e-9}, disturbed{1.5, 0, 0, 0, 0, 1e-9},
      slower_clock{1.1, 0, 0, 0, 0, 1.2e-9};
  EXPECT_TRUE(calibration::less_noisy(calm, disturbed));
  EXPECT_FALSE(calibration::less_noisy(disturbed, calm));
  EXPECT_TRUE(calibration::less_noisy(slower_clock, calm)) << "1.1 s at five sixths of the speed are less work";
  EXPECT_FALSE(calibration::less_noisy({1.1}, {1.0})) << "without the speed, seconds";
  EXPECT_TRUE(calibration::less_noisy({1.0}, {})) << "anything beats no time";
  EXPECT_FALSE(calibration::less_noisy({}, {1.0}));
}

TEST(Timing, StatesScatterByLessThanAQuarter) {
  EXPECT_TRUE(calibration::same_fork_join(5e-7, 6e-7));
  EXPECT_FALSE(calibration::same_fork_join(5e-7, 1.2e-6));
  EXPECT_FALSE(calibration::same_fork_join(1.2e-6, 5e-7));
  EXPECT_TRUE(calibration::same_fork_join(0, 1.2e-6)) << "not known";
}

TEST(Timing, LooksAtThreadsFarApartGiveWay) {
  const auto look = [](double seconds, double launch_s) {
    return calibration::Timing{seconds, 0, 0, 0, 0, 1e-9, launch_s};
  };
  EXPECT_TRUE(calibration::less_noisy(look(1.5, 5e-7), look(1.0, 1.2e-6)))
      << "slower, as both threads use one way to the memory";
  EXPECT_FALSE(calibration::less_noisy(look(1.0, 1.2e-6), look(1.5, 5e-7)));
  EXPECT_TRUE(calibration::less_noisy(look(1.0, 5.5e-7), look(1.5, 5e-7))) << "as near";
}

TEST(Timing, ADisturbedLookIsWorthAnother) {
  const auto look = [](double spread, double launch_s) {
    return calibration::Timing{1.0, 0, 0, spread, 0, 1e-9, launch_s};
  };
  EXPECT_TRUE(calibration::undisturbed(std::vector<calibration::Timing>{}, 5e-7));
  EXPECT_TRUE(calibration::undisturbed(
      std::vector<calibration::Timing>{look(0.01, 5e-7), look(0.2, 5e-7), look(0.01, 5e-7)}, 5e-7))
      << "one product that scatters is its own";
  EXPECT_FALSE(calibration::undisturbed(
      std::vector<calibration::Timing>{look(0.07, 5e-7), look(0.2, 5e-7), look(0.01, 5e-7)}, 5e-7));
  EXPECT_FALSE(calibration::undisturbed(std::vector<calibration::Timing>{look(0.01, 5e-7), look(0.01, 1.2e-6)}, 5e-7))
      << "threads far apart";
  EXPECT_TRUE(calibration::undisturbed(std::vector<calibration::Timing>{look(0.01, 0)}, 0)) << "one thread";
  const std::vector<calibration::Timing> restless{look(0.07, 0)};
  EXPECT_FALSE(calibration::undisturbed(restless, 0, 0.04));
  EXPECT_TRUE(calibration::undisturbed(restless, 0, 0.05)) << "as on the whole machine";
}

// Whose blocks take these seconds in turn, and then the last.
class PlayedProduct final : public hardware::Product {
 public:
  explicit PlayedProduct(std::vector<double> seconds) : seconds_(std::move(seconds)) {}
  double run(int times) override {
    const double block = seconds_[std::min(taken_, seconds_.size() - 1)];
    ++taken_;
    return block * times;
  }
  std::vector<double> multiply(std::span<const double>) override { return {}; }
  [[nodiscard]] double preprocess_seconds() const override { return 0; }
  [[nodiscard]] std::int64_t bytes() const override { return 0; }

 private:
  std::vector<double> seconds_;
  std::size_t taken_ = 0;
};

// The mode of scattered blocks may be their first two, below the 5 % quantile.
TEST(Timing, IsWithinItsInterval) {
  for (const double crowd : {1.0, 40.0}) {
    std::vector<double> seconds{10, 10};
    for (int k = 0; k < 40; ++k) seconds.push_back(k % 20 == 0 ? crowd : 2 + 37 * ((k * 7) % 20) / 20.0);
    PlayedProduct product(seconds);
    calibration::TimingOptions options;
    options.max_s = 1e9;
    const calibration::Timing timing = time_one(product, options);
    EXPECT_LE(timing.low_s, timing.seconds);
    EXPECT_GE(timing.high_s, timing.seconds);
  }
}

TEST(HalfSampleMode, FindsTheDensestPlace) {
  EXPECT_DOUBLE_EQ(calibration::half_sample_mode({5, 1, 1.1, 1.05, 9, 12, 3}), 1.025);
  EXPECT_DOUBLE_EQ(calibration::half_sample_mode({7}), 7);
  EXPECT_DOUBLE_EQ(calibration::half_sample_mode({2, 4}), 3);
  EXPECT_DOUBLE_EQ(calibration::half_sample_mode({1, 2, 9}), 1.5);
  EXPECT_DOUBLE_EQ(calibration::half_sample_mode({}), 0);
}

TEST(HalfSampleMode, IsNotMovedByOutliers) {
  std::vector<double> values{1.00, 1.01, 1.02, 1.005, 1.015, 1.008, 1.012};
  const double clean = calibration::half_sample_mode(values);
  values.insert(values.end(), {50, 70, 90});
  EXPECT_NEAR(calibration::half_sample_mode(values), clean, 0.01);
}

}  // namespace
}  // namespace sparsecast
