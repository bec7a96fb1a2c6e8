// Teams in a child of fork(), which has none of the threads of its parent.

#include "base/team.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "base/parallel_for.hpp"
#include "base/threads.hpp"

namespace sparsecast::base {
namespace {

// The exit status of `work` in a child; 99 where it did not end within two minutes.
template <class Work>
int in_a_child(const Work& work) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(120);  // whose signal ends it
    _exit(work());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

int indices_seen(int threads) {
  std::atomic<int> seen = 0;
  parallel_for(7, {threads}, [&](std::int64_t) { ++seen; });
  return seen;
}

TEST(Team, OfAForkedChildIsOneThread) {
  ASSERT_EQ(indices_seen(2), 7);  // the parent has threads now
  EXPECT_FALSE(is_forked_child());
  EXPECT_EQ(team_of(2), 2);
  EXPECT_EQ(in_a_child([] { return is_forked_child() && team_of(2) == 1 && most_in_team() == 1 ? 0 : 1; }), 0);
  EXPECT_EQ(in_a_child([] { return indices_seen(2) == 7 ? 0 : 1; }), 0) << "a loop for two threads must end";
  EXPECT_EQ(in_a_child([] { return default_threads() == 1 ? 0 : 1; }), 0);
  EXPECT_EQ(in_a_child([] { return in_a_child([] { return team_of(2) == 1 ? 0 : 1; }); }), 0) << "a child's child";
  EXPECT_EQ(team_of(2), 2) << "the parent keeps its own";
}

TEST(Team, IsOneThreadWhereNoOtherStarts) {
  // A fresh thread, which has had no larger team yet; nothing else of this process needs address space meanwhile.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  int alone = 0, seen = 0;
  std::jthread([&] {
    // What is this thread's own is there already: the C library ends a process that has no memory for it.
    (void)StopScope::current();
    (void)program_rules();
    const rlimit none{1 << 20, before.rlim_max};
    ::setrlimit(RLIMIT_AS, &none);
    alone = team_of(1000);  // more than stacks that are kept for the next thread
    seen = indices_seen(1000);
    ::setrlimit(RLIMIT_AS, &before);
  }).join();
  EXPECT_EQ(alone, 1);
  EXPECT_EQ(seen, 7) << "libgomp ends the process instead";
}

TEST(Team, HasAtLeastOneThread) {
  EXPECT_EQ(team_of(0), 1);
  EXPECT_EQ(team_of(-3), 1);
}

}  // namespace
}  // namespace sparsecast::base
