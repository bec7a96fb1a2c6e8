#pragma once
// A profile of a device that does not exist, whose times follow a formula: what models are tested on.

#include <functional>
#include <sparsecast/profile.hpp>
#include <string>
#include <vector>

namespace sparsecast::test {

/// Benchmark matrix of so many rows that all have the same length, as a Structure: no matrix is made.
Structure constant_structure(std::int64_t rows, std::int64_t row_length);

/// A host with `threads` threads and 1024 rows a chunk, with no records.
Profile empty_host_profile(int threads);

/// A GPU as Guo, Wang & Chen (2014) had one, a Tesla C2050 of 14 multiprocessors, with no records.
Profile empty_gpu_profile();

/// Adds records for I = 1 … 10 and P = 4 … 1024 (and two beyond the break): seconds = time(I, P).
void add_grid(Profile& profile, const std::string& kind, const std::string& kernel, int threads,
              const std::function<double(double strips, double row_length)>& time);

}  // namespace sparsecast::test
