#include <sparsecast/evaluation.hpp>

#include <gtest/gtest.h>

namespace sparsecast {
namespace {

EvaluationCase judged(const char* matrix, const char* kernel, double predicted_s, double measured_s) {
  EvaluationCase one;
  one.matrix = matrix;
  one.device = "host";
  one.kernel = kernel;
  one.model = "guo";
  one.predicted_s = predicted_s;
  one.measured_s = measured_s;
  one.low_s = 0.95 * predicted_s;
  one.high_s = 1.05 * predicted_s;
  return one;
}

TEST(Evaluation, ErrorIsRelativeToTheMeasuredTime) {
  EXPECT_DOUBLE_EQ(judged("a", "csr", 3, 2).error(), 0.5);
  EXPECT_DOUBLE_EQ(judged("a", "csr", 1, 2).error(), 0.5);
}

TEST(Evaluation, SummarizesByKernelAndModel) {
  const auto summary = summarize(
      {judged("a", "csr", 1.1, 1), judged("b", "csr", 1, 1), judged("c", "csr", 0.7, 1), judged("a", "ell", 2, 1)});
  ASSERT_EQ(summary.size(), 2U);
  EXPECT_EQ(summary[0].kernel, "csr");
  EXPECT_EQ(summary[0].cases, 3);
  EXPECT_NEAR(summary[0].mean_error, (0.1 + 0 + 0.3) / 3, 1e-12);
  EXPECT_NEAR(summary[0].median_error, 0.1, 1e-12);
  EXPECT_NEAR(summary[0].max_error, 0.3, 1e-12);
  EXPECT_NEAR(summary[0].coverage, 1.0 / 3, 1e-12) << "only b lies inside its interval";
  EXPECT_NEAR(summary[1].mean_error, 1, 1e-12);
}

TEST(Evaluation, RegretIsAgainstTheFastestOfAll) {
  // On a, csr is chosen (forecast 1.0) and ell was 10 % faster; on b the choice is right; on c it is within 2 %.
  const auto selection =
      selections({judged("a", "csr", 1.0, 1.1), judged("a", "ell", 2.0, 1.0), judged("b", "csr", 1, 1),
                  judged("b", "ell", 2, 2), judged("c", "csr", 1, 1.01), judged("c", "ell", 2, 1)});
  ASSERT_EQ(selection.size(), 1U);
  EXPECT_EQ(selection[0].cases, 3);
  EXPECT_EQ(selection[0].hits, 2);
  EXPECT_NEAR(selection[0].max_regret, 0.1, 1e-12);
  EXPECT_NEAR(selection[0].mean_regret, (0.1 + 0 + 0.01) / 3, 1e-12);
}

TEST(Evaluation, TheChoiceIsWhatIsRecommended) {
  std::vector<EvaluationCase> cases{judged("a", "csr", 1.0, 1.5), judged("a", "ell", 1.1, 1.0)};
  EXPECT_NEAR(selections(cases).front().mean_regret, 0.5, 1e-12) << "of no recommendation the fastest forecast";
  cases[1].recommended = true;
  EXPECT_EQ(selections(cases).front().mean_regret, 0);
}

TEST(Evaluation, NothingGivesNothing) {
  EXPECT_TRUE(summarize({}).empty());
  EXPECT_TRUE(selections({}).empty());
}

}  // namespace
}  // namespace sparsecast
