#pragma once
// What a run counted, as the run-time library wrote it down when the program had ended (SLMwrite.m): a line for every
// region, for every counter that is not zero, for every region's trace, and a last one that says how many there are.

#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "memory_traffic/counters/counter_layout.hpp"

namespace sparsecast::memory_traffic {
class Counted {
 public:
  [[nodiscard]] double operator[](Counter counter) const { return values[static_cast<std::size_t>(counter)]; }
  std::array<double, counter_count> values{};
};

struct RegionCounts {
  double calls = 0, storage_bytes = 0;
  Counted counted;
  /// Bytes by stack distance; empty where accesses were not traced.
  std::vector<double> load_reach, store_reach;
  /// Of each sparse matrix: vectors that it was multiplied with, and the bytes that were counted for that.
  std::vector<double> products, product_bytes;
};

/// One row of the counters.
struct SlotCounts {
  std::string file;  ///< as counter_name() has it
  std::size_t slot = 0;
  Counted counted;
};

struct RunCounts {
  std::map<std::string, RegionCounts> regions;
  std::vector<SlotCounts> slots;
};

/// Error failed, with the line of the file, for a file that was not written whole: without its last line, with fewer
/// lines than that one says, or with a line that is not as it should be.
[[nodiscard]] RunCounts read_counters(const std::filesystem::path& file);
}  // namespace sparsecast::memory_traffic
