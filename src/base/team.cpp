#include "base/team.hpp"

#include <omp.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <exception>

namespace sparsecast::base {
namespace {
std::atomic<bool> forked{false};

// Registered while the library is loaded, before any thread of it can be at work.
const int registered = ::pthread_atfork(nullptr, nullptr, [] { forked.store(true, std::memory_order_relaxed); });

/// What a thread of startable() does: it ends when the gate opens, which is when all have begun.
void* wait_for_all(void* gate) {
  ::pthread_mutex_lock(static_cast<pthread_mutex_t*>(gate));
  ::pthread_mutex_unlock(static_cast<pthread_mutex_t*>(gate));
  return nullptr;
}

/// How many threads beside the calling one the system lets run at once, `wanted` at most; 0 where there is no more
/// room.
int startable(int wanted) noexcept {
  constexpr std::size_t most = 1024;  // thread_count()
  std::array<pthread_t, most> threads{};
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  ::pthread_mutex_lock(&gate);
  std::size_t begun = 0;
  while (begun < std::min(most, static_cast<std::size_t>(wanted)) &&
         ::pthread_create(&threads[begun], nullptr, wait_for_all, &gate) == 0)
    ++begun;
  // Beside their stacks they need room for what is thread-local, without which the C library ends the process.
  constexpr std::size_t room = 8U << 20;
  void* const spare = ::mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (spare != MAP_FAILED) ::munmap(spare, room);
  ::pthread_mutex_unlock(&gate);
  for (std::size_t k = 0; k < begun; ++k) ::pthread_join(threads[k], nullptr);
  return spare == MAP_FAILED ? 0 : static_cast<int>(begun);
}

// libgomp ends the process where a thread cannot be started (RLIMIT_AS, RLIMIT_NPROC, a control group's pids.max). So
// the first region of a thread, and each larger one, finds out; where one is missing the calling thread works alone,
// since libgomp asks for more memory than the threads' own. Where address space is not limited, once for all threads:
// on 128 cores it would take milliseconds of each request, which has a thread of its own in Python.
int allowed(int wanted) noexcept {
  thread_local int largest = 1;
  static std::atomic<int> of_any_thread{1};
  if (wanted <= largest) return wanted;
  rlimit space{};
  const bool unlimited = ::getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur == RLIM_INFINITY;
  if (!unlimited || wanted > of_any_thread.load(std::memory_order_relaxed)) {
    if (startable(wanted - 1) < wanted - 1) return 1;
    of_any_thread.store(wanted, std::memory_order_relaxed);
    // The team itself and what is thread-local in it, of exceptions' too, while there is room for them.
    std::atomic<int> exceptions{0};
#pragma omp parallel num_threads(wanted)
    exceptions += std::uncaught_exceptions() + largest;
  }
  return largest = wanted;
}
}  // namespace

bool is_forked_child() noexcept { return registered == 0 && forked.load(std::memory_order_relaxed); }

int team_of(int wanted) noexcept { return wanted <= 1 || is_forked_child() ? 1 : allowed(wanted); }

int most_in_team() noexcept { return is_forked_child() ? 1 : omp_get_max_threads(); }
}  // namespace sparsecast::base
