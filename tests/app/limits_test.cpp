// The command where the system gives little: an address space, files, a place for temporary files, standard streams. It
// does its work or says in one line that it cannot; no library ends the process, nothing temporary is left.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/command.hpp"

namespace sparsecast::test {
namespace {

namespace fs = std::filesystem;

class Limits : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(temporary_);
    matrix_ = (folder_.path() / "a.mtx").string();
    ASSERT_EQ(sparsecast({"generate", "poisson2d", "--size", "60", "-o", matrix_}).exit_code, 0);
    program_ = folder_.write("p.m", "%SLM start a;\nx = rand(9, 1);\ny = x'*x;\n%SLM end a;\n").string();
  }

  [[nodiscard]] std::vector<std::vector<std::string>> commands() const {
    const std::string page = (folder_.path() / "page.html").string();
    return {{"info", matrix_, "--quiet"},
            {"predict", matrix_, "--quiet", "--no-probe"},
            {"plan", matrix_, "--quiet", "--no-probe"},
            {"solve", matrix_, "--quiet", "--no-probe"},
            {"report", matrix_, "--quiet", "--no-measure", "-o", page},
            {"profiles", "list"},
            {"traffic", program_, "--quiet"}};
  }

  // `first` is what a shell does before it becomes the command.
  [[nodiscard]] CommandResult run(const std::string& first, const std::vector<std::string>& command) const {
    std::vector<std::string> words{"-c", first + "\nexec \"$@\"", "sh", SPARSECAST_COMMAND};
    words.insert(words.end(), command.begin(), command.end());
    return run_program("/bin/sh", words,
                       {"SPARSECAST_HOME=" + (folder_.path() / "home").string(), "TMPDIR=" + temporary_.string()});
  }

  // Runs all commands; the number of those that did their work.
  int done(const std::string& first, bool may_leave = false) const {
    int count = 0;
    for (const std::vector<std::string>& command : commands()) {
      SCOPED_TRACE(first + ": " + command.front());
      const CommandResult said = run(first, command);
      count += said.exit_code == 0 ? 1 : 0;
      if (said.exit_code == 127 && said.err.find("shared librar") != std::string::npos) continue;  // not begun
      EXPECT_LE(said.exit_code, 4) << said.err;
      EXPECT_EQ(said.err.find("libgomp"), std::string::npos) << said.err;
      if (said.exit_code != 0) {
        EXPECT_EQ(std::ranges::count(said.err, '\n'), 1) << said.err;
      }
      EXPECT_TRUE(may_leave || fs::is_empty(temporary_));
      for (const auto& left : fs::directory_iterator(temporary_)) fs::remove_all(left);
    }
    return count;
  }

  TemporaryFolder folder_;
  fs::path temporary_ = folder_.path() / "tmp";
  std::string matrix_, program_;
};

TEST_F(Limits, LittleAddressSpaceSufficesOrIsSaid) {
  // From less than the libraries themselves need to enough for all; of a thread's stack alone 8 MB are asked for.
  for (const int megabytes : {205, 215, 230, 260}) done("ulimit -v " + std::to_string(megabytes) + "000");
  EXPECT_GE(done("ulimit -v 1000000"), 6);
}

TEST_F(Limits, FewOpenFilesSufficeOrAreSaid) {
  // Who can open no file at all can list no folder, and leaves it.
  for (const int files : {4, 8}) done("ulimit -n " + std::to_string(files), true);
  EXPECT_GE(done("ulimit -n 64"), 6);
}

TEST_F(Limits, StandardStreamsNeedNotBeThere) {
  EXPECT_GE(done("exec <&-"), 6);
  for (const std::vector<std::string>& command : commands())
    EXPECT_LE(run("exec <&- >&- 2>&-", command).exit_code, 4) << command.front();
  EXPECT_EQ(run("", {"profiles", "list", "--json"}).exit_code, 0) << "nothing was printed into the store";
}

TEST_F(Limits, AFullPlaceForTemporaryFilesIsSaid) {
  const std::string mount = "unshare -rm /bin/sh -c 'mount -t tmpfs -o size=16k none \"$TMPDIR\"";
  if (run_program("/bin/sh", {"-c", mount + "'"}, {"TMPDIR=" + temporary_.string()}).exit_code != 0)
    GTEST_SKIP() << "file systems cannot be mounted here";
  const std::string fill = mount + " && { head -c 99999 /dev/zero > \"$TMPDIR/full\" 2>&1; exec \"$0\" \"$@\"; }'";
  for (const std::vector<std::string>& command : commands()) {
    SCOPED_TRACE(command.front());
    std::vector<std::string> words{"-c", "exec " + fill + " \"$@\"", "sh", SPARSECAST_COMMAND};
    words.insert(words.end(), command.begin(), command.end());
    const CommandResult said = run_program(
        "/bin/sh", words, {"SPARSECAST_HOME=" + (folder_.path() / "home").string(), "TMPDIR=" + temporary_.string()});
    const bool needs_room = command.front() == "traffic";
    EXPECT_EQ(said.exit_code, needs_room ? 1 : 0) << said.err;
    EXPECT_EQ(said.err.find("No space left") != std::string::npos, needs_room) << said.err;
  }
}

}  // namespace
}  // namespace sparsecast::test
