// Other programs as children: what they get, what comes back, and that nothing of them outlives its time.

#include "base/child_process.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <sparsecast/error.hpp>
#include <thread>

#include "base/interrupt.hpp"
#include "base/temporary_folder.hpp"
#include "support/command.hpp"
#include "support/in_time.hpp"
#include "support/interrupt.hpp"

namespace sparsecast::base {
namespace {

namespace fs = std::filesystem;
using test::read_text;
using test::TemporaryFolder;

// Time limits of what is to begin before it is ended: a busy machine takes seconds to start three programs.
constexpr double enough_to_begin_s = 5;

// A script with both outputs caught.
ChildJob shell(const std::string& script) {
  ChildJob job;
  job.program = "sh";
  job.arguments = {"-c", script};
  job.output = job.errors = {ChildOutput::To::caught};
  return job;
}

Error error_of(const ChildJob& job) {
  try {
    (void)run_child(job);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return {ErrorCode::failed, ""};
}

// Whether the process whose number the file holds has ended, perhaps in a moment: its parent may have to take it in.
bool is_gone(const fs::path& file) {
  const int id = std::stoi(read_text(file));
  return test::in_time([&] {
    const std::string state = read_text("/proc/" + std::to_string(id) + "/stat");
    return state.empty() || state.find(") Z ") != std::string::npos;
  });
}

TEST(Child, BringsBackItsOutputsAndItsStatus) {
  const auto end = run_child(shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(end.output, "out\n");
  EXPECT_EQ(end.errors, "err\n");
  EXPECT_EQ(end.exit_status, 3);
  EXPECT_EQ(end.signal, 0);
  EXPECT_FALSE(end.timed_out);
  EXPECT_FALSE(end.cut);
}

TEST(Child, GetsItsWordsAsTheyAre) {
  ChildJob job;
  job.program = "printf";
  job.arguments = {"%s|", "a b", "$HOME", "'", ""};
  job.output = {ChildOutput::To::caught};
  EXPECT_EQ(run_child(job).output, "a b|$HOME|'||");
}

TEST(Child, GetsItsFolderItsVariablesAndNoInput) {
  const TemporaryFolder folder;
  auto job = shell("pwd; echo $A $B $HOME; cat");
  job.folder = folder.path();
  job.environment.set("A", "1");
  job.environment.set("A", "2");
  job.environment.set("B", "3");
  job.environment.set_where_missing("B", "4");
  job.environment.remove("HOME");
  EXPECT_EQ(run_child(job).output, fs::canonical(folder.path()).string() + "\n2 3\n");
}

TEST(Child, WritesIntoFilesForItsOwnerAlone) {
  const TemporaryFolder folder;
  auto job = shell("echo out; echo err >&2");
  job.output = {ChildOutput::To::file, folder.path() / "log"};
  job.errors = {ChildOutput::To::with_the_output};
  const auto end = run_child(job);
  EXPECT_EQ(read_text(folder.path() / "log"), "out\nerr\n");
  EXPECT_EQ(end.output + end.errors, "");
  struct stat status {};
  ASSERT_EQ(stat((folder.path() / "log").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST(Child, ErrorsGoWhereTheOutputGoes) {
  auto job = shell("echo out; echo err >&2");
  job.errors = {ChildOutput::To::with_the_output};
  EXPECT_EQ(run_child(job).output, "out\nerr\n");
}

TEST(Child, MayWriteMoreThanIsKept) {
  auto job = shell("head -c 3000000 /dev/zero | tr '\\0' x; echo done >&2");
  job.most_caught = 1000;
  const auto end = run_child(job);
  EXPECT_EQ(end.output, std::string(1000, 'x'));
  EXPECT_EQ(end.errors, "done\n");
  EXPECT_TRUE(end.cut);
  EXPECT_EQ(end.exit_status, 0);
}

TEST(Child, TellsTheSignalThatEndedIt) {
  const auto end = run_child(shell("kill -SEGV $$"));
  EXPECT_EQ(end.signal, SIGSEGV);
  EXPECT_EQ(end.exit_status, 128 + SIGSEGV);
}

TEST(Child, IsEndedWithItsGroupAtItsTimeLimit) {
  const TemporaryFolder folder;
  auto job = shell("sleep 300 & echo $! > below; echo $$ > own; wait");
  job.folder = folder.path();
  job.time_limit_s = enough_to_begin_s;
  const auto end = run_child(job);
  EXPECT_TRUE(end.timed_out);
  EXPECT_TRUE(is_gone(folder.path() / "own"));
  EXPECT_TRUE(is_gone(folder.path() / "below"));
}

TEST(Child, ThatDoesNotListenIsEndedAllTheSame) {
  auto job = shell("trap '' TERM; echo deaf; while true; do sleep 0.1; done");
  job.time_limit_s = enough_to_begin_s;
  job.grace_s = 0.1;
  const auto end = run_child(job);
  EXPECT_TRUE(end.timed_out);
  EXPECT_EQ(end.signal, SIGKILL);
  EXPECT_EQ(end.output, "deaf\n");
}

TEST(Child, IsEndedWithItsGroupByAnInterrupt) {
  const TemporaryFolder folder;
  auto job = shell("sleep 300 & echo $! > below; echo $$ > own.new; mv own.new own; wait");
  job.folder = folder.path();
  std::thread user([&] {
    while (!fs::exists(folder.path() / "own")) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    request_interrupt();
  });
  EXPECT_EQ(error_of(job).code(), ErrorCode::interrupted);
  user.join();
  forget_interrupt();
  EXPECT_TRUE(is_gone(folder.path() / "own"));
  EXPECT_TRUE(is_gone(folder.path() / "below"));
}

TEST(Child, EndsWithTheObjectThatHoldsIt) {
  const TemporaryFolder folder;
  auto job = shell("echo $$ > own.new; mv own.new own; sleep 300");
  job.folder = folder.path();
  {
    ChildProcess child(job);
    while (!fs::exists(folder.path() / "own")) EXPECT_FALSE(child.ended_within(0.01));
  }
  EXPECT_TRUE(is_gone(folder.path() / "own"));
}

// Where the process was killed nobody is left to make a child end that does not listen.
TEST(Child, DiesWithTheThreadThatStartedIt) {
  for (const int last_signal : {SIGKILL, SIGTERM}) {
    const TemporaryFolder folder;
    auto job = shell(std::string(last_signal == SIGKILL ? "trap '' TERM; " : "") +
                     "echo $$ > own.new; mv own.new own; exec sleep 300");
    job.folder = folder.path();
    if (last_signal != SIGKILL) job.last_signal = last_signal;
    std::unique_ptr<ChildProcess> child;
    std::thread([&] {
      child = std::make_unique<ChildProcess>(job);
      while (!fs::exists(folder.path() / "own")) EXPECT_FALSE(child->ended_within(0.01));
    }).join();
    EXPECT_TRUE(child->ended_within(120));
    EXPECT_EQ(child->end().signal, last_signal);
  }
}

TEST(Child, ThatEndedIsNotHeldUpByWhatItLeftRunning) {
  const TemporaryFolder folder;
  auto job = shell("sleep 300 & echo $! > below; echo out");
  job.folder = folder.path();
  job.time_limit_s = 60;
  const auto end = run_child(job);
  EXPECT_EQ(end.output, "out\n");
  EXPECT_FALSE(end.timed_out);
  kill(std::stoi(read_text(folder.path() / "below")), SIGKILL);
}

TEST(Child, LeavesNothingWhereThatIsAskedFor) {
  const TemporaryFolder folder;
  const std::string script =
      "(setsid sh -c 'echo $$ > far; exec sleep 300' &) ; sleep 300 & echo $! > near; while ! test -s far; do :; "
      "done; ";
  for (const std::string end : {"exit 0", "wait"}) {
    auto job = shell(script + end);
    job.folder = folder.path();
    job.time_limit_s = end == "wait" ? enough_to_begin_s : 60;
    job.leaves_nothing = true;
    EXPECT_EQ(run_child(job).timed_out, end == "wait");
    EXPECT_TRUE(is_gone(folder.path() / "near"));
    EXPECT_TRUE(is_gone(folder.path() / "far"));
    fs::remove(folder.path() / "far");
  }
}

TEST(Child, ThatIsNotHereOrDoesNotStartIsUnavailable) {
  ChildJob job;
  job.program = "no-such-program";
  EXPECT_EQ(error_of(job).code(), ErrorCode::unavailable);
  const TemporaryFolder folder;
  const auto file = folder.write("program", "#!/no/such/interpreter\n");
  job.program = file.string();
  EXPECT_EQ(error_of(job).code(), ErrorCode::unavailable) << "may not be executed";
  fs::permissions(file, fs::perms::owner_all);
  const auto error = error_of(job);
  EXPECT_EQ(error.code(), ErrorCode::unavailable);
  EXPECT_NE(error.reason().find("No such file or directory"), std::string::npos) << error.reason();
}

TEST(Child, ThatHasNoPlaceForItsOutputDoesNotStart) {
  const TemporaryFolder folder;
  auto job = shell("echo out > ran");
  job.folder = folder.path();
  job.output = {ChildOutput::To::file, folder.path() / "no" / "log"};
  const auto error = error_of(job);
  EXPECT_EQ(error.code(), ErrorCode::failed);
  EXPECT_EQ(error.place().file, job.output.path.string());
  EXPECT_FALSE(fs::exists(folder.path() / "ran"));
}

TEST(Child, HasNoMoreFilesThanItIsGiven) {
  const test::TemporaryFolder folder;
  ChildJob job{.program = "sh", .arguments = {"-c", "head -c 100000 /dev/zero > big; test $? -ne 0"}};
  job.folder = folder.path();
  job.errors = {ChildOutput::To::caught};
  job.most_file_bytes = 10000;
  EXPECT_EQ(run_child(job).exit_status, 0);
  EXPECT_LE(fs::file_size(folder.path() / "big"), 10000U);
}

TEST(Program, IsFoundOnThePathOrByItsPath) {
  EXPECT_EQ(find_program("sh").filename(), "sh");
  EXPECT_TRUE(find_program("sh").is_absolute());
  EXPECT_EQ(find_program("/bin/sh"), "/bin/sh");
  EXPECT_EQ(find_program("/bin"), "");
  EXPECT_EQ(find_program("no-such-program"), "");
}

}  // namespace
}  // namespace sparsecast::base
