#include "calibration/timing.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "calibration/rounds.hpp"

namespace sparsecast {
namespace {

using calibration::KeptTimes;
using calibration::Rounds;
using calibration::Timing;

constexpr double usual = 5e-7, apart = 1.2e-6;  // fork-join latencies, seconds

Timing time(double seconds, double spread = 0.01, double fork_join_s = usual) {
  return {seconds, 0, 0, spread, 0, 1e-9, fork_join_s};
}

DeviceProperties device(DeviceKind kind) {
  DeviceProperties properties;
  properties.kind = kind;
  return properties;
}

TEST(Rounds, TheHostTakesTwoAndDisturbedMatricesTwoMore) {
  const Rounds rounds = Rounds::on(device(DeviceKind::host));
  KeptTimes calm, disturbed;
  calm.offer("csr", time(1));
  disturbed.offer("csr", time(1, 0.1));
  for (const int round : {0, 1}) EXPECT_TRUE(rounds.takes(round, calm, usual));
  EXPECT_FALSE(rounds.takes(2, calm, usual));
  for (const int round : {0, 1, 2, 3}) EXPECT_TRUE(rounds.takes(round, disturbed, usual));
  EXPECT_FALSE(rounds.takes(4, disturbed, usual));
}

TEST(Rounds, AMatrixWithoutTimesIsSettledAfterThoseThatAllTake) {
  const Rounds rounds = Rounds::on(device(DeviceKind::host));
  EXPECT_TRUE(rounds.takes(1, {}, usual));
  EXPECT_FALSE(rounds.takes(2, {}, usual));
}

TEST(Rounds, AnUnusualForkJoinLatencyIsADisturbance) {
  const Rounds rounds = Rounds::on(device(DeviceKind::host));
  KeptTimes kept;
  kept.offer("csr", time(1, 0.01, apart));
  EXPECT_TRUE(rounds.takes(2, kept, usual));
  EXPECT_FALSE(rounds.takes(2, kept, apart));
  EXPECT_FALSE(rounds.takes(2, kept, 0)) << "nothing is known to be usual";
}

TEST(Rounds, ADeviceAndAFirstLookTakeOne) {
  KeptTimes disturbed;
  disturbed.offer("csr", time(1, 0.5, apart));
  for (const Rounds rounds : {Rounds::on(device(DeviceKind::cuda)), Rounds::on(device(DeviceKind::opencl)),
                              Rounds::on(device(DeviceKind::host), true)}) {
    EXPECT_TRUE(rounds.takes(0, disturbed, usual));
    EXPECT_FALSE(rounds.takes(1, disturbed, usual));
  }
}

TEST(Rounds, OfEachKernelTheLessNoisyTimeIsKept) {
  KeptTimes kept;
  EXPECT_TRUE(kept.offer("csr", time(1.2)));
  EXPECT_TRUE(kept.offer("ell", time(2.0)));
  EXPECT_FALSE(kept.offer("csr", time(1.3)));
  EXPECT_TRUE(kept.offer("csr", time(1.1)));
  EXPECT_FALSE(kept.offer("ell", time(1.0, 0.01, apart))) << "faster only because its threads were far apart";
  ASSERT_NE(kept.find("csr"), nullptr);
  EXPECT_DOUBLE_EQ(kept.find("csr")->seconds, 1.1);
  EXPECT_DOUBLE_EQ(kept.find("ell")->seconds, 2.0);
  EXPECT_EQ(kept.find("coo"), nullptr);
  EXPECT_EQ(kept.timings().size(), 2U);
}

TEST(Rounds, ThreeQuartersOfTheRepeatsStayWithinTheirError) {
  std::array<KeptTimes, 20> kept;
  for (KeptTimes& one : kept) one.offer("csr", time(1));
  EXPECT_EQ(calibration::repeat_error(kept), 0) << "nothing was repeated";
  for (std::size_t i = 0; i < kept.size(); ++i) kept[i].offer("csr", time(i < 14 ? 1.01 : 1 / 1.3));
  EXPECT_NEAR(calibration::repeat_error(kept), std::log(1.3), 1e-9);
  Profile profile;
  EXPECT_EQ(calibration::repeat_error(profile, 2), 0);
  profile.curves.push_back(calibration::repeat_curve(0.25, 2));
  EXPECT_EQ(calibration::repeat_error(profile, 2), 0.25);
  EXPECT_EQ(calibration::repeat_error(profile, 1), 0) << "of other threads";
}

TEST(Rounds, TheUsualForkJoinLatencyIsTheMedianOfWhatWasKept) {
  std::array<KeptTimes, 3> kept;
  EXPECT_EQ(calibration::usual_fork_join(kept), 0) << "nothing was measured";
  kept[0].offer("csr", time(1, 0.01, 4e-7));
  kept[0].offer("ell", time(1, 0.01, 5e-7));
  kept[1].offer("csr", time(1, 0.01, 9e-7));
  kept[2].offer("csr", time(1, 0.01, 0));
  EXPECT_DOUBLE_EQ(calibration::usual_fork_join(kept), 5e-7) << "one that does not tell does not count";
}

// A machine that is never still takes no more rounds for it.
TEST(Rounds, TheUsualSpreadIsTheMedianOfTheMatrices) {
  std::array<KeptTimes, 4> kept;
  EXPECT_EQ(calibration::usual_spread(kept), 0) << "nothing was measured";
  kept[0].offer("csr", time(1, 0.04));
  kept[1].offer("csr", time(1, 0.05));
  kept[1].offer("ell", time(1, 0.05));
  kept[2].offer("csr", time(1, 0.2));
  const double spread = calibration::usual_spread(kept);
  EXPECT_DOUBLE_EQ(spread, 0.05) << "a matrix without times does not count";
  const Rounds rounds = Rounds::on(device(DeviceKind::host));
  EXPECT_TRUE(rounds.takes(2, kept[1], 0)) << "on a quiet machine that is a disturbance";
  EXPECT_FALSE(rounds.takes(2, kept[1], 0, spread));
  EXPECT_TRUE(rounds.takes(2, kept[2], 0, spread));
}

TEST(Rounds, WhatIsUsualInAProfileIsOfSoManyThreadsAndAPrecision) {
  const auto record = [](int threads, Precision precision, double fork_join_s, double step_s) {
    Record made;
    made.threads = threads;
    made.precision = precision;
    made.launch_s = fork_join_s;
    made.step_s = step_s;
    return made;
  };
  const std::vector<Record> records{record(2, Precision::double_, 3e-7, 1e-9), record(2, Precision::double_, 0, 2e-9),
                                    record(2, Precision::single_, 7e-7, 9e-9), record(4, Precision::double_, 1e-6, 0)};
  EXPECT_DOUBLE_EQ(calibration::usual_of_records(records, &Record::launch_s, 2), 5e-7) << "of either precision";
  EXPECT_DOUBLE_EQ(calibration::usual_of_records(records, &Record::launch_s, 2, Precision::double_), 3e-7);
  EXPECT_DOUBLE_EQ(calibration::usual_of_records(records, &Record::step_s, 2, Precision::double_), 1.5e-9);
  EXPECT_EQ(calibration::usual_of_records(records, &Record::step_s, 4), 0) << "none tells";
}

}  // namespace
}  // namespace sparsecast
