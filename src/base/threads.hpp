#pragma once
// How many threads a call may use. All parallel loops of the library are OpenMP loops with an explicit num_threads.

namespace sparsecast::base {

/// Cores that this process may run on (its affinity mask), at least 1.
int available_cores();
/// `requested` where positive, else the process-wide default (see set_default_threads), never more than 1024.
int thread_count(int requested);
/// The command line's --threads; 0 means all available cores.
void set_default_threads(int threads);

}  // namespace sparsecast::base
