#include "base/interrupt.hpp"

#include <atomic>
#include <sparsecast/error.hpp>
#include <utility>

#include "base/guard/fork_gate.hpp"

namespace sparsecast::base {
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

// Every request has one, which is what fork() has to know of it.
StopScope::StopScope(std::stop_token stop) : before_((begin_request(), std::exchange(own_stop, std::move(stop)))) {}
StopScope::~StopScope() {
  own_stop = std::move(before_);
  end_request();
}
std::stop_token StopScope::current() { return own_stop; }
}  // namespace sparsecast::base
