// Observations: what is kept comes back for the same pattern, task and machine; what is old, of another machine or
// beyond what is kept does not; a file that cannot be used is told of and nothing fails.

#include "calibration/observations.hpp"
#include "calibration/statement.hpp"
#include "fields/observed_product.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sqlite3.h>

#include <filesystem>
#include <fstream>

#include "base/clock.hpp"
#include "fields/json.hpp"
#include "support/read_only_folder.hpp"

namespace sparsecast::calibration {
namespace {
class ObservationsFile : public ::testing::Test {
 protected:
  ObservationsFile() {
    folder_ = std::filesystem::temp_directory_path() /
              fmt::format("observations-{}", ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    file_ = folder_ / "observations.sqlite";
  }
  ~ObservationsFile() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_, file_;
};

Observation observation(const std::string& pattern, const std::string& kernel = {}, double seconds = 0) {
  return {.matrix = "a",
          .pattern = pattern,
          .rows = 10,
          .cols = 10,
          .nonzeros = 1000,
          .features = {1, 2},
          .device = "host",
          .machine = "this one",
          .kernel = kernel,
          .threads = 2,
          .seconds = seconds,
          .forecast_s = seconds,
          .taken = base::utc_now()};
}
}  // namespace

TEST_F(ObservationsFile, ComeBackForTheirPatternAndTask) {
  Observations(file_).add({observation("p", "csr", 1e-3), observation("p", "sell", 2e-3), observation("q", "csr", 5)});
  Observations again(file_);
  EXPECT_EQ(again.why(), "");
  const std::vector<Observation> found = again.of_pattern(observation("p"));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].seconds + found[1].seconds, 3e-3);
  EXPECT_EQ(found[0].features, (std::vector<double>{1, 2}));
  EXPECT_FALSE(found[0].left_to_win.has_value());
  EXPECT_TRUE(again.of_pattern(observation("r")).empty());
  Observation other = observation("p");
  other.threads = 1;
  EXPECT_TRUE(again.of_pattern(other).empty());
  other = observation("p");
  other.transposed = true;
  EXPECT_TRUE(again.of_pattern(other).empty());
}

TEST_F(ObservationsFile, ANewerOneTakesTheOldOnesPlace) {
  Observations kept(file_);
  kept.add({observation("p", "csr", 1)});
  kept.add({observation("p", "csr", 2)});
  ASSERT_EQ(kept.of_pattern(observation("p")).size(), 1U);
  EXPECT_EQ(kept.of_pattern(observation("p")).front().seconds, 2);
  Observation like = observation("another");
  EXPECT_TRUE(kept.knows(like));
  ++like.nonzeros;
  EXPECT_FALSE(kept.knows(like));
}

// Hosts that share a home, on a file system of a cluster: each goes by its own times.
TEST_F(ObservationsFile, MachinesKeepTheirTimesSideBySide) {
  Observation other = observation("p", "csr", 7e-3);
  other.machine = "another";
  Observations kept(file_);
  kept.add({observation("p", "csr", 1e-3)});
  kept.add({other});
  kept.add({observation("p", "csr", 2e-3)});
  EXPECT_EQ(kept.all().size(), 2U);
  ASSERT_EQ(kept.of_pattern(observation("p")).size(), 1U);
  EXPECT_EQ(kept.of_pattern(observation("p")).front().seconds, 2e-3);
  EXPECT_EQ(kept.of_pattern(other).front().seconds, 7e-3);
}

// As the version before left it, which had one time of a product for all machines.
TEST_F(ObservationsFile, ThoseOfTheVersionBeforeAreTakenOver) {
  Observations(file_).add({observation("p", "csr", 1e-3), observation("q", "sell", 2e-3)});
  const std::vector<Observation> before = Observations(file_).all();
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(file_.c_str(), &database), SQLITE_OK);
  const std::string columns = "pattern, device, precision, threads, vectors, transposed, kernel";
  execute(database,
          "BEGIN; CREATE TABLE old AS SELECT * FROM observations; DROP TABLE observations; ALTER TABLE old RENAME TO "
          "observations; CREATE UNIQUE INDEX one ON observations(" +
              columns +
              "); CREATE INDEX by_size ON observations(device, precision, threads, vectors, transposed, nonzeros); "
              "PRAGMA user_version = 2; COMMIT",
          file_);
  sqlite3_close(database);
  Observations again(file_);
  EXPECT_EQ(again.why(), "");
  const std::vector<Observation> after = again.all();
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t k = 0; k < before.size(); ++k) EXPECT_EQ(fields::written(after[k]), fields::written(before[k]));
  Observation other = observation("p", "csr", 7e-3);
  other.machine = "another";
  again.add({other});
  EXPECT_EQ(again.all().size(), 3U) << "beside the others";
}

TEST_F(ObservationsFile, AnotherMachinesAndOldOnesDoNotCount) {
  Observations kept(file_);
  Observation old = observation("p", "csr", 1);
  old.taken = "2001-01-01T00:00:00Z";
  Observation ahead = observation("p", "sell", 1);  // by a clock that was set back since
  ahead.taken = "2999-01-01T00:00:00Z";
  kept.add({old, ahead, observation("p", "coo", 1)});
  ASSERT_EQ(kept.of_pattern(observation("p")).size(), 1U);
  EXPECT_EQ(kept.of_pattern(observation("p")).front().kernel, "coo");
  Observation changed = observation("p");
  changed.machine = "this one with other microcode";
  EXPECT_TRUE(kept.of_pattern(changed).empty());
  EXPECT_EQ(kept.all().size(), 3U);
}

TEST_F(ObservationsFile, EveryFieldComesBack) {
  Observation one = observation("p", "csr", 1e-3);
  one.precision = Precision::single_;
  one.vectors = 4;
  one.transposed = true;
  one.spread = 0.01;
  one.conversion_s = 2e-3;
  one.left_to_win = 0.004;
  one.compared = 2;
  one.csr_s = 3e-3;
  one.taken = "2026-01-02T03:04:05Z";
  Observations kept(file_);
  kept.add({one, observation("p", "csr", 5)});
  const std::vector<Observation> all = kept.all();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(fields::written(all[0]), fields::written(one));
  EXPECT_FALSE(all[1].conversion_s || all[1].left_to_win || all[1].csr_s);
}

// Of the same task and machine, forecast, since the calibration, of about as many non-zeros.
TEST_F(ObservationsFile, OnlyWhatTeachesIsAround) {
  Observations kept(file_);
  std::vector<Observation> added(10, observation("alike", "csr", 1));
  for (std::size_t k = 0; k < added.size(); ++k) added[k].kernel = std::to_string(k);
  added[0].pattern = "the same";
  added[1].threads = 1;
  added[2].machine = "this one with other microcode";
  added[3].forecast_s = 0;
  added[4].taken = "2001-01-01T00:00:00Z";
  added[5].nonzeros = 8001;
  added[6].nonzeros = 124;
  added[7].features = {};
  added[8].nonzeros = 8000;
  kept.add(added);
  const auto kernels = [](const std::vector<Observation>& all) {
    std::string names;
    for (const Observation& one : all) names += one.kernel;
    return names;
  };
  EXPECT_EQ(kernels(kept.around(observation("the same"), "2001-06-01T00:00:00Z")), "98");
  EXPECT_EQ(kernels(kept.around(observation("the same"), "2999-01-01T00:00:00Z")), "");
  EXPECT_EQ(kernels(kept.around(observation("the same"), "", 1e5)).size(), 3U) << "the old one too";
}

TEST_F(ObservationsFile, TwoMayUseItAtOnce) {
  Observations one(file_), other(file_);
  one.add({observation("p", "csr", 1)});
  other.add({observation("p", "sell", 1)});
  EXPECT_EQ(one.of_pattern(observation("p")).size(), 2U);
  EXPECT_EQ(one.forget(), 2);
  EXPECT_TRUE(other.all().empty());
}

TEST_F(ObservationsFile, TheOldestGoWhereThereAreTooMany) {
  Observations kept(file_);
  std::vector<Observation> many;
  for (int i = 0; i < Observations::most_kept + 10; ++i) many.push_back(observation(fmt::format("{}", i), "csr", 1));
  kept.add(many);
  EXPECT_TRUE(kept.of_pattern(observation("9")).empty());
  EXPECT_EQ(kept.of_pattern(observation("10")).size(), 1U);
  EXPECT_LT(std::filesystem::file_size(file_), 100'000'000U);
}

TEST_F(ObservationsFile, WhatMayOnlyBeReadIsReadAndTold) {
  { Observations(file_).add({observation("p", "csr", 1)}); }
  const test::ReadOnlyFolder folder(folder_);
  Observations kept(file_);
  EXPECT_EQ(kept.of_pattern(observation("p")).size(), 1U);
  EXPECT_NE(kept.why().find("is read-only"), std::string::npos) << kept.why();
  kept.add({observation("q", "csr", 1)});
  EXPECT_EQ(kept.all().size(), 1U);
}

TEST_F(ObservationsFile, OneThatIsDamagedOrCannotBeOpenedIsTold) {
  std::ofstream(file_) << std::string(8192, 'x');
  Observations damaged(file_);
  damaged.add({observation("p", "csr", 1)});
  EXPECT_TRUE(damaged.of_pattern(observation("p")).empty());
  EXPECT_NE(damaged.why(), "");
  Observations nowhere(folder_ / "no" / "such" / "folder.sqlite");
  nowhere.add({observation("p", "csr", 1)});
  EXPECT_TRUE(nowhere.all().empty());
  EXPECT_NE(nowhere.why(), "");
}
}  // namespace sparsecast::calibration
