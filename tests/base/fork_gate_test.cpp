// fork() beside requests: it waits for those of other threads, and a child says no where one took longer.

#include "base/guard/fork_gate.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <sparsecast/error.hpp>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/interrupt.hpp"
#include "base/parallel_for.hpp"

namespace sparsecast::base {
namespace {
using namespace std::chrono_literals;

enum Answer { works = 0, says_no = 1, anything_else = 2 };

Answer request() {
  try {
    const StopScope scope{std::stop_token()};
    return works;
  } catch (const Error& error) {
    return error.code() == ErrorCode::unavailable ? says_no : anything_else;
  }
}

// What a request comes to in a child; 99 where it does not end within two minutes.
int request_in_a_child() {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(120);  // whose signal ends it
    ::_exit(request());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

// Another thread that is in a request until told.
class AtWork {
 public:
  explicit AtWork(std::chrono::milliseconds at_most) {
    thread_ = std::jthread([this, at_most](const std::stop_token& stop) {
      const StopScope scope{std::stop_token()};
      begun_ = true;
      for (const auto end = std::chrono::steady_clock::now() + at_most;
           !stop.stop_requested() && std::chrono::steady_clock::now() < end;)
        std::this_thread::sleep_for(1ms);
    });
    while (!begun_) std::this_thread::yield();
  }

 private:
  std::atomic<bool> begun_ = false;
  std::jthread thread_;
};

TEST(ForkGate, AChildOfAProcessWithoutRequestsWorks) {
  EXPECT_EQ(request_in_a_child(), works);
  const StopScope own{std::stop_token()};  // fork() within a listener
  EXPECT_EQ(request_in_a_child(), works);
}

TEST(ForkGate, WaitsForWhatEndsSoon) {
  bool waited = false;  // on a busy machine the other thread may not come to its end within the gate's second
  for (int tries = 0; tries < 20 && !waited; ++tries) {
    const AtWork other(100ms);
    const int answer = request_in_a_child();
    ASSERT_TRUE(answer == works || answer == says_no) << answer;
    waited = answer == works;
  }
  EXPECT_TRUE(waited);
}

TEST(ForkGate, AChildSaysNoBehindALongRequest) {
  const AtWork other(60s);
  EXPECT_EQ(request_in_a_child(), says_no);
  EXPECT_EQ(request(), works) << "the parent goes on";
}

TEST(ForkGate, AChildsOwnLoopsAreNoRequests) {
  const AtWork other(60s);
  const pid_t child = ::fork();
  if (child == 0) {
    int seen = 0;
    try {
      parallel_for(7, {.threads = 2}, [&](std::int64_t) { ++seen; });  // of a product's first use
    } catch (const Error&) {
      ::_exit(says_no);
    }
    ::_exit(seen == 7 ? works : anything_else);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == works);
}

TEST(ForkGate, ManyForksAndRequestsAtOnceEnd) {
  std::atomic<bool> stop = false;
  std::atomic<int> wrong = 0;
  int worked = 0;
  {
    std::vector<std::jthread> threads;
    for (int k = 0; k < 3; ++k)
      threads.emplace_back([&] {
        while (!stop) wrong += request() == works ? 0 : 1;
      });
    for (int k = 0; k < 50; ++k) {
      const int answer = request_in_a_child();  // no, where a thread lost its core amid a request for a second
      worked += answer == works ? 1 : 0;
      wrong += answer == works || answer == says_no ? 0 : 1;
    }
    stop = true;
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(worked, 0);
}

}  // namespace
}  // namespace sparsecast::base
