#include "base/guard/sandbox.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/child_process.hpp"
#include "base/guard/program_rules.hpp"
#include "support/command.hpp"

namespace sparsecast::base {
namespace {

namespace fs = std::filesystem;

TEST(Sandbox, ProgramsOfOthersWriteToTheirFoldersAloneAndHaveNoNetwork) {
  const test::TemporaryFolder own, other;
  ChildJob job{
      .program = "sh",
      .arguments = {"-c", fmt::format("echo x > {0}/y && mv {0}/y {0}/z && cat /etc/passwd > /dev/null; echo $? "
                                      "> {0}/own; echo x > {1}/y; echo $? > {0}/other; "
                                      "perl -MSocket -e 'socket(S, PF_INET, SOCK_STREAM, 0) or exit 7'; echo "
                                      "$? > {0}/network",
                                      own.path().string(), other.path().string())}};
  job.errors = {ChildOutput::To::caught};
  job.writes_beneath = {own.path()};
  const auto said = [&](const char* file) { return test::read_text(own.path() / file); };
  {
    const ProgramScope guard({.confined = true});
    EXPECT_EQ(run_child(job).exit_status, 0);
  }
  EXPECT_EQ(said("own"), "0\n");
  EXPECT_EQ(said("network"), "7\n");
  EXPECT_EQ(fs::exists(other.path() / "y"), !Sandbox::holds_files());
  EXPECT_EQ(run_child(job).exit_status, 0);  // and by itself it may
  EXPECT_EQ(said("other"), "0\n");
  EXPECT_EQ(said("network"), "0\n");
}

}  // namespace
}  // namespace sparsecast::base
