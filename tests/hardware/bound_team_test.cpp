// Threads that are measured: each on a processor of its own, and free again afterwards.

#include <gtest/gtest.h>
#include <omp.h>
#include <sched.h>

#include <set>
#include <sparsecast/threads.hpp>
#include <vector>

#include "hardware/host/bound_team.hpp"
#include "hardware/host/topology.hpp"

namespace sparsecast::hardware {
namespace {

// Of each thread: how many processors it may use, and where it is.
struct Places {
  std::vector<int> allowed, at;
};

Places places(int threads) {
  Places seen{std::vector<int>(threads), std::vector<int>(threads)};
#pragma omp parallel num_threads(threads)
  {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    const int me = omp_get_thread_num();
    seen.allowed[me] = sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : 0;
    seen.at[me] = sched_getcpu();
  }
  return seen;
}

TEST(BoundTeam, ThreadsHaveAProcessorEachAndAreFreeAfterwards) {
  if (available_cores() < 2 || omp_get_proc_bind() != omp_proc_bind_false) GTEST_SKIP() << "nothing to bind";
  const int all = available_cores();
  {
    const BoundTeam bound(2);
    const Places during = places(2);
    EXPECT_EQ(during.allowed, (std::vector{1, 1}));
    EXPECT_NE(during.at[0], during.at[1]);
  }
  EXPECT_EQ(places(2).allowed, (std::vector{all, all}));
  EXPECT_EQ(available_cores(), all);
}

TEST(BoundTeam, AnotherTeamInBetweenIsBoundAgain) {
  if (available_cores() < 2 || omp_get_proc_bind() != omp_proc_bind_false) GTEST_SKIP() << "nothing to bind";
  const BoundTeam bound(2);
  (void)places(1);
  (void)places(3);  // a third thread starts where the first one stands, and ends with the next team of two
  bound.again();
  const Places after = places(2);
  EXPECT_NE(after.at[0], after.at[1]);
}

TEST(BoundTeam, MoreThreadsThanProcessorsStayFree) {
  const int all = available_cores();
  const BoundTeam bound(all + 1);
  EXPECT_EQ(available_cores(), all);
}

TEST(Topology, ProcessorsInOrderAreDistinct) {
  const std::vector<int> processors = processors_by_core();
  const std::set<int> distinct(processors.begin(), processors.end());
  EXPECT_EQ(distinct.size(), processors.size());
  if (processors.empty()) return;  // without hwloc
  EXPECT_EQ(processors.size(), static_cast<std::size_t>(available_cores()));
}

}  // namespace
}  // namespace sparsecast::hardware
