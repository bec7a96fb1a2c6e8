// What ships has the part in a quick calibration's forecasts that its errors earned, and none elsewhere.

#include "forecast/shipped/shipped_beside.hpp"

#include <gtest/gtest.h>
#include <sparsecast_constants.hpp>

#include "calibration/shipped/shipped_processors.hpp"
#include "forecast/sparsecast_model.hpp"
#include "support/synthetic_profile.hpp"

namespace sparsecast::forecast {
namespace {
KernelFit fit_with(double held_back_error, std::initializer_list<double> shipped_errors) {
  KernelFit fit;
  fit.held_back_error = held_back_error;
  fit.shipped_errors = Eigen::VectorXd(static_cast<Eigen::Index>(shipped_errors.size()));
  std::copy(shipped_errors.begin(), shipped_errors.end(), fit.shipped_errors.begin());
  return fit;
}

// A host's profile in which so many matrices have a record of a kernel on one thread, and none of its conversion.
Profile calibrated_with(int matrices, const std::string& kernel = "csr") {
  Profile profile = test::empty_host_profile(1);
  for (int k = 0; k < matrices; ++k) {
    BenchmarkMatrix matrix;
    matrix.structure = test::constant_structure(1000 + k, 8);
    profile.matrices.push_back(std::move(matrix));
    Record record;
    record.matrix = k;
    record.kernel = kernel;
    record.threads = 1;
    record.seconds = 1e-5;
    profile.records.push_back(record);
  }
  return profile;
}
}  // namespace

TEST(WhatShipsBesides, HasOneLevelForAllKernelsAndTheWeightOfItsErrors) {
  const KernelFit csr = fit_with(0.1, {0.4, 0.5, 0.6}), coo = fit_with(0.3, {0.5, 0.5, 0.5}),
                  own_alone = fit_with(0.2, {}), worse = fit_with(0.1, {1.5, 1.5, 1.5});
  const auto weights = weigh_shipped({{"csr", &csr}, {"coo", &coo}, {"sell", &own_alone}, {"ell", &worse}});
  ASSERT_EQ(weights.size(), 3U);
  for (const auto& [kernel, one] : weights) EXPECT_DOUBLE_EQ(one.level, 0.5) << kernel;
  // Errors freed from the level add up to 0.2, 0 and 3; a fourth that was not seen is a half. The own fits': 0.1, 0.3,
  // 0.1.
  EXPECT_NEAR(weights.at("csr").weight, 0.01 / (0.01 + 0.175 * 0.175), 1e-12);
  EXPECT_NEAR(weights.at("coo").weight, 0.09 / (0.09 + 0.125 * 0.125), 1e-12);
  EXPECT_NEAR(weights.at("ell").weight, 0.01 / (0.01 + 0.875 * 0.875), 1e-12);
  EXPECT_NEAR(weights.at("csr").half_width, 0.5, 1e-12) << "three errors do not make sure, however small";
  EXPECT_NEAR(weights.at("ell").half_width, 1, 1e-12);
}

TEST(WhatShipsBesides, IsOfQuickCalibrationsOfTheHostInDouble) {
  const calibration::ShippedProcessor& ships = calibration::shipped_processors().front();
  ASSERT_TRUE(ships.fits.contains(1));
  const RecordSet one_thread(Precision::double_, 1);
  const Profile quick = calibrated_with(40);
  ASSERT_TRUE(ShippedBeside::of(quick, one_thread).has_value());
  EXPECT_NE(ShippedBeside::of(quick, one_thread)->fit("csr"), nullptr);
  EXPECT_EQ(ShippedBeside::of(quick, one_thread)->fit("no-such-kernel"), nullptr);
  EXPECT_FALSE(ShippedBeside::of(quick, {Precision::single_, 1}));
  EXPECT_FALSE(ShippedBeside::of(quick, {Precision::double_, 97})) << "nothing was measured with so many threads";
  EXPECT_FALSE(ShippedBeside::of(calibrated_with(static_cast<int>(constants::enough_without_shipped)), one_thread));
  Profile itself = quick;
  itself.taken = ships.taken;
  EXPECT_FALSE(ShippedBeside::of(itself, one_thread)) << "what ships has seen those matrices";
  Profile gpu = quick;
  gpu.properties.kind = DeviceKind::cuda;
  EXPECT_FALSE(ShippedBeside::of(gpu, one_thread));
}

// A calibration of seconds takes away nothing that was known before it.
TEST(WhatShipsBesides, TellsOfConversionsThatWereNotSeenHere) {
  const auto asked = [](int matrices) {
    const auto model = fit_sparsecast_model(calibrated_with(matrices, "ell"), {Precision::double_, 1});
    return model->forecast(test::constant_structure(5000, 8), "ell");
  };
  const auto quick = asked(40);
  ASSERT_TRUE(quick && quick->preprocess_s);
  EXPECT_LE(quick->preprocess_low_s, *quick->preprocess_s * std::exp(-constants::shipped_doubt));
  EXPECT_GE(quick->preprocess_high_s, *quick->preprocess_s * std::exp(constants::shipped_doubt));
  const auto alone = asked(static_cast<int>(constants::enough_without_shipped));
  EXPECT_FALSE(alone && alone->preprocess_s) << "nothing that ships is held beside it";
}
}  // namespace sparsecast::forecast
