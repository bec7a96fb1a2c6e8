#pragma once
// How many threads a call may use. All parallel loops of the library are OpenMP loops with an explicit num_threads.

#include <sparsecast/threads.hpp>
#include <string>

namespace sparsecast::base {
using sparsecast::available_cores;

/// Why available_cores() are fewer than the machine's processors; empty where they are not.
std::string cores_text();

/// `requested` where positive, else default_threads(); never more than 1024.
int thread_count(int requested);

/// Raises what OpenMP allows the calling thread (omp_get_max_threads()) to so many threads: for a program whose user
/// says how many it is to use, as the command's does. Products keep to that limit (formats/parts/split.hpp).
void allow_threads(int threads);
}  // namespace sparsecast::base
