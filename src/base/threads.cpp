#include "base/threads.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>

namespace sparsecast::base {
namespace {
std::atomic<int> default_threads{0};
}

int available_cores() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  return sched_getaffinity(0, sizeof mask, &mask) == 0 ? std::max(1, CPU_COUNT(&mask)) : 1;
}

int thread_count(int requested) {
  if (requested <= 0) requested = default_threads;
  return std::clamp(requested <= 0 ? available_cores() : requested, 1, 1024);
}

void set_default_threads(int threads) { default_threads = threads; }

}  // namespace sparsecast::base
