#pragma once
// No size in a file is trusted: before anything is allocated it is held against the length of the file and against the
// memory of the machine.

#include <cstdint>
#include <sparsecast/error.hpp>

namespace sparsecast::matrix {
struct ClaimedSize {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t entries = 0;       ///< entries that the file must hold
  std::int64_t most_entries = 0;  ///< entries that it can hold, from its length
  int entry_bytes = 28;           ///< peak memory per stored entry: staging and result
  int stored_per_entry = 1;       ///< 2 where entries are mirrored
};

/// Error bad_input where the file is too short for what it claims, or claims an absurd number of rows or columns (more
/// than 2^27 of them and more than 64 for every byte of the file). Error too_large where the matrix may be sound but
/// needs more than memory_bytes.
void check_plausible(const ClaimedSize& size, std::int64_t file_bytes, std::int64_t memory_bytes, const Place& place);
}  // namespace sparsecast::matrix
