// Observed products: a known pattern is planned from what was measured, without a profile or a model; what a family's
// members took moves the forecasts of another one, and of no stranger; files of other programs are left alone.

#include "planning/choice/observed_products.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdlib>
#include <sparsecast/answers.hpp>
#include <sparsecast/generate.hpp>

#include "calibration/measurement.hpp"
#include "planning/run/plan_runner.hpp"
#include "support/command.hpp"

namespace sparsecast::planning {
namespace {
Matrix grid(int size) { return generate({.kind = "poisson2d", .parameters = {.size = size}}); }

calibration::Measurement measurement(const std::string& kernel, double seconds, double conversion_s) {
  calibration::Measurement one;
  one.kernel = kernel;
  one.timing.seconds = seconds;
  one.timing.spread = 0.01;
  one.preprocess_s = conversion_s;
  return one;
}

Forecast forecast(const std::string& kernel, double seconds) {
  Forecast one;
  one.model = "sparsecast";
  one.kernel = kernel;
  one.seconds = seconds;
  one.low_s = seconds / 1.4;
  one.high_s = seconds * 1.4;
  one.tier = Tier::measured;
  return one;
}
}  // namespace

class ProductsObserved : public ::testing::Test {
 protected:
  ProductsObserved() {
    setenv("SPARSECAST_HOME", home_.path().c_str(), 1);
    profile_.records.push_back({.kernel = "csr", .threads = 1, .seconds = 1, .taken = "2001-01-01T00:00:00Z"});
  }
  ~ProductsObserved() override { unsetenv("SPARSECAST_HOME"); }

  // One thread of the host, as this profile's models forecast it.
  ObservedProducts observed(const Matrix& matrix, int threads = 1) {
    ObservedProducts one(matrix, "host", {}, threads, {});
    one.look_around(analyze(matrix), profile_, {.threads = threads}, {});
    return one;
  }
  void measured_slower_than_forecast(int size) {
    observed(grid(size)).keep({measurement("csr", 1.3e-5, 0)}, true, {forecast("csr", 1e-5)}, {});
  }

  test::TemporaryFolder home_;
  Profile profile_;
};

TEST_F(ProductsObserved, AKnownPatternIsPlannedWithoutAProfileOrAModel) {
  const Matrix matrix = grid(20);
  EXPECT_FALSE(ObservedProducts(matrix, "host", {}, 1, {}).known_plan({}, true));
  const std::vector<calibration::Measurement> measured{measurement("csr", 3e-6, 0), measurement("sell", 2e-6, 1e-4)};
  ObservedProducts(matrix, "host", {}, 1, {}).keep(measured, true, {}, {});
  const std::optional<Strategy> known = ObservedProducts(grid(20), "host", {}, 1, {}).known_plan({}, true);
  ASSERT_TRUE(known);
  ASSERT_EQ(known->blocks.size(), 1U);
  EXPECT_EQ(known->blocks[0].kernel, "sell");
  EXPECT_EQ(known->blocks[0].last_row, matrix.rows() - 1);
  EXPECT_EQ(known->predicted_s, 2e-6);
  EXPECT_EQ(known->singles.size(), 2U);
  EXPECT_TRUE(known->trials && known->trials->tried.empty());
  EXPECT_EQ(known->reason, "measured here today");

  const std::optional<Strategy> once = ObservedProducts(matrix, "host", {}, 1, {}).known_plan({.iterations = 1}, false);
  ASSERT_TRUE(once);
  EXPECT_EQ(once->blocks[0].kernel, "csr") << "the conversion does not pay";
  EXPECT_FALSE(once->trials);
  EXPECT_FALSE(ObservedProducts(matrix, "host", {}, 2, {}).known_plan({}, true)) << "of another number of threads";
  EXPECT_FALSE(ObservedProducts(matrix, "host", {.transposed = true}, 1, {}).known_plan({}, true));
  EXPECT_FALSE(ObservedProducts(matrix, "host", {}, 1, {}).known_plan({.reorder = Reorder::always}, true));
  EXPECT_FALSE(ObservedProducts(grid(21), "host", {}, 1, {}).known_plan({}, true));
}

TEST_F(ProductsObserved, WhatDidNotComeToItsEndIsPlannedAnew) {
  const Matrix matrix = grid(20);
  ObservedProducts(matrix, "host", {}, 1, {}).keep({measurement("csr", 3e-6, 0)}, false, {}, {});
  EXPECT_FALSE(ObservedProducts(matrix, "host", {}, 1, {}).empty());
  EXPECT_FALSE(ObservedProducts(matrix, "host", {}, 1, {}).known_plan({}, true));
}

// Those that were tried took a thousand times as long as their forecasts: others had the cores.
TEST_F(ProductsObserved, DisturbedTrialsAreNoEnd) {
  const Matrix matrix = grid(20);
  TrialReport disturbed{.left_to_win = 0.99};
  disturbed.tried = {{.kernel = "sell", .seconds = 16e-3, .spread = 0.4}};
  const auto keep = [&] { ObservedProducts(matrix, "host", {}, 1, {}).keep(disturbed, {}); };
  const auto csr_after = [&] {
    std::vector<Forecast> forecasts{forecast("sell", 3e-5), forecast("csr", 8e-5)};
    ObservedProducts(matrix, "host", {}, 1, {}).apply(forecasts);
    return std::ranges::find(forecasts, "csr", &Forecast::kernel)->seconds;
  };
  keep();
  EXPECT_FALSE(ObservedProducts(matrix, "host", {}, 1, {}).known_plan({}, true)) << "--trials tries again";
  EXPECT_EQ(csr_after(), 8e-5) << "which nobody measured";
  disturbed.left_to_win = 0.1;
  keep();
  EXPECT_TRUE(ObservedProducts(matrix, "host", {}, 1, {}).known_plan({}, true));
  EXPECT_EQ(csr_after(), 16e-3) << "what was not tried is no faster";
}

// A file from elsewhere may name what this program does not have.
TEST_F(ProductsObserved, AKernelThatNobodyHasIsNotPlanned) {
  const Matrix matrix = grid(20);
  ObservedProducts(matrix, "host", {}, 1, {})
      .keep({measurement("foo", 1e-6, 0), measurement("csr+foo", 1e-6, 0), measurement("csr", 3e-6, 0)}, true, {}, {});
  const std::optional<Strategy> known = ObservedProducts(matrix, "host", {}, 1, {}).known_plan({}, true);
  ASSERT_TRUE(known);
  EXPECT_EQ(known->blocks[0].kernel, "csr");
  EXPECT_EQ(known->singles.size(), 1U);
}

TEST_F(ProductsObserved, AFormForSymmetricValuesIsNotThatOfOthersWithTheSamePattern) {
  const Matrix matrix = grid(20);
  const std::vector<calibration::Measurement> measured{measurement("csr", 3e-6, 0), measurement("csr-sym", 1e-6, 0)};
  ObservedProducts(matrix, "host", {}, 1, {}).keep(measured, true, {}, {});
  EXPECT_EQ(ObservedProducts(matrix, "host", {}, 1, {}).known_plan({}, true)->blocks[0].kernel, "csr-sym");
  const Matrix other = matrix.visit([](const auto& of) {
    using Spans = std::decay_t<decltype(of)>;
    Csr<typename Spans::Offset, typename Spans::Index> csr;
    csr.rows = of.rows;
    csr.cols = of.cols;
    csr.row_pointers.assign(of.row_pointers.begin(), of.row_pointers.end());
    csr.column_indices.assign(of.column_indices.begin(), of.column_indices.end());
    csr.values.assign(of.values.begin(), of.values.end());
    csr.values[1] += 1;  // beside the diagonal
    return Matrix(std::move(csr), "other values");
  });
  EXPECT_EQ(ObservedProducts(other, "host", {}, 1, {}).known_plan({}, true)->blocks[0].kernel, "csr")
      << "csr-sym would multiply it as csr does, and not in that time";
}

TEST_F(ProductsObserved, AFamilyMovesForecastsAndKeepsThemOutOfItsOwnWay) {
  for (const int size : {60, 61, 62, 63}) measured_slower_than_forecast(size);
  std::vector<Forecast> forecasts{forecast("csr", 1e-5), forecast("coo", 1.2e-5)};
  const ObservedProducts alike = observed(grid(64));
  alike.apply(forecasts);
  EXPECT_EQ(forecasts[0].kernel, "coo") << "nothing is known of it, and it is the faster one now";
  EXPECT_EQ(forecasts[0].seconds, 1.2e-5);
  EXPECT_FALSE(forecasts[0].moved);
  EXPECT_GT(forecasts[1].seconds, 1.25e-5);
  EXPECT_LT(forecasts[1].seconds, 1.3e-5);
  EXPECT_NEAR(forecasts[1].moved.value_or(0), forecasts[1].seconds / 1e-5, 1e-12);
  EXPECT_LT(forecasts[1].high_s / forecasts[1].low_s, 1.4 * 1.4);
  EXPECT_EQ(forecasts[1].tier, Tier::measured);
  EXPECT_EQ(alike.neighbours(),
            "4 similar patterns (poisson2d-63, poisson2d-62, poisson2d-61, …), measured here today");
  // What was measured of the pattern itself counts more than what its family took.
  forecasts = {forecast("csr", 1e-5)};
  observed(grid(60)).apply(forecasts);
  EXPECT_EQ(forecasts[0].seconds, 1.3e-5);
  EXPECT_EQ(forecasts[0].tier, Tier::observed);
  EXPECT_FALSE(forecasts[0].moved);
}

TEST_F(ProductsObserved, WhatIsKeptIsTheModelsForecastAndNotTheMovedOne) {
  for (const int size : {60, 61, 62, 63, 64}) measured_slower_than_forecast(size);
  for (const ObservedProduct& one : observations().observations) {
    EXPECT_EQ(one.forecast_s, 1e-5);
    EXPECT_FALSE(one.features.empty());
  }
}

TEST_F(ProductsObserved, StrangersOthersTasksAndANewCalibrationLeaveForecastsAsTheyAre) {
  for (const int size : {60, 61, 62, 63}) measured_slower_than_forecast(size);
  const auto stays = [&](const ObservedProducts& one) {
    std::vector<Forecast> forecasts{forecast("csr", 1e-5)};
    one.apply(forecasts);
    return forecasts[0].seconds == 1e-5 && forecasts[0].high_s == 1.4e-5 && !forecasts[0].moved;
  };
  EXPECT_FALSE(stays(observed(grid(64))));
  EXPECT_TRUE(stays(ObservedProducts()));
  EXPECT_TRUE(stays(observed(grid(64), 2)));
  EXPECT_TRUE(stays(observed(generate({.kind = "powerlaw", .row_length = 5, .rows = 3700, .cols = 3700}))));
  profile_.records[0].taken = "2999-01-01T00:00:00Z";
  EXPECT_TRUE(stays(observed(grid(64)))) << "those models know better than the ones whose errors were seen";
}

TEST_F(ProductsObserved, AFileOfAnotherProgramIsToldOfAndLeftAlone) {
  for (const auto& [version, said] :
       std::map<int, std::string>{{1, "was written by an older version: move it away, and a new one is created"},
                                  {99, "was written by a newer version"}}) {
    const test::TemporaryFolder home;
    setenv("SPARSECAST_HOME", home.path().c_str(), 1);
    const std::string file = home.path() / "observations.sqlite";
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
    const std::string sql = fmt::format("CREATE TABLE products (machine TEXT); PRAGMA user_version = {}", version);
    ASSERT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
    const std::string before = test::read_text(file);
    std::string told;
    (void)observations({.listener = {.warning = [&](std::string_view line) { told += line; }}});
    EXPECT_EQ(told, fmt::format("measurements are not remembered: {} {}", file, said));
    measured_slower_than_forecast(13);
    EXPECT_EQ(test::read_text(file), before);
  }
}

TEST_F(ProductsObserved, WhatIsWrongWithTheFileIsToldOnce) {
  const auto garbage = home_.write("observations.sqlite", std::string(5000, 'x'));
  int told = 0;
  const Listener listener{.remark = [&](std::string_view) { ++told; }};
  ObservedProducts::prepare("host", listener);
  ObservedProducts one(grid(20), "host", {}, 1, listener);
  one.look_around(analyze(grid(20)), profile_, {.threads = 1}, listener);
  one.keep({measurement("csr", 3e-6, 0)}, true, {}, listener);
  EXPECT_EQ(told, 1);
}

// A fingerprint that came out otherwise would forget every pattern that was measured.
TEST(Fingerprints, AreWhatTheyWere) { EXPECT_EQ(pattern_checksum(grid(10)), "21d28e2313bdd73ccf31ea178602cdc8"); }
}  // namespace sparsecast::planning
