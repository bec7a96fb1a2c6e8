#pragma once
// fork() and work under way. A child has none of its parent's other threads, but all that they held: locks of the
// library's, the first use of a table, an open store with SQLite's own idea of which locks this process has. Whoever
// meets one of them waits for ever. So fork() waits for the requests under way, up to a second in which no other
// begins; where one takes longer, the child is told and says no to every request.

namespace sparsecast::base {
/// A request begins on this thread, or one within another; waits where a fork() is on its way. Error unavailable in a
/// child that was made while a request was under way on another thread of its parent. Nothing within a parallel region.
void begin_request();
void end_request() noexcept;
}  // namespace sparsecast::base
