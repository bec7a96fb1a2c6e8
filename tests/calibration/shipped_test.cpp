// What ships in the place of a calibration: the nearest processor's curves, moved through a probe's points, and the
// probe that is kept.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>
#include <sparsecast/threads.hpp>

#include "base/clock.hpp"
#include "base/curve.hpp"
#include "calibration/profile_json.hpp"
#include "calibration/shipped/stand_in.hpp"
#include "calibration/store.hpp"
#include "fields/tier.hpp"
#include "hardware/device.hpp"
#include "support/command.hpp"

namespace sparsecast::calibration {
namespace {
namespace fs = std::filesystem;
using nlohmann::ordered_json;

DeviceProperties processor(std::int64_t second_level, std::int64_t last_level, const std::string& vendor = "AMD") {
  DeviceProperties p;
  p.name = "host";
  p.kind = DeviceKind::host;
  p.vendor = vendor;
  p.model = vendor + " of " + std::to_string(last_level);
  p.compute_units = 2;
  p.caches = {{1, 32 << 10, 64, 1}, {2, second_level, 64, 1}, {3, last_level, 64, 2}};
  return p;
}

// Reads 8 GB/s in the caches and 1 GB/s beyond, from twice the last one on.
ShippedProcessor shipped(double faster = 1) {
  ShippedProcessor one;
  one.properties = processor(1 << 20, 32 << 20);
  for (const int threads : {1, 2}) {
    const double rate = threads * faster;
    one.curves.push_back({"read_bandwidth",
                          threads,
                          {1 << 14, 1 << 19, 1 << 25, 1 << 26},
                          {8e9 * rate, 8e9 * rate, 8e9 * rate, 1e9 * rate}});
    one.curves.push_back({"dot_bandwidth", threads, {1 << 14, 1 << 26}, {4e9 * rate, 1e9 * rate}});
    one.curves.push_back({"gather_rate", threads, {1 << 19, 1 << 26}, {1e9 * rate, 1e8 * rate}});
    one.fits[threads] = "";
  }
  one.curves.push_back({"latency", 1, {1 << 14, 1 << 26}, {1e-9, 1e-7}});
  one.curves.push_back({"launch", 2, {2}, {1e-6}});
  return one;
}

const Curve& curve_of(const std::vector<Curve>& curves, std::string_view name, int threads) {
  const auto found =
      std::ranges::find_if(curves, [&](const Curve& c) { return c.name == name && c.threads == threads; });
  if (found == curves.end()) throw std::runtime_error("no curve " + std::string(name));
  return *found;
}

TEST(Shipped, CurvesGoThroughTheProbesPoints) {
  const HostProbe probe{{{"read_bandwidth", 1, {1 << 14, 1 << 26}, {16e9, 0.5e9}},
                         {"gather_rate", 1, {1 << 19, 1 << 26}, {2e9, 0.5e8}},
                         {"latency", 1, {1 << 14}, {0.5e-9}},
                         {"launch", 2, {2}, {3e-6}}},
                        ""};
  const std::vector<Curve> one = scaled_curves(shipped(), processor(1 << 20, 32 << 20), probe, 1);
  const Curve& read = curve_of(one, "read_bandwidth", 1);
  EXPECT_NEAR(base::value_at(read, 1 << 14), 16e9, 1e3);
  EXPECT_NEAR(base::value_at(read, 1 << 26), 0.5e9, 1e3);
  // Twice as fast at one end, half at the other: in the middle of the footprints' logarithms as it was.
  EXPECT_NEAR(base::value_at(curve_of(one, "dot_bandwidth", 1), 1 << 20), std::sqrt(4e9 * 1e9), 1e7);
  // A first-level load as probed; a far one as the gathers from there.
  EXPECT_NEAR(curve_of(one, "latency", 1).y.front(), 0.5e-9, 1e-12);
  EXPECT_NEAR(curve_of(one, "latency", 1).y.back(), 2e-7, 1e-10);
  // Two threads were not probed: scaled as one is, but for what was.
  const std::vector<Curve> two = scaled_curves(shipped(), processor(1 << 20, 32 << 20), probe, 2);
  EXPECT_NEAR(curve_of(two, "read_bandwidth", 2).y.front(), 32e9, 1e3);
  EXPECT_EQ(curve_of(two, "launch", 2).y.front(), 3e-6);
}

TEST(Shipped, FootprintsGoWithTheCaches) {
  const HostProbe nothing;
  const std::vector<Curve> here = scaled_curves(shipped(), processor(2 << 20, 64 << 20), nothing, 1);
  EXPECT_NEAR(base::value_at(curve_of(here, "read_bandwidth", 1), 64 << 20), 8e9, 1e3) << "it fits into the last cache";
  EXPECT_NEAR(base::value_at(curve_of(here, "read_bandwidth", 1), 128 << 20), 1e9, 1e3);
  // Half of the second cache there lies between the first, as large here, and the second, twice as large.
  EXPECT_GT(curve_of(here, "gather_rate", 1).x.front(), 1 << 19);
  EXPECT_LT(curve_of(here, "gather_rate", 1).x.front(), 1 << 20);
}

// More threads than any processor was calibrated with go as its most do.
TEST(Shipped, MoreThreadsAreAsTheMostThatShip) {
  EXPECT_EQ(shipped_threads(shipped(), 1), 1);
  EXPECT_EQ(shipped_threads(shipped(), 2), 2);
  EXPECT_EQ(shipped_threads(shipped(), 64), 2);
  EXPECT_EQ(curve_of(scaled_curves(shipped(), processor(1 << 20, 32 << 20), {}, 64), "read_bandwidth", 64).y.front(),
            16e9);
}

TEST(Shipped, TheNearestProcessorHasTheShapeAndNotTheLevel) {
  ShippedProcessor flat = shipped();
  for (Curve& curve : flat.curves)
    if (curve.name == "read_bandwidth") std::ranges::fill(curve.y, 8e9);
  flat.properties.model = "flat";
  const std::vector<ShippedProcessor> both{flat, shipped(3)};
  // A tenth as fast as the second one everywhere.
  const HostProbe probe{{{"read_bandwidth", 1, {1 << 14, 1 << 26}, {2.4e9, 0.3e9}}}, ""};
  EXPECT_EQ(&nearest_processor(both, processor(1 << 20, 32 << 20), probe), &both[1]);
  const HostProbe even{{{"read_bandwidth", 1, {1 << 14, 1 << 26}, {1e9, 1e9}}}, ""};
  EXPECT_EQ(&nearest_processor(both, processor(1 << 20, 32 << 20), even), &both[0]);
}

TEST(Shipped, ADocumentOfAnotherKindIsRefused) {
  EXPECT_THROW((void)processors_from_json(ordered_json{{"schema", "sparsecast/gpu-model/2"}}, "x.json"), Error);
  EXPECT_THROW(
      (void)processors_from_json(ordered_json{{"schema", "sparsecast/host-model/1"}, {"processors", 7}}, "x.json"),
      Error);
}

TEST(Shipped, ProcessorsAreReadAsTheyWereWritten) {
  ShippedProcessor one = shipped();
  one.kernels = {"csr"};
  one.fits = {{1, "QUJD"}};
  const std::vector<ShippedProcessor> back = processors_from_json(processors_to_json({one}), "x.json");
  ASSERT_EQ(back.size(), 1U);
  EXPECT_EQ(back[0].properties.model, one.properties.model);
  EXPECT_EQ(back[0].kernels, one.kernels);
  EXPECT_EQ(back[0].fits, one.fits);
  EXPECT_EQ(back[0].curves.size(), one.curves.size());
}

HostProbe look(double read, double product) {
  return {{{"read_bandwidth", 1, {1 << 14, 1 << 26}, {read, read / 8}},
           {"csr_product", 1, {70'000}, {product}},
           {"launch", 2, {2}, {1e-6}}},
          "2026-01-01T00:00:00Z"};
}

TEST(HostLooks, TheFastestCountsAtEveryPoint) {
  const HostProbe both = joined(std::vector{look(8e9, 2e-5), look(16e9, 3e-5)});
  EXPECT_EQ(curve_of(both.curves, "read_bandwidth", 1).y, (std::vector<double>{16e9, 2e9}));
  EXPECT_EQ(curve_of(both.curves, "csr_product", 1).y.front(), 2e-5);
}

TEST(HostLooks, AreDoubtedUntilTwoAgree) {
  const double lone = joined(std::vector{look(8e9, 2e-5)}).doubt;
  EXPECT_GT(lone, 0.1);
  EXPECT_EQ(joined(std::vector{look(8e9, 2e-5), look(8.2e9, 2.05e-5)}).doubt, 0);
  // One of the two was twice as slow all the while: by so much may the other be off, for all that is known.
  EXPECT_NEAR(joined(std::vector{look(8e9, 2e-5), look(4e9, 4e-5)}).doubt, std::log(2.0), 1e-9);
  // A third decides, whichever it confirms; and two slow ones that agree do not outvote the fastest.
  EXPECT_EQ(joined(std::vector{look(8e9, 2e-5), look(4e9, 4e-5), look(7.9e9, 2e-5)}).doubt, 0);
  EXPECT_GT(joined(std::vector{look(8e9, 2e-5), look(4e9, 4e-5), look(4e9, 4e-5)}).doubt, 0.5);
}

// In folders of their own; what a process has probed it knows by the folder.
class KeptProbe : public testing::Test {
 protected:
  void SetUp() override { setenv("SPARSECAST_HOME", home_.path().c_str(), 1); }
  void TearDown() override { unsetenv("SPARSECAST_HOME"); }
  [[nodiscard]] std::vector<fs::path> kept() const {
    std::vector<fs::path> files;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(home_.path() / "probes", none)) files.push_back(entry.path());
    return files;
  }
  [[nodiscard]] fs::path newest() const {
    const std::vector<fs::path> files = kept();
    return *std::ranges::max_element(files, {}, [](const fs::path& file) { return fs::last_write_time(file); });
  }
  // A machine whose probe no other program disturbed, and was kept. Other tests may have both cores for a while.
  [[nodiscard]] DeviceProperties undisturbed() const {
    DeviceProperties machine = here_;
    const double end = base::now_s() + 120;
    for (int attempt = 0; base::now_s() < end; ++attempt) {
      machine.microcode = std::to_string(attempt);
      (void)probe_of_host(machine);
      if (!kept().empty()) return machine;
    }
    throw std::runtime_error("all probes of two minutes were disturbed");
  }
  template <class Question>
  static int in_a_child(const Question& question) {
    const pid_t child = fork();
    if (child == 0) _exit(question() ? 0 : 1);
    int status = -1;
    return waitpid(child, &status, 0) == child ? status : -1;
  }
  test::TemporaryFolder home_;
  DeviceProperties here_ = hardware::open_device("host")->properties();
};

TEST_F(KeptProbe, HasWhatPriorsNeedOfOneThread) {
  const HostProbe probe = probe_of_host(here_);
  for (const char* name : {"read_bandwidth", "gather_rate", "csr_product", "latency"})
    EXPECT_TRUE(base::usable(curve_of(probe.curves, name, 1))) << name;
  EXPECT_EQ(curve_of(probe.curves, "fresh_bandwidth", 1).x.size(), 2U);
}

TEST_F(KeptProbe, OfAllThreadsIsWholeOrLeftOut) {
  const DeviceProperties machine = undisturbed();
  const HostProbe probe = probe_of_host(machine);
  for (const char* name : {"read_bandwidth", "gather_rate", "csr_product"})
    EXPECT_EQ(curve_of(probe.curves, name, available_cores()).x.size(), curve_of(probe.curves, name, 1).x.size())
        << name;
}

TEST_F(KeptProbe, IsTakenOnceForAHomeAndAMachine) {
  const DeviceProperties machine = undisturbed();
  const std::string taken = probe_of_host(machine).taken;
  const std::size_t files = kept().size();
  const std::string text = test::read_text(newest());
  // Another process reads the file.
  EXPECT_EQ(in_a_child([&] { return probe_of_host(machine).taken == taken; }), 0);
  EXPECT_EQ(test::read_text(newest()), text);
  EXPECT_EQ(kept().size(), files);
}

// What a process knows goes by the folder: another folder with the same file is another process.
TEST_F(KeptProbe, ALaterProcessLooksAgainUntilTwoAgree) {
  const DeviceProperties machine = undisturbed();
  const auto looks_in = [](const fs::path& file) {
    std::vector<HostProbe> looks;
    const ordered_json kept = ordered_json::parse(test::read_text(file));
    for (const auto& one : kept.at("looks")) {
      looks.emplace_back();
      for (const auto& curve : one.at("curves")) looks.back().curves.push_back(curve_from_json(curve));
    }
    return looks;
  };
  fs::path file = newest();
  std::vector<HostProbe> looks = looks_in(file);
  ASSERT_EQ(looks.size(), 1U);
  for (int process = 0; process < 30 && joined(looks).doubt > 0 && looks.size() < 5; ++process) {
    const fs::path home = home_.path() / std::to_string(process);
    fs::create_directories(home / "probes");
    fs::copy(file, home / "probes");
    file = home / "probes" / file.filename();
    setenv("SPARSECAST_HOME", home.c_str(), 1);
    const double doubt = probe_of_host(machine).doubt;
    const std::vector<HostProbe> now = looks_in(file);
    EXPECT_TRUE(now.size() == looks.size() || now.size() == looks.size() + 1) << "a look at a time, and none is lost";
    looks = now;
    EXPECT_EQ(doubt, joined(looks).doubt);
  }
  if (looks.size() < 2) GTEST_SKIP() << "others had the cores all the while";
  EXPECT_LE(looks.size(), 5U);
}

TEST_F(KeptProbe, ADamagedFileIsTakenAnew) {
  const DeviceProperties machine = undisturbed();
  for (const char* wrong : {"", "{", R"({"version": 1, "stamp": "of another machine", "taken": "", "curves": []})"}) {
    for (const fs::path& file : kept()) std::ofstream(file) << wrong;
    // A child of fork() probes its one thread, and keeps nothing.
    EXPECT_EQ(in_a_child([&] { return !probe_of_host(machine).curves.empty(); }), 0) << wrong;
  }
}

TEST_F(KeptProbe, NeedsNoFolderToWriteInto) {
  const std::string file = home_.write("file", "");
  setenv("SPARSECAST_HOME", (file + "/home").c_str(), 1);
  const Profile profile = calibrated_profile("host");
  EXPECT_EQ(profile.tier, Tier::shipped);
  EXPECT_FALSE(profile.shipped.empty());
}

TEST_F(KeptProbe, StandsInForNumbersOfThreadsThatHaveNoRecords) {
  const Profile nothing = calibrated_profile("host");
  EXPECT_EQ(nothing.tier, Tier::shipped);
  EXPECT_EQ(nothing.shipped.size(), available_cores() > 1 ? 2U : 1U);
  EXPECT_NE(nothing.curve("read_bandwidth", 1), nullptr);
  EXPECT_FALSE(fs::exists(home_.path() / "store.sqlite")) << "looking makes no store";

  Store store;
  store.begin_profile(here_, "a test");
  BenchmarkMatrix matrix;
  matrix.spec = {.kind = "poisson2d", .parameters = {.size = 10}};
  store.add_records("host", matrix,
                    {{.matrix = 0, .kernel = "csr", .threads = 1, .seconds = 1e-6, .taken = "2026-01-01T00:00:00Z"}});
  const Profile some = calibrated_profile("host");
  EXPECT_EQ(some.tier, Tier::measured);
  EXPECT_EQ(std::ranges::count(some.shipped, 1), 0) << "its calibration takes its place";
  EXPECT_EQ(some.shipped.size(), available_cores() > 1 ? 1U : 0U);
}
}  // namespace
}  // namespace sparsecast::calibration
