#include "base/team.hpp"

#include <omp.h>
#include <pthread.h>
#include <algorithm>
#include <atomic>

namespace sparsecast::base {
namespace {
std::atomic<bool> forked{false};

// Registered while the library is loaded, before any thread of it can be at work.
const int registered = ::pthread_atfork(nullptr, nullptr, [] { forked.store(true, std::memory_order_relaxed); });
}  // namespace

bool is_forked_child() noexcept { return registered == 0 && forked.load(std::memory_order_relaxed); }

int team_of(int wanted) noexcept { return is_forked_child() ? 1 : std::max(1, wanted); }

int most_in_team() noexcept { return is_forked_child() ? 1 : omp_get_max_threads(); }
}  // namespace sparsecast::base
