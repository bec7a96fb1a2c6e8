#include "base/guard/descendants.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>

#include "base/child_process.hpp"
#include "support/command.hpp"
#include "support/in_time.hpp"

namespace sparsecast::base {
namespace {

TEST(Descendants, AreEndedWithAllThatTheyStarted) {
  const test::TemporaryFolder folder;
  // A child whose own child has a session of its own, as a launcher's ranks have.
  ChildJob job{.program = "sh", .arguments = {"-c", "setsid sh -c 'echo $$ > id; exec sleep 300' & wait"}};
  job.folder = folder.path();
  job.grace_s = 0.1;
  pid_t grandchild = 0;
  {
    ChildProcess child(job);
    while (test::read_text(folder.path() / "id").find('\n') == std::string::npos)
      ASSERT_FALSE(child.ended_within(0.01));
    grandchild = std::stoi(test::read_text(folder.path() / "id"));
    EXPECT_EQ(::kill(grandchild, 0), 0);
    const auto below = descendants_of(::getpid());
    EXPECT_TRUE(std::ranges::any_of(below, [&](const Descendant& d) { return d.id == grandchild; }));
  }
  // Ended, whether or not somebody has taken its end in yet.
  const auto runs = [&] {
    std::ifstream state(fmt::format("/proc/{}/stat", grandchild));
    std::string number, name, letter;
    return (state >> number >> name >> letter) && letter != "Z" && letter != "X";
  };
  EXPECT_TRUE(test::in_time([&] { return !runs(); }));
}

}  // namespace
}  // namespace sparsecast::base
