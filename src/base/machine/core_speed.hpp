#pragma once
// How fast a core runs now. The clock of a modern processor moves by several percent with its temperature and with what
// its neighbours do, a guest of a virtual machine cannot read it, and every time measured from the caches moves along.

namespace sparsecast::base {
/// Seconds that one step of a chain of dependent integer arithmetic takes on this core now: a fixed number of cycles,
/// so proportional to the clock's period. The shortest of `chains` chains, which take about 10 µs each.
[[nodiscard]] double core_step_seconds(int chains = 3);
}  // namespace sparsecast::base
