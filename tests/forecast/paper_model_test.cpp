
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sparsecast/error.hpp>
#include <sparsecast/recommend.hpp>

#include "forecast/machines/described_model.hpp"
#include "forecast/machines/gpu_model.hpp"
#include "forecast/model_set.hpp"
#include "support/command.hpp"
#include "support/synthetic_profile.hpp"

namespace sparsecast {
namespace {

using test::add_grid;
using test::constant_structure;
using test::empty_host_profile;

double csr_time(double strips, double row_length) { return (2e-6 + 1e-8 * row_length) * (0.2 + strips); }
double ell_time(double strips, double row_length) { return (1e-9 + 2e-8 * strips) * row_length + 1e-6 * strips; }

// Guo's COO grid grows with the non-zeros alone.
double coo_time(double strips, double row_length) { return 1e-6 + 2e-6 * strips * row_length; }

Profile full_profile() {
  Profile profile = empty_host_profile(2);
  add_grid(profile, "constant", "csr", 2, csr_time);
  add_grid(profile, "constant", "ell", 2, ell_time);
  add_grid(profile, "constant", "coo", 2, coo_time);
  add_grid(profile, "normal", "csr", 2, [](double i, double p) { return 1.5 * csr_time(i, p); });
  return profile;
}

TEST(PaperModel, ForecastsExactlyOnItsOwnForm) {
  const Profile profile = full_profile();
  const auto guo = fit_model("guo", profile, {Precision::double_, 2});
  const Structure target = constant_structure(2048 * 100, 48);
  const auto csr = guo->forecast(target, "csr");
  ASSERT_TRUE(csr);
  EXPECT_NEAR(csr->seconds, csr_time(100, 48), 1e-9);
  EXPECT_TRUE(csr->extrapolated) << "a hundred strips are beyond the ten of the grid";
  const auto ell = guo->forecast(constant_structure(2048 * 7, 100), "ell");
  ASSERT_TRUE(ell);
  EXPECT_NEAR(ell->seconds, ell_time(7, 100), 1e-12);
  EXPECT_FALSE(ell->extrapolated);
  const auto coo = guo->forecast(target, "coo");
  ASSERT_TRUE(coo);
  EXPECT_NEAR(coo->seconds, 1e-6 + 2e-6 * 100 * 48, 1e-9);
}

TEST(PaperModel, TakesTheModeForCsrAndTheMaximumForEll) {
  const auto guo = fit_model("guo", full_profile(), {Precision::double_, 2});
  Structure target = constant_structure(2048 * 4, 20);
  target.row_max = 200;
  EXPECT_NEAR(guo->forecast(target, "csr")->seconds, csr_time(4, 20), 1e-10);
  EXPECT_NEAR(guo->forecast(target, "ell")->seconds, ell_time(4, 200), 1e-10);
}

TEST(PaperModel, PartOfAStripCountsAsOne) {
  const auto guo = fit_model("guo", full_profile(), {Precision::double_, 2});
  EXPECT_NEAR(guo->forecast(constant_structure(2048 * 3 + 1, 20), "csr")->seconds, csr_time(4, 20), 1e-10);
}

TEST(PaperModel, HybIsEllOfTheWidthPlusCooOfTheOverflow) {
  const auto guo = fit_model("guo", full_profile(), {Precision::double_, 2});
  Structure target = constant_structure(2048 * 8, 12);
  target.row_histogram = {{12, 2048 * 8 - 100}, {500, 100}};
  target.nonzeros = 12 * (2048 * 8 - 100) + 500 * 100;
  target.row_max = 500;
  const HybSplit split = hyb_split(target);
  ASSERT_EQ(split.width, 12);
  ASSERT_EQ(split.overflow, 100 * 488);
  const auto hyb = guo->forecast(target, "hyb");
  ASSERT_TRUE(hyb);
  EXPECT_NEAR(hyb->seconds, ell_time(8, 12) + 1e-6 + 2e-6 * std::ceil(48800 / 2048.0), 1e-9);
  EXPECT_EQ(hyb->parts.size(), 2U);
}

TEST(PaperModel, HybWithoutOverflowIsEllAlone) {
  const auto guo = fit_model("guo", full_profile(), {Precision::double_, 2});
  const Structure target = constant_structure(2048 * 8, 12);
  EXPECT_NEAR(guo->forecast(target, "hyb")->seconds, ell_time(8, 12), 1e-12);
}

TEST(PaperModel, ARecordTellsNoModeAndNoSplit) {
  const auto guo = fit_model("guo", full_profile(), {Precision::double_, 2});
  Structure record = constant_structure(2048 * 4, 20);
  record.row_histogram.clear();
  record.row_quartiles = {10, 16, 30};
  EXPECT_NEAR(guo->forecast(record, "csr")->seconds, csr_time(4, 16), 1e-10) << "the median stands for the mode";
  EXPECT_FALSE(guo->forecast(record, "hyb"));
}

TEST(PaperModel, WangIsFittedOnItsOwnMatricesAndHasNoCoo) {
  const auto wang = fit_model("wang-normal", full_profile(), {Precision::double_, 2});
  EXPECT_NEAR(wang->forecast(constant_structure(2048 * 5, 48), "csr")->seconds, 1.5 * csr_time(5, 48), 1e-9);
  EXPECT_FALSE(wang->forecast(constant_structure(2048 * 5, 48), "coo"));
  EXPECT_FALSE(wang->forecast(constant_structure(2048 * 5, 48), "ell")) << "no normal records of ELL";
}

TEST(PaperModel, AFormulaFasterThanTheMemoryWasEverReadIsToldAndMarked) {
  Profile profile = full_profile();
  profile.curves.push_back({"read_bandwidth", 2, {8192}, {1e9}});
  const auto guo = fit_model("guo", profile, {Precision::double_, 2});
  const auto fast = guo->forecast(constant_structure(2048 * 10, 4), "csr");
  ASSERT_LT(csr_time(10, 4), static_cast<double>(fast->bytes.value()) / 1e9);
  EXPECT_NEAR(fast->seconds, csr_time(10, 4), 1e-10);
  EXPECT_TRUE(fast->extrapolated);
  EXPECT_EQ(fast->beyond, Beyond::bandwidth);
}

TEST(PaperModel, SaysWhereItsFormulaDoesNotReach) {
  const auto guo = fit_model("guo", full_profile(), {Precision::double_, 2});
  const auto beyond = [&](std::int64_t rows, std::int64_t length, const char* kernel) {
    const auto forecast = guo->forecast(constant_structure(rows, length), kernel);
    EXPECT_EQ(forecast->extrapolated, forecast->beyond.has_value());
    return forecast->beyond;
  };
  EXPECT_EQ(beyond(2048 * 10, 2048, "csr"), std::nullopt) << "the farthest corner of the grid";
  EXPECT_EQ(beyond(2048 * 10 + 1, 48, "csr"), Beyond::grid) << "an eleventh strip";
  EXPECT_EQ(beyond(2048 * 10, 2049, "ell"), Beyond::grid);
  EXPECT_EQ(beyond(2048 * 10, 3, "csr"), Beyond::grid);
}

// Lines through these times are below zero for one strip of short rows.
TEST(PaperModel, AForecastBelowALaunchIsALaunchAndAMark) {
  Profile profile = full_profile();
  add_grid(profile, "constant", "jad", 2,
           [](double strips, double length) { return 1e-6 * std::max(5.0, (strips - 2.5) * (length - 6)); });
  profile.curves.push_back({"launch", 2, {2}, {3e-6}});
  const auto guo = fit_model("guo", profile, {Precision::double_, 2});
  const auto lifted = guo->forecast(constant_structure(300, 20), "jad");
  ASSERT_TRUE(lifted);
  EXPECT_DOUBLE_EQ(lifted->seconds, 3e-6);
  EXPECT_EQ(lifted->beyond, Beyond::launch);
  EXPECT_TRUE(lifted->extrapolated);
  EXPECT_TRUE(lifted->parts.empty()) << "a launch is no sum of the formula's parts";
  EXPECT_LE(lifted->low_s, lifted->seconds);
  EXPECT_GE(lifted->high_s, 4 * lifted->seconds) << "next to nothing is known";
  const forecast::ModelSet models("guo", profile, {Precision::double_, 2});
  const std::vector<Forecast> all = models.best(constant_structure(2048, 20), {"csr", "jad"});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all.front().kernel, "csr") << "known, if slower";
}

// Of a matrix that was made for a kernel with half as many rows a strip.
TEST(PaperModel, CountsStripsOfTheKernelItself) {
  Profile profile = full_profile();
  for (BenchmarkMatrix& matrix : profile.matrices) matrix.spec.strips *= 2;
  const auto guo = fit_model("guo", profile, {Precision::double_, 2});
  const auto csr = guo->forecast(constant_structure(2048 * 3, 20), "csr");
  EXPECT_NEAR(csr->seconds, csr_time(3, 20), 1e-10);
  EXPECT_FALSE(csr->extrapolated);
}

TEST(PaperModel, RowsWhoseLineWasNeverMeasuredAreMarkedAsThat) {
  Profile profile = full_profile();
  std::erase_if(profile.records, [&](const Record& record) {
    return profile.matrices[static_cast<std::size_t>(record.matrix)].spec.row_length > 1024;
  });
  const auto wang = fit_model("wang-normal", profile, {Precision::double_, 2});
  EXPECT_EQ(wang->forecast(constant_structure(2048 * 3, 1500), "csr")->beyond, Beyond::never_measured);
  EXPECT_EQ(wang->forecast(constant_structure(2048 * 3, 1000), "csr")->beyond, std::nullopt);
}

// Table 3 of Guo, Wang & Chen (2014): the strips of their 22 matrices on a C2050, which counts 672 rows a strip. The
// numbers of rows are those of the University of Florida's collection.
TEST(PaperModel, CountsTheStripsOfThePapersTable3) {
  struct Row {
    const char* matrix;
    std::int64_t rows, strips;
  };
  constexpr Row table[]{{"linverse", 11'999, 18},
                        {"ex11", 16'614, 25},
                        {"neos", 479'119, 713},
                        {"finan512", 74'752, 112},
                        {"nasasrb", 54'870, 82},
                        {"hcircuit", 105'676, 158},
                        {"OPF_6000", 29'902, 45},
                        {"OPF_10000", 43'887, 66},
                        {"Dense", 2'000, 3},
                        {"Protein", 36'417, 55},
                        {"FEM/Spheres", 83'334, 125},
                        {"FEM/Cantilever", 62'451, 93},
                        {"FEM/Harbor", 46'835, 70},
                        {"QCD", 49'152, 74},
                        {"FEM/Ship", 140'874, 210},
                        {"Epidemiology", 525'825, 783},
                        {"Wind Tunnel", 217'918, 325},
                        {"Economics", 206'500, 308},
                        {"FEM/Accelerator", 121'192, 181},
                        {"Circuit", 170'998, 255},
                        {"Webbase", 1'000'005, 1489},
                        {"LP", 4'284, 7}};
  Profile profile = test::empty_gpu_profile();
  ASSERT_EQ(profile.properties.strip("csr-vector"), 672);
  add_grid(profile, "constant", "csr-vector", 0, csr_time);
  const auto guo = fit_model("guo", profile, {Precision::double_, 0});
  for (const Row& row : table) {
    const double expected = csr_time(static_cast<double>(row.strips), 16);
    EXPECT_NEAR(guo->forecast(constant_structure(row.rows, 16), "csr-vector")->seconds, expected, 1e-9 * expected)
        << row.matrix;
  }
}

// What holds of every model, kernel and device, here of matrices of next to nothing.
TEST(Models, HaveNoForecastBelowALaunch) {
  const test::TemporaryFolder home;
  setenv("SPARSECAST_HOME", home.path().c_str(), 1);
  Profile host = full_profile(), gpu = test::empty_gpu_profile();
  for (const char* kind : {"normal", "uniform"}) {
    add_grid(host, kind, "ell", 2, [](double i, double p) { return std::max(9e-6, 1e-6 * (i - 3) * (p - 9)); });
    for (const char* kernel : {"csr-vector", "ell"}) add_grid(gpu, kind, kernel, 0, csr_time);
  }
  add_grid(gpu, "constant", "coo", 0, coo_time);
  for (const char* kernel : {"csr-vector", "csr-half", "ell"})
    add_grid(gpu, "constant", kernel, 0, [](double i, double p) { return std::max(9e-6, 1e-6 * (i - 3) * (p - 9)); });
  // All records take longer than this, so that it is what bounds.
  host.curves.push_back({"launch", 2, {2}, {1e-6}});
  gpu.curves.push_back({"launch", 0, {1}, {1e-6}});
  struct Device {
    Profile profile;
    int threads;
    double launch_s;
  };
  std::vector<Device> devices{{host, 2, 1e-6}, {gpu, 0, 1e-6}};
  for (const char* name : {"nvidia-h100", "nvidia-t4", "amd-mi250"}) {
    Profile described;
    described.name = name;
    described.properties = describe_device(name);
    described.tier = Tier::data_sheet;
    devices.push_back({described, 0, described.properties.launch_s});
  }
  int asked = 0;
  const auto ask = [&](const Device& device, const std::string& model) {
    const forecast::ModelSet models(model, device.profile, {Precision::double_, device.threads});
    for (const std::int64_t rows : {9, 300, 5000}) {
      for (const std::int64_t length : {1, 20}) {
        for (const Forecast& one :
             models.all(constant_structure(rows, length), forecast::kernels_of(device.profile, model))) {
          // Of a described GPU that device's tables, or the least of all, may tell of a shorter start than its
          // description.
          const double seen = device.profile.is_measured() ? 0
                                                           : forecast::GpuModel::current().least_start(
                                                                 one.kernel, device.profile.properties.name);
          const double least = seen > 0 ? std::min(seen, device.launch_s) : device.launch_s;
          EXPECT_GE(one.seconds, least) << device.profile.name << ' ' << model << ' ' << one.kernel;
          ++asked;
        }
      }
    }
  };
  for (const Device& device : devices) {
    ASSERT_GT(device.launch_s, 0) << device.profile.name;
    const bool measured = device.profile.is_measured();
    for (const std::string& model : model_names())
      if (measured || forecast::counts_alone(model, device.profile)) ask(device, model);
    if (!measured) ask(device, std::string(forecast::described_model_name));
  }
  EXPECT_GE(asked, 100);
  unsetenv("SPARSECAST_HOME");
}

TEST(PaperModel, OtherPrecisionAndThreadsAreOtherRecords) {
  const auto guo = fit_model("guo", full_profile(), {Precision::double_, 1});
  EXPECT_FALSE(guo->forecast(constant_structure(2048, 4), "csr"));
}

TEST(ModelSet, SaysWhatToCalibrateWhereThereAreNoRecords) {
  try {
    forecast::ModelSet("guo", full_profile(), {Precision::single_, 2});
    FAIL() << "no records in single precision";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::failed);
    const std::string told = error.message(Voice::command_line);
    EXPECT_NE(told.find("--precision single --threads 2"), std::string::npos) << told;
  }
}

// A calibration that was interrupted has matrices of some kinds alone.
TEST(ModelSet, SaysThatAPapersModelLacksItsMatrices) {
  Profile profile = test::empty_gpu_profile();
  test::add_grid(profile, "normal", "csr-vector", 0,
                 [](double strips, double length) { return 1e-6 * strips * length; });
  EXPECT_NO_THROW(forecast::ModelSet("wang-normal", profile, {}));
  try {
    forecast::ModelSet("guo", profile, {});
    FAIL() << "none of its matrices was measured";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::failed);
    const std::string said = error.message(Voice::command_line);
    EXPECT_NE(said.find("model guo"), std::string::npos) << said;
    EXPECT_NE(said.find("--papers"), std::string::npos) << said;
  }
}

TEST(ModelSet, BestTakesTheFirstModelOfTheTableThatHasAForm) {
  Profile profile = empty_host_profile(2);
  add_grid(profile, "constant", "csr", 2, csr_time);
  const forecast::ModelSet models("best", profile, {Precision::double_, 2});
  const auto forecasts = models.best(constant_structure(2048 * 5, 48), {"csr", "jad"});
  ASSERT_EQ(forecasts.size(), 1U) << "there are no records of jad";
  EXPECT_EQ(forecasts[0].model, model_names()[0]);
}

TEST(ModelSet, UnknownModelNamesTheKnownOnes) {
  EXPECT_THROW(forecast::ModelSet("gauss", full_profile(), {Precision::double_, 2}), Error);
}

Forecast forecast_of(const char* kernel, double seconds, std::optional<double> preprocess_s) {
  Forecast forecast;
  forecast.kernel = kernel;
  forecast.seconds = seconds;
  forecast.preprocess_s = preprocess_s;
  return forecast;
}

TEST(Recommend, CountsTheConversionForFewIterations) {
  const Forecast csr = forecast_of("csr", 2e-3, 0), ell = forecast_of("ell", 1e-3, 0.1);
  EXPECT_EQ(recommend({ell, csr}, 0).kernel, "ell");
  EXPECT_EQ(recommend({ell, csr}, 50).kernel, "csr");
  EXPECT_EQ(recommend({ell, csr}, 200).kernel, "ell");
  EXPECT_TRUE(recommend({}, 0).kernel.empty());
}

TEST(Recommend, AConversionThatIsNotKnownComesLast) {
  Forecast csr = forecast_of("csr", 2e-3, 0), ell = forecast_of("ell", 1e-3, {});
  EXPECT_FALSE(total_seconds(ell, 200));
  EXPECT_DOUBLE_EQ(total_seconds(csr, 200).value(), 0.4);
  EXPECT_EQ(recommend({ell, csr}, 200).kernel, "csr");
  csr.preprocess_s.reset();
  const Recommendation by_product = recommend({ell, csr}, 200);
  EXPECT_EQ(by_product.kernel, "ell") << "nothing else to go by";
  EXPECT_NE(by_product.reason.find("not known"), std::string::npos);
}

TEST(Recommend, TakesNothingThatNoFormulaReaches) {
  Forecast csr = forecast_of("csr", 2e-3, 0), ell = forecast_of("ell", 1e-3, 0.1);
  ell.beyond = Beyond::grid;
  const Recommendation known = recommend({ell, csr}, 0);
  EXPECT_EQ(known.kernel, "csr");
  EXPECT_TRUE(known.ties.empty());
  EXPECT_EQ(known.reason.find("ell"), std::string::npos) << known.reason;
  csr.beyond = Beyond::launch;
  const Recommendation none = recommend({ell, csr}, 200);
  EXPECT_TRUE(none.kernel.empty());
  EXPECT_EQ(none.seconds, 0);
  for (const char* part : {"extrapolated", "outside the measured range", "less than the time to start a product"})
    EXPECT_NE(none.reason.find(part), std::string::npos) << none.reason;
}

TEST(Recommend, NamesNearTies) {
  Forecast csr, sell;
  csr.kernel = "csr";
  csr.seconds = 1.01e-3;
  sell.kernel = "sell";
  sell.seconds = 1e-3;
  EXPECT_NE(recommend({sell, csr}, 0).reason.find("csr"), std::string::npos);
  csr.seconds = 1.2e-3;
  EXPECT_EQ(recommend({sell, csr}, 0).reason.find("csr"), std::string::npos) << "20 % slower is no tie";
  sell.high_s = 1.3e-3;
  EXPECT_NE(recommend({sell, csr}, 0).reason.find("csr"), std::string::npos) << "unless the interval reaches so far";
}

TEST(Recommend, SaysWhenAConversionHasPaidForItself) {
  const Forecast csr = forecast_of("csr", 2e-3, 0), ell = forecast_of("ell", 1e-3, 0.1);
  EXPECT_NE(recommend({ell, csr}, 200).reason.find("pays from 100 products on"), std::string::npos);
  EXPECT_NE(recommend({ell, csr}, 50).reason.find("ell would pay from 100 products on"), std::string::npos);
}

}  // namespace
}  // namespace sparsecast
