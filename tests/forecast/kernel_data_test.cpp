// Which records a fit rests on.

#include <gtest/gtest.h>

#include "forecast/kernel_data.hpp"
#include "support/synthetic_profile.hpp"

namespace sparsecast {
namespace {

const FitOptions options{Precision::double_, 1};

double time(double strips, double length) { return 1e-6 + strips * 1024 * 1e-9 * length; }

// A host with the papers' grid of 70 matrices and so many others.
Profile with_survey(int others) {
  Profile profile = test::empty_host_profile(1);
  test::add_grid(profile, "constant", "csr", 1, time);
  for (int i = 0; i < others; ++i) {
    Profile one = test::empty_host_profile(1);
    test::add_grid(one, "structured", "csr", 1, time);
    BenchmarkMatrix matrix = one.matrices.front();
    matrix.spec.strips = 0;
    matrix.spec.seed = static_cast<std::uint64_t>(i) + 1;
    Record record = one.records.front();
    record.matrix = static_cast<int>(profile.matrices.size());
    profile.matrices.push_back(matrix);
    profile.records.push_back(record);
  }
  return profile;
}

std::size_t records_of_fit(const Profile& profile) {
  return forecast::kernel_data(profile, options, "csr").observations.size();
}

TEST(KernelData, TheGridsOfThePapersServeWhereTheSurveyIsSmall) {
  EXPECT_EQ(records_of_fit(with_survey(0)), 70U);
  EXPECT_EQ(records_of_fit(with_survey(20)), 90U);
}

TEST(KernelData, AWholeSurveyStandsAlone) { EXPECT_EQ(records_of_fit(with_survey(80)), 80U); }

}  // namespace
}  // namespace sparsecast
