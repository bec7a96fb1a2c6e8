#pragma once
// Ctrl-C: the application's signal handler sets a flag; long work asks between two steps and stops with
// ErrorCode::interrupted, so that what was measured so far is kept.

namespace sparsecast::base {

void request_interrupt() noexcept;  ///< async-signal-safe
bool interrupt_requested() noexcept;
void forget_interrupt() noexcept;  ///< where work begins anew in a process that goes on
void throw_if_interrupted();       ///< Error interrupted

}  // namespace sparsecast::base
