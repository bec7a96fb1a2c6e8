// How the command ends: killed, interrupted, asked wrongly. What a calibration has measured stays.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "support/command.hpp"
#include "support/signals.hpp"

namespace sparsecast::test {
namespace {
using nlohmann::json;

// kill -9 in the middle: what was measured before is still there, and the next run goes on from it.
TEST(Command, KilledCalibrationLosesNothing) {
  const TemporaryFolder folder;
  const std::string home = (folder.path() / "killed").string();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    with_signals_of_a_terminal();
    setenv("SPARSECAST_HOME", home.c_str(), 1);
    execl(SPARSECAST_COMMAND, "sparsecast", "calibrate", "--quick", "--quiet", "--threads", "1", nullptr);
    _exit(127);
  }
  const std::string variable = "SPARSECAST_HOME=" + home;
  const auto records = [&] {
    const CommandResult listed = sparsecast({"profiles", "list", "--json"}, {variable});
    const json profiles = json::parse(listed.out)["profiles"];
    return profiles.empty() ? 0 : profiles[0]["records"].get<int>();
  };
  int before = 0;
  for (int tries = 0; tries < 6000 && before < 20; ++tries) {  // long under a sanitizer
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    before = records();
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  ASSERT_GE(before, 20);
  const int kept = records();
  EXPECT_GE(kept, before);
  // What it finds is counted before anything is measured: it need not go on to the end.
  const CommandResult resumed =
      sparsecast({"calibrate", "--quick", "--threads", "1", "--minutes", "0.001", "--json"}, {variable});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(json::parse(resumed.out)["present"], kept);
}

// Ctrl-C: exit 130 and the records are kept.
TEST(Command, InterruptedCalibrationExits130) {
  const TemporaryFolder folder;
  const std::string home = (folder.path() / "interrupted").string();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    with_signals_of_a_terminal();
    setenv("SPARSECAST_HOME", home.c_str(), 1);
    execl(SPARSECAST_COMMAND, "sparsecast", "calibrate", "--quiet", "--threads", "1", nullptr);
    _exit(127);
  }
  EXPECT_TRUE(listens_in_time(child, SIGINT));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // in the middle, as a rule
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
}

TEST(Command, WrongUsageExitsTwo) {
  EXPECT_EQ(sparsecast({}).exit_code, 2);
  EXPECT_EQ(sparsecast({"predict"}).exit_code, 2);
  EXPECT_EQ(sparsecast({"no-such-command"}).exit_code, 2);
  EXPECT_EQ(sparsecast({"predict", "a.mtx", "--precision", "half"}).exit_code, 2);
  EXPECT_EQ(sparsecast({"predict", "a.mtx", "--threads", "0"}).exit_code, 2);
}

TEST(Command, HelpAndVersionExitZero) {
  EXPECT_EQ(sparsecast({"--help"}).exit_code, 0);
  EXPECT_EQ(sparsecast({"predict", "--help"}).exit_code, 0);
  EXPECT_EQ(sparsecast({"--version"}).out.substr(0, 10), "sparsecast");
}

TEST(Command, MissingFileAndAbsentDeviceHaveTheirExitCodes) {
  EXPECT_EQ(sparsecast({"predict", "no-such-file.mtx"}).exit_code, 3);
  const TemporaryFolder folder;
  const auto file = folder.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n");
  EXPECT_EQ(sparsecast({"measure", file.string(), "--device", "cuda:77"}).exit_code, 4);
  EXPECT_EQ(sparsecast({"calibrate", "--device", "no-such-device"}).exit_code, 2);
}

}  // namespace
}  // namespace sparsecast::test
