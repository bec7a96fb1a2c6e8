#include "calibration/store.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <sparsecast/error.hpp>

#include "support/command.hpp"
#include "support/read_only_folder.hpp"
#include "support/synthetic_profile.hpp"

namespace sparsecast {
namespace {

class StoreTest : public ::testing::Test {
 protected:
  test::TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "store.sqlite";

  static BenchmarkMatrix matrix(std::int64_t strips) {
    BenchmarkMatrix matrix;
    matrix.spec = {"constant", strips, 4, strips * 8, strips * 8, 1, {}};
    matrix.structure = test::constant_structure(strips * 8, 4);
    return matrix;
  }
  static Record record(const std::string& kernel, double seconds) {
    Record record;
    record.kernel = kernel;
    record.threads = 2;
    record.seconds = seconds;
    record.taken = "2026-01-01T00:00:00Z";
    record.step_s = 1.25e-9;
    record.launch_s = 5e-7;
    return record;
  }
  static DeviceProperties host() { return test::empty_host_profile(2).properties; }
};

// What somebody else has measured, in a folder of theirs, or in a container's image.
TEST_F(StoreTest, WhatMayOnlyBeReadIsRead) {
  {
    calibration::Store store(file_);
    store.begin_profile(host(), "test");
    store.add_records("host", matrix(1), {record("csr", 1e-6)});
  }
  {
    const test::ReadOnlyFolder folder(folder_.path());
    const calibration::Store store(file_, true);
    EXPECT_FALSE(store.writable());
    EXPECT_TRUE(store.has_record("host", matrix(1).spec, "csr", Precision::double_, 2));
    try {
      const calibration::Store to_write(file_);
      FAIL() << "not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), file_.string() +
                                  ": the store, or its folder, may only be read; set SPARSECAST_HOME to a "
                                  "folder that you may write");
    }
  }
  EXPECT_TRUE(calibration::Store(file_, true).writable());
}

// With the log of a program that writes, and names that a URI has signs in.
TEST_F(StoreTest, WhatMayOnlyBeReadIsReadWhileItIsWritten) {
  const auto inside = folder_.path() / "50 % #1?x=y";
  std::filesystem::create_directory(inside);
  using std::filesystem::perms;
  std::filesystem::permissions(folder_.path(), perms::group_exec | perms::others_exec,
                               std::filesystem::perm_options::add);
  calibration::Store writer(inside / "store.sqlite");
  writer.begin_profile(host(), "test");
  writer.add_records("host", matrix(1), {record("csr", 1e-6)});
  const test::ReadOnlyFolder folder(inside);
  const calibration::Store store(inside / "store.sqlite", true);
  EXPECT_FALSE(store.writable());
  EXPECT_TRUE(store.has_record("host", matrix(1).spec, "csr", Precision::double_, 2));
}

TEST_F(StoreTest, KeepsARecordAcrossOpenings) {
  {
    calibration::Store store(file_);
    store.begin_profile(host(), "test");
    store.add_records("host", matrix(1), {record("csr", 1e-6), record("ell", 2e-6)});
  }
  const calibration::Store store(file_);
  EXPECT_TRUE(store.has_record("host", matrix(1).spec, "csr", Precision::double_, 2));
  EXPECT_FALSE(store.has_record("host", matrix(1).spec, "csr", Precision::double_, 1));
  EXPECT_FALSE(store.has_record("host", matrix(1).spec, "csr", Precision::single_, 2));
  EXPECT_FALSE(store.has_record("host", matrix(2).spec, "csr", Precision::double_, 2));
  const auto profile = store.profile("host");
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->records.size(), 2U);
  EXPECT_EQ(profile->records[0].kernel, "csr");
  EXPECT_DOUBLE_EQ(profile->records[0].seconds, 1e-6);
  EXPECT_EQ(profile->matrices.size(), 1U);
  EXPECT_EQ(profile->matrices[0].structure.nonzeros, 32);
  EXPECT_EQ(profile->taken, "2026-01-01T00:00:00Z");
  EXPECT_DOUBLE_EQ(profile->records[0].step_s, 1.25e-9);
  EXPECT_DOUBLE_EQ(profile->records[0].launch_s, 5e-7);
}

TEST_F(StoreTest, ANewTimeReplacesTheOldOne) {
  calibration::Store store(file_);
  store.begin_profile(host(), "test");
  store.add_records("host", matrix(1), {record("csr", 1e-6)});
  store.add_records("host", matrix(1), {record("csr", 3e-6)});
  const auto profile = store.profile("host");
  ASSERT_EQ(profile->records.size(), 1U);
  EXPECT_DOUBLE_EQ(profile->records[0].seconds, 3e-6);
}

TEST_F(StoreTest, ForgettingADeviceLeavesTheOthers) {
  calibration::Store store(file_);
  DeviceProperties other = host();
  other.name = "opencl:0";
  store.begin_profile(host(), "test");
  store.begin_profile(other, "test");
  store.add_records("host", matrix(1), {record("csr", 1e-6)});
  store.add_records("opencl:0", matrix(1), {record("csr", 1e-6)});
  store.forget_profile("host");
  EXPECT_EQ(store.profile_names(), std::vector<std::string>{"opencl:0"});
  EXPECT_FALSE(store.profile("host"));
  EXPECT_EQ(store.profile("opencl:0")->records.size(), 1U);
}

TEST_F(StoreTest, MicroBenchmarksAreReplacedByNameAndMode) {
  calibration::Store store(file_);
  store.begin_profile(host(), "test");
  const MicroBenchmark latency{"fma-f32", false, 1, 32, {64, 300, 1e-6}, {192, 812, 2e-6}, 0};
  MicroBenchmark throughput = latency, again = latency;
  throughput.throughput = true;
  again.longer.cycles = 900;
  store.add_micro_benchmarks("host", {latency, throughput});
  store.add_micro_benchmarks("host", {again});
  const auto profile = calibration::Store(file_).profile("host");
  ASSERT_EQ(profile->micro_benchmarks.size(), 2U);
  EXPECT_FALSE(profile->micro_benchmarks[0].throughput);
  EXPECT_EQ(profile->micro_benchmarks[0].longer.cycles, 900);
  EXPECT_EQ(profile->micro_benchmarks[1].longer.cycles, 812);
}

TEST_F(StoreTest, CurvesAreReplacedByNameAndThreads) {
  calibration::Store store(file_);
  store.begin_profile(host(), "test");
  store.add_curves("host", {{"launch", 2, {2}, {1e-6}}, {"launch", 1, {1}, {0}}});
  store.add_curves("host", {{"launch", 2, {2}, {5e-6}}});
  const auto profile = store.profile("host");
  ASSERT_EQ(profile->curves.size(), 2U);
  EXPECT_DOUBLE_EQ(profile->curve("launch", 2)->y[0], 5e-6);
  EXPECT_EQ(profile->curve("launch", 3), nullptr);
}

TEST_F(StoreTest, TwoProgramsMayHaveItOpen) {
  calibration::Store one(file_), two(file_);
  one.begin_profile(host(), "test");
  one.add_records("host", matrix(1), {record("csr", 1e-6)});
  two.add_records("host", matrix(2), {record("csr", 1e-6)});
  EXPECT_EQ(one.profile("host")->records.size(), 2U);
}

TEST_F(StoreTest, AFileThatIsNoStoreIsRefusedAndLeftAlone) {
  folder_.write("store.sqlite", "this is not a database, it is a letter to a friend, long enough to be read as a page");
  EXPECT_THROW(calibration::Store{file_}, Error);
  EXPECT_EQ(test::read_text(file_).substr(0, 4), "this");
}

TEST_F(StoreTest, MeasurementsOfEveryStatusAreKept) {
  calibration::Store store(file_);
  calibration::Measurement measurement;
  measurement.matrix = "a";
  measurement.device = "host";
  measurement.kernel = "ell";
  measurement.failure = "too large: …";
  EXPECT_NO_THROW(store.add_measurement(measurement));
}

}  // namespace
}  // namespace sparsecast
