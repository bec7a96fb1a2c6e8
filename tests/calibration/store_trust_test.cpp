// What was reported stays: killed programs, full disks, two at once, bits that turn, copies taken in the middle, stores
// of other versions.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <linux/magic.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <random>
#include <sparsecast/error.hpp>

#include "calibration/observations.hpp"
#include "calibration/store.hpp"
#include "calibration/store_checksum.hpp"
#include "support/command.hpp"
#include "support/synthetic_profile.hpp"

namespace {
bool everything_is_nfs = false;
}
// Instead of the C library's: what file system the store believes to be on.
extern "C" int statfs(const char* path, struct statfs* found) noexcept {
  const auto status = static_cast<int>(::syscall(SYS_statfs, path, found));
  if (everything_is_nfs) found->f_type = NFS_SUPER_MAGIC;
  return status;
}

namespace sparsecast {
namespace {

namespace fs = std::filesystem;
using calibration::Store;

BenchmarkMatrix matrix_of(std::int64_t strips) {
  BenchmarkMatrix matrix;
  matrix.spec = {"constant", strips, 4, strips * 8, strips * 8, 1, {}};
  matrix.structure = test::constant_structure(strips * 8, 4);
  return matrix;
}

Record record_of(double seconds, const std::string& kernel = "csr") {
  Record record;
  record.kernel = kernel;
  record.threads = 2;
  record.seconds = seconds;
  record.taken = "2026-01-01T00:00:00Z";
  return record;
}

void begin(Store& store) { store.begin_profile(test::empty_host_profile(2).properties, "test"); }

// The k-th record of a run, counted from 1, has a matrix and a time of its own.
void add(Store& store, int k) { store.add_records("host", matrix_of(k), {record_of(1e-6 * k)}); }

void expect_first(const fs::path& file, int count) {
  const Store store(file);
  const auto profile = store.profile("host");
  ASSERT_TRUE(profile);
  EXPECT_EQ(store.damaged_rows(), 0);
  ASSERT_GE(static_cast<int>(profile->records.size()), count);
  for (int k = 1; k <= count; ++k) {
    const Record& record = profile->records[static_cast<std::size_t>(k - 1)];
    EXPECT_DOUBLE_EQ(record.seconds, 1e-6 * k);
    EXPECT_EQ(profile->matrices[static_cast<std::size_t>(record.matrix)].spec.strips, k);
  }
}

void execute(const fs::path& file, const std::string& sql) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
  calibration::define_checksum(database);
  ASSERT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(database) << " in " << sql;
  sqlite3_close(database);
}

// A process that adds records from `first` on and reports each by a byte once it is kept.
class Writer {
 public:
  Writer(const fs::path& file, int first, rlim_t most_file_bytes = RLIM_INFINITY) {
    int ends[2];
    if (::pipe(ends) != 0) return;
    id_ = ::fork();
    if (id_ == 0) {
      ::close(ends[0]);
      std::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{most_file_bytes, most_file_bytes};
      ::setrlimit(RLIMIT_FSIZE, &limit);
      int status = 0;
      try {
        Store store(file);
        for (int k = first; k < first + 100'000; ++k) {
          add(store, k);
          static_cast<void>(!::write(ends[1], "r", 1));
        }
      } catch (const Error& error) {
        status = error.code() == ErrorCode::failed ? 1 : 3;
      }
      ::_exit(status);
    }
    ::close(ends[1]);
    reports_ = ends[0];
  }
  ~Writer() {
    if (id_ > 0) (void)end();
    ::close(reports_);
  }
  // Waits until so many records were reported; false where it ended before.
  bool wait_for(int count) {
    char byte = 0;
    while (reported_ < count && ::read(reports_, &byte, 1) == 1) ++reported_;
    return reported_ >= count;
  }
  // Kills it; all that it had reported.
  int end() {
    ::kill(id_, SIGKILL);
    return join();
  }
  int join() {
    char byte = 0;
    while (::read(reports_, &byte, 1) == 1) ++reported_;
    ::waitpid(id_, &status, 0);
    id_ = -1;
    return reported_;
  }
  // Stops it wherever it is, or lets it go on.
  void hold(int signal) const {
    ::kill(id_, signal);
    if (signal == SIGSTOP) ::waitpid(id_, nullptr, WUNTRACED);
  }
  int status = 0;

 private:
  pid_t id_ = -1;
  int reports_ = -1, reported_ = 0;
};

class StoreTrust : public ::testing::Test {
 protected:
  test::TemporaryFolder folder_;
  fs::path file_ = folder_.path() / "store.sqlite";
};

// What holds on a disk of this host, and where other hosts may have the store open, which leaves locks to share.
class StoreTrustOn : public StoreTrust, public ::testing::WithParamInterface<bool> {
 protected:
  StoreTrustOn() { everything_is_nfs = GetParam(); }
  ~StoreTrustOn() override { everything_is_nfs = false; }
};
INSTANTIATE_TEST_SUITE_P(Disks, StoreTrustOn, ::testing::Bool(),
                         [](const auto& disk) { return disk.param ? "Network" : "Local"; });

TEST_P(StoreTrustOn, SharesNoMemoryWithOtherHosts) {
  for (int twice = 0; twice < 2; ++twice) {
    Store store(file_);
    begin(store);
    EXPECT_EQ(fs::exists(folder_.path() / "store.sqlite-shm"), !GetParam());
    EXPECT_EQ(fs::exists(folder_.path() / "store.sqlite-wal"), !GetParam());
    const calibration::Observations seen(folder_.path() / "seen.sqlite");
    EXPECT_EQ(fs::exists(folder_.path() / "seen.sqlite-shm"), !GetParam());
  }
  everything_is_nfs = true;  // one that is there already is changed
  Store store(file_);
  EXPECT_FALSE(fs::exists(folder_.path() / "store.sqlite-wal"));
  EXPECT_EQ(store.profile_names(), std::vector<std::string>{"host"});
}

TEST_P(StoreTrustOn, AHundredKillsLoseNothingThatWasReported) {
  {
    Store store(file_);
    begin(store);
  }
  std::mt19937 random(7);
  int reported = 0;
  for (int kill = 0; kill < 100; ++kill) {
    // What was reported by the last one may have been overtaken by one more that was kept but not reported.
    const int kept = static_cast<int>(Store(file_).profile("host")->records.size());
    ASSERT_GE(kept, reported);
    Writer writer(file_, kept + 1);
    (void)writer.wait_for(static_cast<int>(random() % 3));
    ::usleep(static_cast<useconds_t>(random() % 2000));
    reported = kept + writer.end();
  }
  ASSERT_GT(reported, 50) << "they came to something";
  expect_first(file_, reported);
}

TEST_P(StoreTrustOn, AFullDiskAtAnyWriteKeepsWhatWasReported) {
  {
    Store store(file_);
    begin(store);
  }
  int reported = 0;
  for (rlim_t room = 0; room < 30; ++room) {
    const rlim_t size = fs::file_size(file_);
    Writer writer(file_, reported + 1, size + room * 1500);
    const int now = writer.join();
    ASSERT_TRUE(WIFEXITED(writer.status)) << WTERMSIG(writer.status);
    EXPECT_EQ(WEXITSTATUS(writer.status), 1) << "an Error, told as one";
    reported = static_cast<int>(Store(file_).profile("host")->records.size());
    EXPECT_GE(reported, now);
  }
  ASSERT_GT(reported, 10);
  expect_first(file_, reported);
}

TEST_P(StoreTrustOn, SeveralProgramsBeginItAndWriteAtOnce) {
  std::vector<pid_t> writers;
  constexpr int programs = 4, each = 10;
  for (int w = 0; w < programs; ++w) {
    const pid_t id = ::fork();
    if (id == 0) {
      int status = 0;
      try {
        Store store(file_);  // which is not there before the first
        begin(store);
        for (int k = 1; k <= each; ++k) add(store, each * w + k);
      } catch (const std::exception&) {
        status = 1;
      }
      ::_exit(status);
    }
    writers.push_back(id);
  }
  for (const pid_t id : writers) {
    int status = 0;
    ::waitpid(id, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  EXPECT_EQ(Store(file_).profile("host")->records.size(), 40U);
  EXPECT_EQ(Store(file_).damaged_rows(), 0);
}

TEST_F(StoreTrust, ACopyOfItsFilesAtAnyMomentHoldsWhatWasReported) {
  {
    Store store(file_);
    begin(store);
  }
  Writer writer(file_, 1);
  for (int copy = 1; copy <= 20; ++copy) {
    ASSERT_TRUE(writer.wait_for(4 * copy));
    // What a machine finds after its power was cut: the file and the journal as they are at one moment; the journal's
    // index is gone.
    const fs::path other = folder_.path() / "copy.sqlite";
    const auto replace = fs::copy_options::overwrite_existing;
    writer.hold(SIGSTOP);
    fs::copy_file(file_, other, replace);
    fs::copy_file(folder_.path() / "store.sqlite-wal", folder_.path() / "copy.sqlite-wal", replace);
    writer.hold(SIGCONT);
    std::error_code none;
    fs::remove(folder_.path() / "copy.sqlite-shm", none);
    expect_first(other, 4 * copy);
    if (HasFailure()) break;
  }
}

TEST_F(StoreTrust, ABitThatTurnsIsFoundInEveryTable) {
  const auto fresh = [&] {
    fs::remove(file_);
    Store store(file_);
    begin(store);
    add(store, 1);
    add(store, 2);
    store.add_curves("host", {{"launch", 2, {2}, {1e-6}}});
    store.add_micro_benchmarks("host", {{"fma-f32", false, 1, 32, {64, 300, 1e-6}, {192, 812, 2e-6}, 0}});
    calibration::Measurement measured;
    measured.matrix = "A";
    measured.device = "host";
    measured.kernel = "ell";
    measured.timing.seconds = 1e-3;
    store.add_measurement(measured);
  };
  for (const char* const flip : {"UPDATE records SET seconds = seconds + 1e-21 WHERE rowid = 1",
                                 "UPDATE records SET threads = 3 WHERE rowid = 1",
                                 "UPDATE matrices SET structure = replace(structure, '32', '33') WHERE rowid = 1",
                                 "UPDATE curves SET points = replace(points, '1e-06', '3e-06')",
                                 "UPDATE micro_benchmarks SET readings = replace(readings, '300', '301')",
                                 "UPDATE measurements SET seconds = 2e-3", "UPDATE measurements SET device = 'hosu'"}) {
    fresh();
    EXPECT_EQ(Store(file_).damaged_rows(), 0);
    execute(file_, flip);
    Store store(file_);
    EXPECT_EQ(store.damaged_rows(), 1) << flip;
    const auto profile = store.profile("host");
    ASSERT_TRUE(profile);
    EXPECT_DOUBLE_EQ(profile->records.back().seconds, 2e-6) << "the others are there";
    // The next calibration removes them, so that they are measured again.
    EXPECT_GE(store.begin_profile(profile->properties, "test"), 1) << flip;
    EXPECT_EQ(store.damaged_rows(), 0);
  }
  fresh();
  execute(file_, "UPDATE measurements SET seconds = 2e-3");
  Structure named;
  named.name = "A";
  EXPECT_TRUE(Store(file_).measurements(named, "host", Precision::double_, 0).empty());
  fresh();
  execute(file_, "UPDATE profiles SET properties = replace(properties, 'host', 'hosu')");
  EXPECT_THROW((void)Store(file_).profile("host"), Error);
}

TEST_F(StoreTrust, AnotherVersionIsRefusedWithAWayOutAndLeftAlone) {
  {
    Store store(file_);
    begin(store);
    add(store, 1);
  }
  for (const auto& [version, way_out] : std::map<int, std::string>{
           {1, "run calibrate"}, {6, "move the file away"}, {8, "export the profiles"}, {99, "SPARSECAST_HOME"}}) {
    SCOPED_TRACE(version);
    execute(file_, fmt::format("PRAGMA journal_mode = DELETE; PRAGMA user_version = {}", version));
    const std::string before = test::read_text(file_);
    try {
      const Store store(file_);
      ADD_FAILURE() << "opened";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::failed);
      EXPECT_EQ(error.reason(), fmt::format("the store has version {}, and this program writes version 7", version));
      EXPECT_EQ(error.place().file, file_.string());
      EXPECT_NE(error.remedy().find(way_out), std::string::npos) << error.remedy();
    }
    EXPECT_EQ(test::read_text(file_), before);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 1) << "nothing is put beside it";
  }
  execute(file_, "PRAGMA user_version = 7");
  expect_first(file_, 1);
}

}  // namespace
}  // namespace sparsecast
