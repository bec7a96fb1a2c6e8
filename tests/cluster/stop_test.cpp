// A signal to the command ends the ranks that it started through mpirun; the job's folder and what mpirun kept in
// temporary ones go with them.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <sparsecast/generate.hpp>
#include <sparsecast/write.hpp>

#include <csignal>
#include <sstream>

#include "mpi.hpp"
#include "support/command.hpp"
#include "support/in_time.hpp"
#include "support/parts.hpp"
#include "support/signals.hpp"

namespace sparsecast::cluster {
namespace {

namespace fs = std::filesystem;

constexpr int ranks = 2;

/// Numbers of the processes that are ranks, once all have begun their program; none where that does not come.
std::vector<pid_t> ranks_in(const fs::path& file, pid_t command) {
  for (int turn = 0; turn < 2400 && ::waitpid(command, nullptr, WNOHANG) == 0; ++turn, ::usleep(50'000)) {
    std::istringstream lines(test::read_text(file));
    std::vector<pid_t> ids;
    for (pid_t id = 0; lines >> id;) ids.push_back(id);
    if (ids.size() < ranks) continue;
    bool all = true;
    for (const pid_t id : ids)
      all = all && test::read_text("/proc/" + std::to_string(id) + "/cmdline").find("sparsecast-rank") < 256;
    if (all) return ids;
  }
  return {};
}

/// Whether a process still works; one that nobody took leave of does not.
bool lives(pid_t id) {
  const std::string stat = test::read_text("/proc/" + std::to_string(id) + "/stat");
  const std::size_t bracket = stat.rfind(')');
  return bracket != std::string::npos && stat.size() > bracket + 2 && stat[bracket + 2] != 'Z';
}

class StoppedRun : public ::testing::TestWithParam<int> {
 protected:
  // A launcher whose ranks leave their numbers and become the rank program.
  std::string launcher() const {
    const fs::path rank =
        folder.write("rank.sh", "#!/bin/bash\necho $$ >>" + (folder.path() / "ranks").string() + "\nexec \"$@\"\n");
    const fs::path wrapper =
        folder.write("launcher.sh", "#!/bin/bash\nexec mpirun \"$1\" \"$2\" " + rank.string() + " \"${@:3}\"\n");
    for (const fs::path& file : {rank, wrapper}) ::chmod(file.c_str(), 0700);
    return wrapper.string();
  }
  test::TemporaryFolder folder;
};

TEST_P(StoppedRun, LeavesNoRankAndNoJob) {
  if (!has_mpi()) SKIP_OR_FAIL(test::parts::mpi);
  const fs::path matrix = folder.path() / "m.mtx";
  write_matrix_market(generate({.kind = "poisson2d", .parameters = {.size = 60}}), matrix);
  const std::string home = "SPARSECAST_HOME=" + (folder.path() / "home").string(), wrapper = launcher();
  const fs::path temporary = folder.path() / "tmp";
  fs::create_directory(temporary);
  const pid_t command = ::fork();
  ASSERT_GE(command, 0);
  if (command == 0) {
    test::with_signals_of_a_terminal();
    ::putenv(const_cast<char*>(home.c_str()));
    ::setenv("TMPDIR", temporary.c_str(), 1);
    static_cast<void>(!::freopen("/dev/null", "w", stdout));
    static_cast<void>(!::freopen("/dev/null", "w", stderr));
    // More products than anybody would wait for.
    ::execl(SPARSECAST_COMMAND, SPARSECAST_COMMAND, "cluster", "measure", matrix.c_str(), "--processes", "2", "--way",
            "l1dr", "--format", "csr", "--iterations", "1000000", "--budget", "600", "--launcher", wrapper.c_str(),
            nullptr);
    ::_exit(127);
  }
  const std::vector<pid_t> found = ranks_in(folder.path() / "ranks", command);
  EXPECT_EQ(found.size(), ranks);
  ::kill(command, GetParam());
  int status = 0;
  ::waitpid(command, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  for (const pid_t id : found) EXPECT_TRUE(test::in_time([&] { return !lives(id); })) << id;
  std::error_code none;
  for (const fs::path& place : {folder.path() / "home" / "cluster-jobs", temporary})
    for (const auto& left : fs::directory_iterator(place, none)) ADD_FAILURE() << left.path();
}
INSTANTIATE_TEST_SUITE_P(Signals, StoppedRun, ::testing::Values(SIGINT, SIGTERM));

}  // namespace
}  // namespace sparsecast::cluster
