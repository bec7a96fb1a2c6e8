// Forecasts in single precision: from records in double where there are no others.

#include "forecast/record_choice.hpp"

#include <gtest/gtest.h>

#include <sparsecast/error.hpp>

#include "forecast/model_set.hpp"
#include "support/command.hpp"
#include "support/synthetic_profile.hpp"

namespace sparsecast {
namespace {

const FitOptions in_double{Precision::double_, 1}, in_single{Precision::single_, 1};

double time_in_double(double strips, double length) { return 1e-6 + strips * 1024 * (2e-9 + 1e-9 * length); }

Profile device() {
  Profile profile = test::empty_host_profile(1);
  test::add_grid(profile, "constant", "csr", 1, time_in_double);
  return profile;
}

// The same with records in single precision too, which take 0.7 of the time.
Profile device_with_both() {
  Profile profile = device();
  const std::vector<Record> records = profile.records;
  for (Record record : records) {
    record.precision = Precision::single_;
    record.seconds *= 0.7;
    profile.records.push_back(record);
  }
  return profile;
}

class SinglePrecision : public testing::Test {
 protected:
  void SetUp() override { setenv("SPARSECAST_HOME", home_.path().c_str(), 1); }
  void TearDown() override { unsetenv("SPARSECAST_HOME"); }
  static Forecast forecast(const Profile& profile, const FitOptions& options) {
    return *fit_model("sparsecast", profile, options)->forecast(test::constant_structure(5000, 30), "csr");
  }
  test::TemporaryFolder home_;
};

TEST_F(SinglePrecision, RestsOnRecordsInDoubleWhereThereAreNoOthers) {
  EXPECT_EQ(forecast::records_for(device(), in_single).precision, Precision::double_);
  EXPECT_EQ(forecast::records_for(device_with_both(), in_single).precision, Precision::single_);
  EXPECT_TRUE(forecast::has_records(device(), in_single));
  EXPECT_FALSE(forecast::has_records(device(), {Precision::single_, 2})) << "of other threads";
  Profile only_single = device_with_both();
  std::erase_if(only_single.records, [](const Record& r) { return r.precision == Precision::double_; });
  EXPECT_FALSE(forecast::has_records(only_single, in_double)) << "the other way round nothing is reckoned";
}

TEST_F(SinglePrecision, HasItsOwnBytesAndAWiderInterval) {
  const Forecast of_double = forecast(device(), in_double), of_single = forecast(device(), in_single);
  EXPECT_EQ(of_double.bytes, 150'000 * 12 + 5001 * 4);
  EXPECT_EQ(of_single.bytes, 150'000 * 8 + 5001 * 4);
  EXPECT_EQ(of_double.records_precision, Precision::double_);
  EXPECT_EQ(of_single.records_precision, Precision::double_);
  EXPECT_LE(of_single.seconds, of_double.seconds);
  EXPECT_GT(of_single.seconds, of_double.seconds / 2) << "indices and rows stay as they are";
  EXPECT_GT(of_single.high_s / of_single.low_s, 1.1 * of_double.high_s / of_double.low_s);
}

TEST_F(SinglePrecision, RecordsOfItsOwnMakeItAsGood) {
  const Forecast of_double = forecast(device_with_both(), in_double), own = forecast(device_with_both(), in_single);
  EXPECT_EQ(own.records_precision, Precision::single_);
  EXPECT_NEAR(own.seconds / of_double.seconds, 0.7, 0.05);
  // In double what ships has a part in a calibration of few matrices, in its interval too.
  EXPECT_NEAR((own.high_s / own.low_s) / (of_double.high_s / of_double.low_s), 1, 0.25);
}

// Feature records of a GPU: fewer bytes for every entry and for x.
TEST_F(SinglePrecision, OfAnImportedTableIsFasterThanDouble) {
  Profile profile = device();
  profile.properties.kind = DeviceKind::cuda;
  for (Record& record : profile.records) record.threads = 0;
  const Forecast of_double = forecast(profile, {Precision::double_, 0});
  const Forecast of_single = forecast(profile, {Precision::single_, 0});
  EXPECT_LT(of_single.seconds, of_double.seconds);
  EXPECT_GT(of_single.seconds, of_double.seconds / 2);
  EXPECT_GT(of_single.high_s / of_single.low_s, of_double.high_s / of_double.low_s);
}

TEST_F(SinglePrecision, ThePapersModelsNeedRecordsOfTheirOwn) {
  EXPECT_THROW(forecast::ModelSet("guo", device(), in_single), Error);
  EXPECT_NO_THROW(forecast::ModelSet("guo", device_with_both(), in_single));
  const forecast::ModelSet best("best", device(), in_single);
  const std::vector<Forecast> forecasts = best.best(test::constant_structure(5000, 30), {"csr"});
  ASSERT_EQ(forecasts.size(), 1U);
  EXPECT_EQ(forecasts[0].model, "sparsecast");
}

TEST(FarBehind, IsTenTimesTheBest) {
  const auto of = [](const char* kernel, double seconds) {
    Forecast forecast;
    forecast.kernel = kernel;
    forecast.seconds = seconds;
    return forecast;
  };
  EXPECT_TRUE(forecast::far_behind({}).empty());
  const auto behind = forecast::far_behind({of("csr", 1e-5), of("sell", 9e-5), of("hyb", 1.01e-4), of("ell", 7e-3)});
  ASSERT_EQ(behind.size(), 2U);
  EXPECT_EQ(behind[0].kernel, "hyb");
  EXPECT_EQ(behind[1].kernel, "ell");
}

}  // namespace
}  // namespace sparsecast
