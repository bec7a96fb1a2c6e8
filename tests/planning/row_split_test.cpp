// Rows dealt to devices that do not exist, and a split at work on the host.

#include <gtest/gtest.h>

#include <memory>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>

#include "planning/devices/row_split.hpp"
#include "support/command.hpp"
#include "support/synthetic_profile.hpp"

namespace sparsecast::planning {
namespace {

class ARowSplit : public testing::Test {
 protected:
  // Fits are kept in the home folder: one for all tests, as most take seconds.
  static void SetUpTestSuite() { home = std::make_unique<test::TemporaryFolder>(); }
  static void TearDownTestSuite() { home.reset(); }
  void SetUp() override { setenv("SPARSECAST_HOME", home->path().c_str(), 1); }
  void TearDown() override { unsetenv("SPARSECAST_HOME"); }
  // Another machine, on which a non-zero takes so long.
  static SplitDevice machine(const std::string& name, double seconds_of_nonzero) {
    Profile profile = test::empty_host_profile(1);
    profile.name = profile.properties.name = name;
    test::add_grid(profile, "constant", "csr", 1, [&](double strips, double length) {
      return 1e-6 + strips * 1024 * seconds_of_nonzero * (1 + length);
    });
    return {name, std::move(profile), false};
  }
  static Matrix matrix() { return generate({.kind = "poisson2d", .parameters = {.size = 200}}); }
  inline static const FitOptions one_thread{Precision::double_, 1, {}};
  static std::unique_ptr<test::TemporaryFolder> home;
};
std::unique_ptr<test::TemporaryFolder> ARowSplit::home;

void expect_every_row_once(const RowSplit& split, std::int64_t rows) {
  std::int64_t next = 0;
  for (const SplitPart& part : split.parts) {
    EXPECT_EQ(part.first_row, next);
    next = part.last_row + 1;
  }
  EXPECT_EQ(next, rows);
}

TEST_F(ARowSplit, HalvesTheWorkOfTwoEqualMachines) {
  const RowSplit split = split_rows(matrix(), {machine("a", 1e-9), machine("b", 1e-9)}, one_thread);
  expect_every_row_once(split, 40000);
  EXPECT_NEAR(static_cast<double>(split.parts[0].rows()), 20000, 1000);
  EXPECT_NEAR(split.predicted_s / split.best_alone_s, 0.5, 0.05);
  EXPECT_TRUE(split.pays);
  EXPECT_NE(split.reason.find("save"), std::string::npos) << split.reason;
}

TEST_F(ARowSplit, GivesTheFasterMachineMore) {
  const RowSplit split = split_rows(matrix(), {machine("slow", 3e-9), machine("fast", 1e-9)}, one_thread);
  EXPECT_EQ(split.best_alone, "fast");
  EXPECT_NEAR(static_cast<double>(split.parts[1].rows()), 30000, 1500);
  EXPECT_NEAR(split.gain, 0.25, 0.05);
}

TEST_F(ARowSplit, SaysWhenOneMachineIsBetterAlone) {
  const RowSplit split = split_rows(matrix(), {machine("slow", 200e-9), machine("fast", 1e-9)}, one_thread);
  EXPECT_FALSE(split.pays);
  EXPECT_NE(split.reason.find("does not pay"), std::string::npos) << split.reason;
  EXPECT_EQ(split_rows(matrix(), {machine("a", 1e-9)}, one_thread).pays, false);
}

TEST_F(ARowSplit, CountsTheWayOfXAndYToAGpu) {
  const SplitDevice gpu{"nvidia-a100", described_profile(describe_device("nvidia-a100")), false};
  const RowSplit split = split_rows(matrix(), {gpu, gpu}, one_thread);
  expect_every_row_once(split, 40000);
  for (const SplitPart& part : split.parts) {
    EXPECT_EQ(part.kind, DeviceKind::cuda);
    // x whole and its rows of y, at 25 GB/s.
    EXPECT_NEAR(part.time.transfer_s, 8.0 * static_cast<double>(40000 + part.rows()) / 25e9, 1e-12);
  }
}

TEST_F(ARowSplit, RefusesWhatItCannotDealTo) {
  EXPECT_THROW((void)split_rows(matrix(), {}, one_thread), Error);
  SplitDevice here = machine("host", 1e-9);
  here.here = true;
  EXPECT_THROW((void)split_rows(matrix(), {here, here}, one_thread), Error);
}

TEST_F(ARowSplit, MultipliesWithAllPartsAtOnce) {
  SplitDevice host = machine("host", 1e-9);
  host.here = true;
  RowSplit split = split_rows(matrix(), {host}, one_thread);
  // Three parts on the host stand for three devices: each is a plan of its own with a thread of its own.
  split.parts.assign(3, split.parts.front());
  for (int p = 0; p < 3; ++p) {
    split.parts[static_cast<std::size_t>(p)].first_row = p * 13000;
    split.parts[static_cast<std::size_t>(p)].last_row = p == 2 ? 39999 : (p + 1) * 13000 - 1;
  }
  for (const Precision precision : {Precision::double_, Precision::single_}) {
    const SplitRun run = run_split(matrix(), split, precision, 1, {.rounds = 5, .block_s = 1e-4});
    EXPECT_LT(run.largest_error, precision == Precision::double_ ? 1e-14 : 1e-6);
    EXPECT_EQ(run.part_s.size(), 3U);
    EXPECT_EQ(run.rounds, 5);
    EXPECT_GT(run.seconds, 0);
  }
}

}  // namespace
}  // namespace sparsecast::planning
