#pragma once
// How many threads a parallel region may have. Every region of the library asks here, so that one place knows what may
// not be: a child of fork() has none of its parent's OpenMP threads, and a region that counts on them waits for ever.

namespace sparsecast::base {
/// Whether this process was made by fork() (without exec) after the library was loaded. Thread safety: safe from
/// several threads at once.
[[nodiscard]] bool is_forked_child() noexcept;

/// Threads of a region that wants so many: `wanted`, at least 1; 1 in a forked child, and where the system starts
/// fewer.
[[nodiscard]] int team_of(int wanted) noexcept;

/// What OpenMP allows the calling thread (omp_set_num_threads, OMP_NUM_THREADS, threadpoolctl); 1 in a forked child.
[[nodiscard]] int most_in_team() noexcept;
}  // namespace sparsecast::base
