#include "base/threads.hpp"

#include <omp.h>
#include <sched.h>
#include <algorithm>
#include <limits>
#include <sparsecast/error.hpp>
#include <utility>

#include "base/clock.hpp"

namespace sparsecast {
namespace {
constexpr int most_threads = 1024;
std::atomic<int> chosen_default{0};
}  // namespace

int available_cores() {
  // Where the user has threads bound, the calling thread's own mask is one place of several.
  if (omp_get_proc_bind() != omp_proc_bind_false && omp_get_num_places() > 0) {
    int processors = 0;
    for (int place = 0; place < omp_get_num_places(); ++place) processors += omp_get_place_num_procs(place);
    return std::max(1, processors);
  }
  cpu_set_t mask;
  CPU_ZERO(&mask);
  return sched_getaffinity(0, sizeof mask, &mask) == 0 ? std::max(1, CPU_COUNT(&mask)) : 1;
}

int default_threads() {
  const int chosen = chosen_default;
  return std::min(chosen > 0 ? chosen : available_cores(), most_threads);
}

void set_default_threads(int threads) { chosen_default = threads; }

void base::allow_threads(int threads) {
  if (threads > omp_get_max_threads()) omp_set_num_threads(threads);
}

int base::thread_count(int requested) { return requested > 0 ? std::min(requested, most_threads) : default_threads(); }
}  // namespace sparsecast

namespace sparsecast::base {
double fork_join_seconds(int threads, int series) {
  constexpr int regions = 100;
  if (threads <= 1) return 0;
  double shortest = std::numeric_limits<double>::infinity();
  for (int s = 0; s < std::max(1, series); ++s) {
    const double start = now_s();
    for (int r = 0; r < regions; ++r) {
#pragma omp parallel num_threads(threads)
      asm volatile("" : : : "memory");  // nobody may drop the region
    }
    shortest = std::min(shortest, now_s() - start);
  }
  return shortest / regions;
}

namespace {
std::atomic<bool> requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "the flag is set from a signal handler");
thread_local std::stop_token own_stop;
}  // namespace

void request_interrupt() noexcept { requested.store(true, std::memory_order_relaxed); }
bool interrupt_requested() noexcept { return requested.load(std::memory_order_relaxed) || own_stop.stop_requested(); }
void forget_interrupt() noexcept { requested.store(false, std::memory_order_relaxed); }
void throw_if_interrupted() {
  if (interrupt_requested()) throw Error(ErrorCode::interrupted, "interrupted; what was measured so far is kept");
}

StopScope::StopScope(std::stop_token stop) : before_(std::exchange(own_stop, std::move(stop))) {}
StopScope::~StopScope() { own_stop = std::move(before_); }
std::stop_token StopScope::current() { return own_stop; }
}  // namespace sparsecast::base
