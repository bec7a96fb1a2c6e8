// Memory: a known pattern is planned from what was measured, without a profile or a model; what a family's members took
// moves the forecasts of another one, and of no stranger; files of older programs are read on.

#include "answers/memory.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdlib>
#include <sparsecast/answers.hpp>
#include <sparsecast/generate.hpp>

#include "calibration/measurement.hpp"
#include "planning/run/plan_runner.hpp"
#include "support/command.hpp"

namespace sparsecast::answers {
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
  one.tier = "measured";
  return one;
}
}  // namespace

class MemoryOfMatrices : public ::testing::Test {
 protected:
  MemoryOfMatrices() {
    setenv("SPARSECAST_HOME", home_.path().c_str(), 1);
    profile_.records.push_back({.kernel = "csr", .threads = 1, .seconds = 1, .taken = "2001-01-01T00:00:00Z"});
  }
  ~MemoryOfMatrices() override { unsetenv("SPARSECAST_HOME"); }

  // One thread of the host, as this profile's models forecast it.
  Memory memory(const Matrix& matrix, int threads = 1) {
    Memory one(matrix, "host", {}, threads, {});
    one.look_around(analyze(matrix), profile_, {.threads = threads}, {});
    return one;
  }
  void measured_slower_than_forecast(int size) {
    memory(grid(size)).keep({measurement("csr", 1.3e-5, 0)}, true, {forecast("csr", 1e-5)}, {});
  }

  test::TemporaryFolder home_;
  Profile profile_;
};

TEST_F(MemoryOfMatrices, AKnownPatternIsPlannedWithoutAProfileOrAModel) {
  const Matrix matrix = grid(20);
  EXPECT_FALSE(Memory(matrix, "host", {}, 1, {}).known_plan({}, true));
  const std::vector<calibration::Measurement> measured{measurement("csr", 3e-6, 0), measurement("sell", 2e-6, 1e-4)};
  Memory(matrix, "host", {}, 1, {}).keep(measured, true, {}, {});
  const std::optional<Strategy> known = Memory(grid(20), "host", {}, 1, {}).known_plan({}, true);
  ASSERT_TRUE(known);
  ASSERT_EQ(known->blocks.size(), 1U);
  EXPECT_EQ(known->blocks[0].kernel, "sell");
  EXPECT_EQ(known->blocks[0].last_row, matrix.rows() - 1);
  EXPECT_EQ(known->predicted_s, 2e-6);
  EXPECT_EQ(known->singles.size(), 2U);
  EXPECT_TRUE(known->trials && known->trials->tried.empty());
  EXPECT_EQ(known->reason, "measured here today");

  const std::optional<Strategy> once = Memory(matrix, "host", {}, 1, {}).known_plan({.iterations = 1}, false);
  ASSERT_TRUE(once);
  EXPECT_EQ(once->blocks[0].kernel, "csr") << "the conversion does not pay";
  EXPECT_FALSE(once->trials);
  EXPECT_FALSE(Memory(matrix, "host", {}, 2, {}).known_plan({}, true)) << "of another number of threads";
  EXPECT_FALSE(Memory(matrix, "host", {.transposed = true}, 1, {}).known_plan({}, true));
  EXPECT_FALSE(Memory(matrix, "host", {}, 1, {}).known_plan({.reorder = Reorder::always}, true));
  EXPECT_FALSE(Memory(grid(21), "host", {}, 1, {}).known_plan({}, true));
}

TEST_F(MemoryOfMatrices, WhatDidNotComeToItsEndIsPlannedAnew) {
  const Matrix matrix = grid(20);
  Memory(matrix, "host", {}, 1, {}).keep({measurement("csr", 3e-6, 0)}, false, {}, {});
  EXPECT_FALSE(Memory(matrix, "host", {}, 1, {}).empty());
  EXPECT_FALSE(Memory(matrix, "host", {}, 1, {}).known_plan({}, true));
}

TEST_F(MemoryOfMatrices, AFamilyMovesForecastsAndKeepsThemOutOfItsOwnWay) {
  for (const int size : {60, 61, 62, 63}) measured_slower_than_forecast(size);
  std::vector<Forecast> forecasts{forecast("csr", 1e-5), forecast("coo", 1.2e-5)};
  const Memory alike = memory(grid(64));
  alike.apply(forecasts);
  EXPECT_EQ(forecasts[0].kernel, "coo") << "nothing is known of it, and it is the faster one now";
  EXPECT_EQ(forecasts[0].seconds, 1.2e-5);
  EXPECT_FALSE(forecasts[0].moved);
  EXPECT_GT(forecasts[1].seconds, 1.25e-5);
  EXPECT_LT(forecasts[1].seconds, 1.3e-5);
  EXPECT_NEAR(forecasts[1].moved.value_or(0), forecasts[1].seconds / 1e-5, 1e-12);
  EXPECT_LT(forecasts[1].high_s / forecasts[1].low_s, 1.4 * 1.4);
  EXPECT_EQ(forecasts[1].tier, "measured");
  EXPECT_EQ(alike.neighbours(), "4 alike patterns (poisson2d-63, poisson2d-62, poisson2d-61, …), measured here today");
  // What was measured of the pattern itself counts more than what its family took.
  forecasts = {forecast("csr", 1e-5)};
  memory(grid(60)).apply(forecasts);
  EXPECT_EQ(forecasts[0].seconds, 1.3e-5);
  EXPECT_EQ(forecasts[0].tier, "observed");
  EXPECT_FALSE(forecasts[0].moved);
}

TEST_F(MemoryOfMatrices, WhatIsKeptIsTheModelsForecastAndNotTheMovedOne) {
  for (const int size : {60, 61, 62, 63, 64}) measured_slower_than_forecast(size);
  for (const ObservedProduct& one : observations().observations) {
    EXPECT_EQ(one.forecast_s, 1e-5);
    EXPECT_FALSE(one.features.empty());
  }
}

TEST_F(MemoryOfMatrices, StrangersOthersTasksAndANewCalibrationLeaveForecastsAsTheyAre) {
  for (const int size : {60, 61, 62, 63}) measured_slower_than_forecast(size);
  const auto stays = [&](const Memory& one) {
    std::vector<Forecast> forecasts{forecast("csr", 1e-5)};
    one.apply(forecasts);
    return forecasts[0].seconds == 1e-5 && forecasts[0].high_s == 1.4e-5 && !forecasts[0].moved;
  };
  EXPECT_FALSE(stays(memory(grid(64))));
  EXPECT_TRUE(stays(Memory()));
  EXPECT_TRUE(stays(memory(grid(64), 2)));
  EXPECT_TRUE(
      stays(memory(generate({.kind = "powerlaw", .row_length = 5, .rows = 3700, .cols = 3700}))));
  profile_.records[0].taken = "2999-01-01T00:00:00Z";
  EXPECT_TRUE(stays(memory(grid(64)))) << "those models know better than the ones whose errors were seen";
}

// Written by a program whose file had no columns for what plans were compared with.
TEST_F(MemoryOfMatrices, AFileOfAnOlderProgramIsReadOn) {
  sqlite3* database = nullptr;
  const std::string file = home_.path() / "observations.sqlite";
  ASSERT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
  const char* sql = R"(CREATE TABLE observations(
    id INTEGER PRIMARY KEY, pattern TEXT NOT NULL, matrix TEXT NOT NULL, rows INTEGER NOT NULL, cols INTEGER NOT NULL,
    nonzeros INTEGER NOT NULL, features TEXT NOT NULL, device TEXT NOT NULL, machine TEXT NOT NULL,
    precision TEXT NOT NULL, threads INTEGER NOT NULL, vectors INTEGER NOT NULL, transposed INTEGER NOT NULL,
    kernel TEXT NOT NULL, seconds REAL NOT NULL, spread REAL NOT NULL, conversion_s REAL, forecast_s REAL NOT NULL,
    left_to_win REAL, taken TEXT NOT NULL,
    UNIQUE(pattern, device, precision, threads, vectors, transposed, kernel));
  CREATE INDEX by_size ON observations(device, precision, threads, vectors, transposed, nonzeros);
  INSERT INTO observations VALUES(1, '21d28e2313bdd73ccf31ea178602cdc8', 'p10', 100, 100, 460, '[]', 'host',
    'AMD EPYC | 0x1000065 | 2 | compiler 12.2.0', 'double', 1, 1, 0, 'csr', 2.5e-07, 0.0048, 0.0, 0.0, NULL,
    '2026-11-25T13:52:17Z');
  PRAGMA user_version = 1)";
  ASSERT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);

  const Matrix matrix = grid(10);
  measured_slower_than_forecast(12);
  const std::vector<ObservedProduct> kept = observations().observations;
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept[0].pattern, planning::pattern_checksum(matrix)) << "fingerprints are what they were";
  EXPECT_EQ(kept[0].seconds, 2.5e-7);
  EXPECT_FALSE(kept[0].left_to_win || kept[0].csr_s);
  EXPECT_EQ(kept[0].compared, 0);
  EXPECT_EQ(kept[1].forecast_s, 1e-5);

  // One of a newer program is left alone, and one line says so.
  ASSERT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, "PRAGMA user_version = 99", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);
  std::string told;
  (void)observations({.listener = {.warning = [&](std::string_view line) { told += line; }}});
  EXPECT_NE(told.find("is of a newer program"), std::string::npos) << told;
}
}  // namespace sparsecast::answers
