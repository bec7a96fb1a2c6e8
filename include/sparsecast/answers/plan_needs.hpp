#pragma once
// What callers of plan() ask before they plan: how many threads a plan may have.

#pragma GCC visibility push(default)
namespace sparsecast {

/// Threads that a call on this thread may use at most: of the host's cores, of what OpenMP allows (OMP_NUM_THREADS,
/// threadpoolctl), of what is asked for (0: no matter). Thread safety: safe from several threads at once.
[[nodiscard]] int most_threads(int asked);

}  // namespace sparsecast
#pragma GCC visibility pop
