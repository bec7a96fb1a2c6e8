#pragma once
// How long several threads take to start together and to wait for each other, now. Where a hypervisor moves a guest's
// processors, the way between two of them changes for minutes at a time, and every short product moves along.

namespace sparsecast::base {
/// Seconds that an empty parallel region of so many threads takes: the shortest of `series` means over 100 regions,
/// some 0.1 ms each. 0 for a single thread, which needs none.
[[nodiscard]] double fork_join_seconds(int threads, int series = 3);
}  // namespace sparsecast::base
