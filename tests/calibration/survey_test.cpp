
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>

#include "calibration/plan/survey.hpp"

namespace sparsecast {
namespace {

TEST(Survey, EverySampleCanBeMadeAndHasAboutItsSize) {
  const auto survey = calibration::survey_matrices(320, 20'000);
  EXPECT_EQ(survey.size(), 320U);
  for (const MatrixSpec& spec : survey) {
    const Matrix matrix = generate(spec, 1);
    EXPECT_GT(matrix.nonzeros(), 300) << generated_name(spec) << " " << spec.parameters.json();
    EXPECT_LT(matrix.nonzeros(), 80'000) << generated_name(spec) << " " << spec.parameters.json();
  }
}

TEST(Survey, ShorterSurveysAreTheBeginningsOfLongerOnes) {
  const auto few = calibration::survey_matrices(15, 1'000'000), many = calibration::survey_matrices(40, 1'000'000);
  ASSERT_EQ(few.size(), 15U);
  ASSERT_EQ(many.size(), 40U);
  for (std::size_t i = 0; i < few.size(); ++i) {
    EXPECT_EQ(few[i].kind, many[i].kind);
    EXPECT_EQ(few[i].rows, many[i].rows);
    EXPECT_EQ(few[i].parameters.json(), many[i].parameters.json());
  }
}

// Every tenth of the range of sizes, on a logarithmic scale, gets its share of samples.
TEST(Survey, FillsTheRangeOfSizes) {
  std::vector<int> tenths(10, 0);
  const double least = 3000, most = 8e6;
  for (const MatrixSpec& spec : calibration::survey_matrices(300, 8'000'000)) {
    if (spec.kind != "structured") continue;
    const double nonzeros = static_cast<double>(spec.rows) * spec.row_length;
    ++tenths[static_cast<std::size_t>(std::clamp(10 * std::log(nonzeros / least) / std::log(most / least), 0.0, 9.0))];
  }
  for (const int count : tenths) EXPECT_GE(count, 8);
}

TEST(Survey, HasNoSampleTwice) {
  std::set<std::tuple<std::string, std::int64_t, double, std::string, std::uint64_t>> seen;
  for (const MatrixSpec& spec : calibration::survey_matrices(320, 8'000'000))
    EXPECT_TRUE(seen.insert({spec.kind, spec.rows, spec.row_length, spec.parameters.json(), spec.seed}).second);
}

}  // namespace
}  // namespace sparsecast
