// Kernels without records of their own: the kernel that they are a variant of speaks for them, at their own counts.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "forecast/model_set.hpp"
#include "formats/kernels.hpp"
#include "support/command.hpp"
#include "support/synthetic_profile.hpp"

namespace sparsecast {
namespace {

constexpr double megabyte = 1 << 20;

// A host whose last cache holds a megabyte, and on which a slot of either kernel takes a nanosecond.
Profile device() {
  Profile profile = test::empty_host_profile(1);
  profile.properties.caches.push_back({3, 1 << 20, 64, 1});
  for (const char* kernel : {"csr", "sell"})
    test::add_grid(profile, "constant", kernel, 1,
                   [](double strips, double length) { return 1e-6 + strips * 1024 * (2e-9 + 1e-9 * length); });
  return profile;
}

class Variants : public testing::Test {
 protected:
  void SetUp() override { setenv("SPARSECAST_HOME", folder_.path().c_str(), 1); }
  void TearDown() override { unsetenv("SPARSECAST_HOME"); }
  test::TemporaryFolder folder_;
};

std::optional<Forecast> forecast_of(const forecast::ModelSet& models, const Structure& rows, const char* kernel) {
  std::vector<Forecast> one = models.best(rows, {kernel});
  return one.empty() ? std::nullopt : std::optional(std::move(one.front()));
}

TEST_F(Variants, AreKernelsOfAProfileThatKnowsTheirRelative) {
  EXPECT_EQ(forecast::kernels_of(device()),
            (std::vector<std::string>{"csr", "sell", "sell-8-1", "sell-16-1024", "sell-32-1024"}));
  Profile gpu = device();
  gpu.properties.kind = DeviceKind::cuda;
  EXPECT_EQ(forecast::kernels_of(gpu), (std::vector<std::string>{"csr", "sell"}));
}

TEST_F(Variants, TakeAboutAsLongAsTheirRelativeWhereTheyCountTheSame) {
  const forecast::ModelSet models("sparsecast", device(), {Precision::double_, 1});
  const Structure rows = test::constant_structure(8192, 16);
  const double sell = forecast_of(models, rows, "sell")->seconds;
  for (const char* variant : {"sell-8-1", "sell-16-1024", "sell-32-1024"}) {
    const auto forecast = forecast_of(models, rows, variant);
    ASSERT_TRUE(forecast) << variant;
    EXPECT_EQ(forecast->kernel, variant);
    EXPECT_NEAR(forecast->seconds / sell, 1, 0.05) << variant;
    EXPECT_GT(forecast->high_s / forecast->low_s,
              forecast_of(models, rows, "sell")->high_s / forecast_of(models, rows, "sell")->low_s)
        << "nobody has measured it";
  }
}

TEST_F(Variants, TakeLongerWhereTheyPadMore) {
  const forecast::ModelSet models("sparsecast", device(), {Precision::double_, 1});
  Structure rows = test::constant_structure(8192, 16);
  for (SliceWork& shape : rows.slices)
    if (shape.slice_rows == 32) shape.slots *= 2;
  EXPECT_GT(forecast_of(models, rows, "sell-32-1024")->seconds, 1.2 * forecast_of(models, rows, "sell")->seconds);
}

TEST_F(Variants, AreLeftOutWhereTheStructureDoesNotCountTheirSlices) {
  const forecast::ModelSet models("sparsecast", device(), {Precision::double_, 1});
  Structure rows = test::constant_structure(8192, 16);
  std::erase_if(rows.slices, [](const SliceWork& shape) { return shape.slice_rows == 16; });
  EXPECT_FALSE(forecast_of(models, rows, "sell-16-1024"));
  EXPECT_TRUE(forecast_of(models, rows, "sell-32-1024"));
}

TEST_F(Variants, AreNotWorthAForecastOfSmallMatrices) {
  const forecast::ModelSet models("sparsecast", device(), {Precision::double_, 1});
  EXPECT_FALSE(forecast_of(models, test::constant_structure(4096, 16), "sell-32-1024"));
  EXPECT_TRUE(forecast_of(models, test::constant_structure(4096, 16), "sell"));
}

}  // namespace
}  // namespace sparsecast
