#include "base/interrupt.hpp"

#include <atomic>
#include <sparsecast/error.hpp>

namespace sparsecast::base {
namespace {
std::atomic<bool> requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "the flag is set from a signal handler");
}  // namespace

void request_interrupt() noexcept { requested.store(true, std::memory_order_relaxed); }
bool interrupt_requested() noexcept { return requested.load(std::memory_order_relaxed); }
void forget_interrupt() noexcept { requested.store(false, std::memory_order_relaxed); }
void throw_if_interrupted() {
  if (interrupt_requested()) throw Error(ErrorCode::interrupted, "interrupted; what was measured so far is kept");
}

}  // namespace sparsecast::base
