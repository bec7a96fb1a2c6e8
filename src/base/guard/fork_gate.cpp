#include "base/guard/fork_gate.hpp"

#include <omp.h>
#include <pthread.h>
#include <atomic>
#include <ctime>
#include <sparsecast/error.hpp>

#include "base/guard/memory_reserve.hpp"

namespace sparsecast::base {
namespace {
// Plain ones of POSIX, which a child may have anew; without destructors, since threads may outlive main().
pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int under_way = 0, forking = 0;
std::atomic<bool> amid_work{false};
thread_local int depth = 0;
thread_local bool counted = false;

// The forking thread's own request, in whose listener it may be, goes on in the child.
int of_others() { return under_way - (counted ? 1 : 0); }

// Holds the gate through fork(), so that the child has it in order.
void before_fork() {
  constexpr int longest_s = 1;
  timespec end{};
  ::clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_sec += longest_s;
  ::pthread_mutex_lock(&gate);
  ++forking;
  while (of_others() > 0 && ::pthread_cond_clockwait(&changed, &gate, CLOCK_MONOTONIC, &end) == 0) {
  }
}

void after_fork_in_parent() {
  --forking;
  ::pthread_cond_broadcast(&changed);
  ::pthread_mutex_unlock(&gate);
}

void after_fork_in_child() {
  if (of_others() > 0) amid_work = true;
  under_way = counted ? 1 : 0;
  forking = 0;
  changed = PTHREAD_COND_INITIALIZER;  // nobody waits here
  ::pthread_mutex_unlock(&gate);
}

const int registered = ::pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);

void enter() {
  if (registered != 0) return;  // no memory while the library was loaded: as if nobody ever forked
  if (amid_work.load(std::memory_order_relaxed))
    throw Error(ErrorCode::unavailable,
                "this process was forked while another thread of its parent was working on a request", {},
                "fork when no request is in progress, or start processes by spawn or exec");
  ::pthread_mutex_lock(&gate);
  while (forking > 0) ::pthread_cond_wait(&changed, &gate);
  ++under_way;
  counted = true;
  ::pthread_mutex_unlock(&gate);
}

void leave() noexcept {
  ::pthread_mutex_lock(&gate);
  --under_way;
  counted = false;
  if (forking > 0) ::pthread_cond_broadcast(&changed);
  ::pthread_mutex_unlock(&gate);
}
}  // namespace

void begin_request() {
  if (depth == 0 && omp_get_level() == 0) {  // of a team of one, too
    enter();
    put_memory_aside();
  }
  ++depth;
}

void end_request() noexcept {
  if (--depth == 0 && counted) leave();
}
}  // namespace sparsecast::base
