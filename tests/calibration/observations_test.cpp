// Observations: what is kept comes back for the same pattern, task and machine; what is old, of another machine or
// beyond what is kept does not; a file that cannot be used is told of and nothing fails.

#include "calibration/observations.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

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

const ObservedTask task{.device = "host", .machine = "this one", .threads = 2};

Observation observation(const std::string& pattern, const std::string& kernel, double seconds) {
  return {.pattern = pattern,
          .matrix = "a",
          .rows = 10,
          .cols = 10,
          .nonzeros = 1000,
          .features = {1, 2},
          .task = task,
          .kernel = kernel,
          .seconds = seconds};
}
}  // namespace

TEST_F(ObservationsFile, ComeBackForTheirPatternAndTask) {
  Observations(file_).add({observation("p", "csr", 1e-3), observation("p", "sell", 2e-3), observation("q", "csr", 5)});
  Observations again(file_);
  EXPECT_EQ(again.why(), "");
  const std::vector<Observation> found = again.of_pattern("p", task);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].seconds + found[1].seconds, 3e-3);
  EXPECT_EQ(found[0].features, (std::vector<double>{1, 2}));
  EXPECT_FALSE(found[0].left_to_win.has_value());
  EXPECT_TRUE(again.of_pattern("r", task).empty());
  ObservedTask other = task;
  other.threads = 1;
  EXPECT_TRUE(again.of_pattern("p", other).empty());
  other = task;
  other.transposed = true;
  EXPECT_TRUE(again.of_pattern("p", other).empty());
}

TEST_F(ObservationsFile, ANewerOneTakesTheOldOnesPlace) {
  Observations kept(file_);
  kept.add({observation("p", "csr", 1)});
  kept.add({observation("p", "csr", 2)});
  ASSERT_EQ(kept.of_pattern("p", task).size(), 1U);
  EXPECT_EQ(kept.of_pattern("p", task).front().seconds, 2);
  const std::int64_t nonzeros = kept.of_pattern("p", task).front().nonzeros;
  EXPECT_TRUE(kept.knows(nonzeros, task));
  EXPECT_FALSE(kept.knows(nonzeros + 1, task));
}

TEST_F(ObservationsFile, AnotherMachinesAndOldOnesDoNotCount) {
  Observations kept(file_);
  Observation old = observation("p", "csr", 1);
  old.taken = "2001-01-01T00:00:00Z";
  Observation ahead = observation("p", "sell", 1);  // by a clock that was set back since
  ahead.taken = "2999-01-01T00:00:00Z";
  kept.add({old, ahead, observation("p", "coo", 1)});
  ASSERT_EQ(kept.of_pattern("p", task).size(), 1U);
  EXPECT_EQ(kept.of_pattern("p", task).front().kernel, "coo");
  ObservedTask changed = task;
  changed.machine = "this one with other microcode";
  EXPECT_TRUE(kept.of_pattern("p", changed).empty());
  EXPECT_EQ(kept.all().size(), 3U);
}

TEST_F(ObservationsFile, TwoMayUseItAtOnce) {
  Observations one(file_), other(file_);
  one.add({observation("p", "csr", 1)});
  other.add({observation("p", "sell", 1)});
  EXPECT_EQ(one.of_pattern("p", task).size(), 2U);
  EXPECT_EQ(one.forget(), 2);
  EXPECT_TRUE(other.all().empty());
}

TEST_F(ObservationsFile, TheOldestGoWhereThereAreTooMany) {
  Observations kept(file_);
  std::vector<Observation> many;
  for (int i = 0; i < Observations::most_kept + 10; ++i) many.push_back(observation(fmt::format("{}", i), "csr", 1));
  kept.add(many);
  EXPECT_TRUE(kept.of_pattern("9", task).empty());
  EXPECT_EQ(kept.of_pattern("10", task).size(), 1U);
  EXPECT_LT(std::filesystem::file_size(file_), 100'000'000U);
}

TEST_F(ObservationsFile, OneThatIsDamagedOrCannotBeOpenedIsTold) {
  std::ofstream(file_) << std::string(8192, 'x');
  Observations damaged(file_);
  damaged.add({observation("p", "csr", 1)});
  EXPECT_TRUE(damaged.of_pattern("p", task).empty());
  EXPECT_NE(damaged.why(), "");
  Observations nowhere(folder_ / "no" / "such" / "folder.sqlite");
  nowhere.add({observation("p", "csr", 1)});
  EXPECT_TRUE(nowhere.all().empty());
  EXPECT_NE(nowhere.why(), "");
}
}  // namespace sparsecast::calibration
