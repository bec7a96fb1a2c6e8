#pragma once
// How many threads the library's parallel calls use where their caller names no number.
//
// Every parallel call takes a `threads` argument or option; 0 there stands for the default of the process. Threads come
// from OpenMP, which keeps a team for every calling thread.

#pragma GCC visibility push(default)
namespace sparsecast {

/// The largest number of threads that a request may name.
inline constexpr int most_host_threads = 1024;

/// Cores that this process may run on, at least 1: of the processors in its affinity mask one of each core, no more
/// than its control group has time for. Thread safety: safe from several threads at once.
[[nodiscard]] int available_cores();

/// What `threads` = 0 means: the number set last, else available_cores(). From 1 to most_host_threads. Thread safety:
/// safe from several threads at once.
[[nodiscard]] int default_threads();

/// Sets the default of the whole process; 0 or less: available_cores() again. More than most_host_threads count as
/// that. Calls that already run keep their number. Thread safety: safe from several threads at once; the last call
/// counts.
void set_default_threads(int threads);

}  // namespace sparsecast
#pragma GCC visibility pop
