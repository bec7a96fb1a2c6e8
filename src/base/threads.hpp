#pragma once
// How many threads a call may use. All parallel loops of the library are OpenMP loops with an explicit num_threads.

#include <sparsecast/threads.hpp>

namespace sparsecast::base {

using sparsecast::available_cores;

/// `requested` where positive, else default_threads(); never more than 1024.
int thread_count(int requested);

}  // namespace sparsecast::base
