#include "base/machine/core_wait.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

#include "base/clock.hpp"
#include "support/command.hpp"

namespace sparsecast::base {
namespace {

TEST(CoreWait, IsTheShareOfTheTimeThatThreadsWantedToRun) {
  const test::TemporaryFolder tasks;
  const auto put = [&](const std::string& thread, const std::string& text) {
    std::filesystem::create_directories(tasks.path() / thread);
    tasks.write(thread + "/schedstat", text);
  };
  put("7", "1000000000 500000000 12\n");
  const CoreWait wait(tasks.path());
  EXPECT_FALSE(wait.share()) << "none has run since";
  put("7", "2500000000 1000000000 30\n");
  put("8", "500000000 1500000000 3\n");
  EXPECT_DOUBLE_EQ(wait.share().value(), 0.5) << "1.5 s ran and 0.5 s waited, 0.5 s and 1.5 s of a thread that began";
  put("7", "100000000 0 1\n");
  EXPECT_DOUBLE_EQ(wait.share().value(), 1.5 / 2.1) << "another thread has the number";
  put("7", "not numbers\n");
  put("8", "");
  EXPECT_FALSE(wait.share());
  EXPECT_FALSE(CoreWait(tasks.path() / "missing").share()) << "the kernel does not tell";
}

// Two threads that may only run on one core wait for each other, whatever else runs here.
TEST(CoreWait, SeesThreadsThatShareACore) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++core)
    if (CPU_ISSET(core, &before)) CPU_SET(core, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const auto work = [] {
    [[maybe_unused]] volatile double kept = 0;
    for (const double end = now_s() + 0.3; now_s() < end;) kept = kept + 1;
  };
  const CoreWait wait;
  std::optional<double> share;
  {
    std::jthread other(work);
    work();
    share = wait.share();
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  if (!share) GTEST_SKIP() << "this kernel does not tell how long threads wait";
  EXPECT_GT(*share, 0.3);
}
}  // namespace
}  // namespace sparsecast::base
