#pragma once
// How long work ends early: the application's signal handler sets a flag for the whole process, and a request's own
// stop token (<sparsecast/progress.hpp>) counts on the threads that work for it. Long work asks between two steps and
// stops with ErrorCode::interrupted, so that what was measured so far is kept.

#include <stop_token>

namespace sparsecast::base {
void request_interrupt() noexcept;  ///< async-signal-safe
bool interrupt_requested() noexcept;
void forget_interrupt() noexcept;  ///< where work begins anew in a process that goes on
void throw_if_interrupted();       ///< Error interrupted

/// The token of the request that this thread works for, as long as it lives; parallel_for hands it on. A request begins
/// and ends with it (fork_gate.hpp): Error unavailable in a child of fork() that may not have one.
class StopScope {
 public:
  explicit StopScope(std::stop_token stop);
  ~StopScope();
  StopScope& operator=(StopScope&&) = delete;  // nor copied
  /// That of this thread; one that never stops where there is none.
  static std::stop_token current();

 private:
  std::stop_token before_;
};
}  // namespace sparsecast::base
