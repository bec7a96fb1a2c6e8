#pragma once
// Ctrl-C, SIGTERM and a closed terminal end the program within a second, whatever it does. The signal asks the work to
// stop (interrupt.hpp); most of it does, in its own order. A thread watches: where the program still runs 0.6 s later,
// or is asked a second time, it ends all processes below this one, removes what must not stay behind (cleanup.hpp) and
// ends the program.

namespace sparsecast::base {
/// For the program alone, once, before it starts threads: a library leaves signals to its user. `farewell` is called
/// on the watching thread before it ends the program with `exit_status`; it must not wait for another thread.
void watch_stop_signals(int exit_status, void (*farewell)());
}  // namespace sparsecast::base
