// The command's side of starting ranks, with launchers that are scripts of this test.

#include "cluster/launch/launcher.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>
#include <string>

#include "base/temporary_folder.hpp"
#include "support/command.hpp"

namespace sparsecast::cluster {
namespace {
using test::TemporaryFolder;

// A launcher that runs `body` with the job folder in $folder, whatever the ranks would have been.
std::string script(const TemporaryFolder& folder, const std::string& body) {
  const auto file = folder.write("launcher", "#!/bin/bash\nfolder=${@: -1}\n" + body);
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  return file.string();
}

class Launcher : public ::testing::Test {
 protected:
  void SetUp() override { setenv("SPARSECAST_RANK", "/bin/true", 1); }
  void TearDown() override { unsetenv("SPARSECAST_RANK"); }

  TemporaryFolder folder, scripts;

  std::string run(const std::string& body, double patience_s = 20) {
    Launch launch;
    launch.launcher = script(scripts, body);
    launch.patience_s = patience_s;
    return run_ranks(launch, Job{}, folder.path());
  }
  Error error_of(const std::string& body, double patience_s = 20) {
    try {
      run(body, patience_s);
    } catch (const Error& error) {
      return error;
    }
    ADD_FAILURE() << "no error from: " << body;
    return {ErrorCode::failed, ""};
  }
};

TEST_F(Launcher, ReturnsTheOutcome) {
  EXPECT_EQ(run("echo '{\"cases\":[]}' > \"$folder/outcome.json\""), "{\"cases\":[]}\n");
}

TEST_F(Launcher, ThrowsWhatTheRanksAgreedOn) {
  const Error error = error_of(
      R"(echo '{"error":{"code":3,"reason":"bad","file":"a.mtx","line":7,"column":0,"remedy":"mend it"}}' > "$folder/outcome.json"; exit 3)");
  EXPECT_EQ(error.code(), ErrorCode::bad_input);
  EXPECT_STREQ(error.what(), "a.mtx:7: bad; mend it");
}

TEST_F(Launcher, SaysWhatEndedTheRanks) {
  const Error error = error_of("echo ------ >&2; echo 'process rank 2 exited on signal 9 (Killed).' >&2; exit 137");
  EXPECT_EQ(error.code(), ErrorCode::failed);
  EXPECT_NE(std::string(error.what()).find("rank 2 exited on signal 9"), std::string::npos);
}

TEST_F(Launcher, EndsARunThatFallsSilent) {
  const Error error = error_of("sleep 300", 0.5);  // which would end with no outcome
  EXPECT_NE(std::string(error.what()).find("no sign of life"), std::string::npos);
}

TEST_F(Launcher, WaitsWhileRank0SaysThatItIsAlive) {
  // Ten times as patient as the signs are apart; in all the run takes longer than that.
  EXPECT_NO_THROW(run(
      "for k in {1..12}; do sleep 0.3; echo $k > \"$folder/alive\"; done; echo '{}' > \"$folder/outcome.json\"", 3));
}

TEST_F(Launcher, MissingIsUnavailable) {
  Launch launch;
  launch.launcher = "no-such-launcher --flag";
  try {
    run_ranks(launch, Job{}, folder.path());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unavailable);
  }
}

TEST_F(Launcher, CommandLinesSuitTheLauncher) {
  Launch launch;
  launch.processes = 8;
  launch.launcher = "srun --cpu-bind=cores";
  EXPECT_EQ(launch_command(launch, "/r", "/f"),
            (std::vector<std::string>{"srun", "--cpu-bind=cores", "-n", "8", "--kill-on-bad-exit=1", "/r", "/f"}));
  launch.launcher = "mpirun";
  EXPECT_EQ(launch_command(launch, "/r", "/f"), (std::vector<std::string>{"mpirun", "-n", "8", "/r", "/f"}));
  launch.launcher = " ";
  EXPECT_THROW(launch_command(launch, "/r", "/f"), Error);
}

TEST(JobFolder, IsGoneAfterwards) {
  const TemporaryFolder scratch;
  std::filesystem::path path;
  {
    const base::TemporaryFolder owner(job_place(scratch.path()));
    path = owner.path();
    EXPECT_TRUE(std::filesystem::is_directory(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}
}  // namespace
}  // namespace sparsecast::cluster
