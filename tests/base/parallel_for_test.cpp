#include "base/parallel_for.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <atomic>
#include <sparsecast/error.hpp>
#include <stdexcept>
#include <vector>

#include "support/interrupt.hpp"

namespace sparsecast::base {
namespace {

TEST(ParallelFor, VisitsEveryIndexOnce) {
  for (const int threads : {1, 2, 5})
    for (const int count : {0, 1, 2, 1000}) {
      std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count));
      parallel_for(count, {threads}, [&](std::int64_t k) { ++visits[static_cast<std::size_t>(k)]; });
      for (const auto& visit : visits) EXPECT_EQ(visit, 1);
    }
}

TEST(ParallelFor, HasTheThreadsThatAreAskedFor) {
  std::atomic<int> most = 0;
  parallel_for(100, {3}, [&](std::int64_t) { most = omp_get_num_threads(); });
  EXPECT_EQ(most, 3);
  parallel_for(100, {1}, [&](std::int64_t) { most = omp_in_parallel(); });
  EXPECT_EQ(most, 0) << "one thread opens no region";
}

TEST(ParallelFor, CarriesAnExceptionOutOfAnyThread) {
  for (int thrower = 0; thrower < 4; ++thrower) {
    std::atomic<int> arrived = 0;
    try {
      // Each thread has one index: none takes a second before all have arrived.
      parallel_for(4, {4}, [&](std::int64_t) {
        ++arrived;
        while (arrived < 4) {
        }
        if (omp_get_thread_num() == thrower) throw std::runtime_error("from " + std::to_string(thrower));
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), "from " + std::to_string(thrower));
    }
  }
}

TEST(ParallelFor, BeginsNothingAfterAnException) {
  for (const int threads : {1, 4}) {
    std::atomic<std::int64_t> begun = 0;
    EXPECT_THROW(parallel_for(std::int64_t{1} << 30, {threads},
                              [&](std::int64_t) {
                                ++begun;
                                throw Error(ErrorCode::failed, "at once");
                              }),
                 Error);
    EXPECT_LE(begun, threads);
  }
}

TEST(ParallelFor, EndsByAnInterruptWhereAsked) {
  const test::Interrupt interrupt;
  for (const int threads : {1, 3}) {
    std::atomic<int> begun = 0;
    EXPECT_NO_THROW(parallel_for(10, {threads}, [&](std::int64_t) { ++begun; }));
    EXPECT_EQ(begun, 10);
    try {
      parallel_for(10, {threads, true}, [&](std::int64_t) { ++begun; });
      FAIL() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::interrupted);
    }
    EXPECT_EQ(begun, 10);
  }
}

}  // namespace
}  // namespace sparsecast::base
