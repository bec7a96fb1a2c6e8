#pragma once
// How long a thread waits for what another one has just written: what threads that follow each other without a barrier
// pay for every look at a neighbour.

namespace sparsecast::base {
/// Seconds from a store of one thread to another one that sees it and stores in turn: the shortest of `series` means
/// over some thousand of them. 0 for a single thread.
[[nodiscard]] double handover_seconds(int threads, int series = 3);
}  // namespace sparsecast::base
