
#include <gtest/gtest.h>

#include "forecast/papers/line.hpp"
#include "forecast/papers/paper_forms.hpp"

namespace sparsecast {
namespace {

// On data that are exactly of a form's shape, the fit must give back the coefficients and forecast exactly, inside and
// outside the grid.

TEST(Line, RecoversExactCoefficients) {
  const double x[] = {4, 16, 64, 256}, y[] = {3 + 2 * 4.0, 3 + 2 * 16.0, 3 + 2 * 64.0, 3 + 2 * 256.0};
  const forecast::Line line = forecast::fit_line(x, y);
  EXPECT_NEAR(line.intercept, 3, 1e-12);
  EXPECT_NEAR(line.slope, 2, 1e-14);
}

TEST(Line, IsLevelWhereThereIsOneX) {
  const double x[] = {5, 5}, y[] = {1, 3};
  EXPECT_DOUBLE_EQ(forecast::fit_line(x, y)(100), 2);
}

// T = (a + b·P)(c + d·I) with other coefficients above the break at 1024.
double csr_truth(double strips, double row_length) {
  const double slope = row_length <= 1024 ? 3e-9 : 4e-9;
  return (1e-6 + slope * row_length) * (0.5 + strips);
}

std::vector<forecast::GridPoint> csr_grid() {
  std::vector<forecast::GridPoint> points;
  for (int strips = 1; strips <= 10; ++strips)
    for (const double row_length : {4.0, 16.0, 64.0, 256.0, 1536.0, 2048.0})
      points.push_back({static_cast<double>(strips), row_length, csr_truth(strips, row_length)});
  return points;
}

TEST(CsrForm, IsExactOnLinearDataOnBothSidesOfTheBreak) {
  const auto form = forecast::CsrForm::fit(csr_grid(), 1024);
  ASSERT_TRUE(form);
  for (const double row_length : {1.0, 7.0, 100.0, 1000.0, 1100.0, 5000.0})
    for (const double strips : {1.0, 18.0, 1489.0})
      EXPECT_NEAR((*form)(strips, row_length), csr_truth(strips, row_length), 1e-12 * strips)
          << strips << " strips of " << row_length;
}

TEST(CsrForm, NeedsOnlyACrossOfTheGrid) {
  std::vector<forecast::GridPoint> cross;
  for (const forecast::GridPoint& point : csr_grid())
    if (point.strips == 5 || point.row_length == 64 || point.row_length == 1536) cross.push_back(point);
  const auto form = forecast::CsrForm::fit(cross, 1024);
  ASSERT_TRUE(form);
  EXPECT_NEAR((*form)(100, 32), csr_truth(100, 32), 1e-11);
  EXPECT_NEAR((*form)(100, 3000), csr_truth(100, 3000), 1e-9);
}

TEST(CsrForm, WithoutPointsAboveTheBreakGoesOnAsBelow) {
  std::vector<forecast::GridPoint> below;
  for (const forecast::GridPoint& point : csr_grid())
    if (point.row_length < 1024) below.push_back(point);
  const auto form = forecast::CsrForm::fit(below, 1024);
  ASSERT_TRUE(form);
  EXPECT_NEAR((*form)(2, 2000), (1e-6 + 3e-9 * 2000) * 2.5, 1e-12);
  EXPECT_TRUE(form->has_line(1024));
  EXPECT_FALSE(form->has_line(1025)) << "and says so";
}

TEST(CsrForm, RefusesPointsWithoutALine) {
  EXPECT_FALSE(forecast::CsrForm::fit({}, 1024));
  EXPECT_FALSE(forecast::CsrForm::fit({{1, 4, 1e-6}, {2, 4, 2e-6}}, 1024)) << "one row length only";
  EXPECT_FALSE(forecast::CsrForm::fit({{1, 4, 1e-6}, {1, 8, 2e-6}}, 1024)) << "one number of strips only";
}

// T = f(I)·P + g(I) with f(I) = 1e-9 + 2e-9·I and g(I) = 5e-7 + 3e-7·I.
double ell_truth(double strips, double row_length) {
  return (1e-9 + 2e-9 * strips) * row_length + 5e-7 + 3e-7 * strips;
}

TEST(EllForm, IsExactOnBilinearData) {
  std::vector<forecast::GridPoint> points;
  for (int strips = 1; strips <= 10; ++strips)
    for (const double row_length : {4.0, 16.0, 64.0, 256.0, 1024.0})
      points.push_back({static_cast<double>(strips), row_length, ell_truth(strips, row_length)});
  const auto form = forecast::EllForm::fit(points);
  ASSERT_TRUE(form);
  for (const double row_length : {1.0, 50.0, 3000.0})
    for (const double strips : {1.0, 45.0, 313.0})
      EXPECT_NEAR((*form)(strips, row_length), ell_truth(strips, row_length), 1e-12 * strips);
}

TEST(EllForm, RefusesPointsWithoutALine) {
  EXPECT_FALSE(forecast::EllForm::fit({}));
  EXPECT_FALSE(forecast::EllForm::fit({{1, 4, 1e-6}, {1, 8, 2e-6}}));
}

TEST(CooForm, IsExactOnLinearData) {
  std::vector<forecast::GridPoint> points;
  for (int strips = 10; strips <= 100; strips += 10)
    points.push_back({static_cast<double>(strips), 0, 2e-6 + 5e-7 * strips});
  const auto form = forecast::CooForm::fit(points);
  ASSERT_TRUE(form);
  EXPECT_NEAR((*form)(1234), 2e-6 + 5e-7 * 1234, 1e-12);
}

}  // namespace
}  // namespace sparsecast
