#include "cluster/models/cluster_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "made_up.hpp"

namespace sparsecast::cluster {
namespace {
// A model whose left-out errors are known.
class KnownErrors final : public ClusterModel {
 public:
  // Of `matrices` in turn; as many as errors where it is 0.
  explicit KnownErrors(const std::vector<double>& errors, std::size_t matrices = 0) : ClusterModel(1) {
    for (std::size_t k = 0; k < errors.size(); ++k)
      errors_.push_back({std::to_string(matrices > 0 ? k % matrices : k), errors[k]});
  }
  [[nodiscard]] std::string name() const override { return "known"; }
  [[nodiscard]] std::optional<ClusterForecast> forecast(const SchemeFeatures&, LocalFormat) const override {
    return {};
  }
  [[nodiscard]] std::vector<LeftOutError> left_out_errors(Scheme, LocalFormat format, int) const override {
    return format == LocalFormat::csr ? errors_ : std::vector<LeftOutError>();
  }

 private:
  std::vector<LeftOutError> errors_;
};

TEST(Intervals, HoldNineTenthsOfWhatWasLeftOut) {
  std::vector<double> errors;
  for (int k = 1; k <= 19; ++k) errors.push_back((k % 2 == 0 ? 0.01 : -0.01) * k);  // 1 % … 19 %
  ClusterForecast f = one_second(4);
  set_interval(f, KnownErrors(errors), {1, 4});
  EXPECT_DOUBLE_EQ(f.high_s, std::exp(0.18));
  EXPECT_DOUBLE_EQ(f.low_s, std::exp(-0.18));
  // Two factors of two beyond what was calibrated: half the errors for each, and a quarter of a factor e at least.
  ClusterForecast beyond = one_second(16);
  set_interval(beyond, KnownErrors(errors), {1, 4});
  EXPECT_DOUBLE_EQ(beyond.high_s, std::exp(0.18 + 2 * 0.25));
  for (double& error : errors) error *= 5;
  set_interval(beyond, KnownErrors(errors), {1, 4});
  EXPECT_NEAR(beyond.high_s / std::exp(0.9 + 2 * 0.45), 1, 1e-12);
  // However large the errors, a doubling adds a factor of two at most.
  for (double& error : errors) error *= 10;
  set_interval(beyond, KnownErrors(errors), {1, 4});
  EXPECT_NEAR(beyond.high_s / (std::exp(9.0) * 4), 1, 1e-12);
  // Nothing known: a factor e, and the least for each doubling.
  ClusterForecast unknown = one_second(4);
  set_interval(unknown, KnownErrors({}), {4});
  EXPECT_DOUBLE_EQ(unknown.high_s, std::exp(1.0));
  unknown = one_second(16);
  set_interval(unknown, KnownErrors({}), {4});
  EXPECT_DOUBLE_EQ(unknown.high_s, std::exp(1.0 + 2 * 0.25));
}

// However small they came out: that one matrix, or two, in as many states and formats as it may be, were forecast well
// says nothing of a third. (An interval of ±3 % from a quick calibration held none of 24 times.)
TEST(Intervals, OfAFewMatricesSayLittle) {
  for (const std::size_t matrices : {1, 2})
    for (const std::size_t errors : {1, 2, 4, 20}) {
      ClusterForecast f = one_second(4);
      set_interval(f, KnownErrors(std::vector<double>(errors, 0.001), matrices), {4});
      EXPECT_DOUBLE_EQ(f.high_s, std::exp(1.0)) << matrices << " matrices, " << errors << " errors";
      set_interval(f, KnownErrors(std::vector<double>(errors, 2), matrices), {4});
      EXPECT_GE(f.high_s, std::exp(2.0)) << "nor is more hidden than was seen";
    }
  // Three that agree may do so by chance: Student's distribution, and no less than before.
  ClusterForecast three = one_second(4);
  set_interval(three, KnownErrors({0.1, -0.1, 0.1}), {4});
  EXPECT_DOUBLE_EQ(three.high_s, std::exp(0.235));
  set_interval(three, KnownErrors({0.01, 0.01, 0.3}), {4});
  EXPECT_DOUBLE_EQ(three.high_s, std::exp(0.45));
}

TEST(Intervals, ReachDownBelowTheShortestRun) {
  const std::vector<double> errors(9, 0.1);
  ClusterForecast f = one_second(4), known = one_second(4);
  set_interval(f, KnownErrors(errors), {4}, 16);
  set_interval(known, KnownErrors(errors), {4}, 0.5);
  EXPECT_DOUBLE_EQ(f.low_s, known.low_s / 4);
  EXPECT_DOUBLE_EQ(f.high_s, known.high_s);
}

TEST(NearestCount, IsNotOneProcessWhereSeveralAreAskedFor) {
  EXPECT_EQ(nearest_count({1, 4, 16}, 9), 16);
  EXPECT_EQ(nearest_count({1, 16}, 2), 16);  // in proportion 1 is nearer, but it sends nothing
  EXPECT_EQ(nearest_count({1}, 4), 0);
  EXPECT_EQ(nearest_count({1, 4}, 1), 1);
  EXPECT_EQ(nearest_count({4, 16}, 1), 4);
}
}  // namespace
}  // namespace sparsecast::cluster
