#pragma once
// Two versions of a program side by side: which regions and lines move more.

#include <string>
#include <vector>

#include "traffic/run/traffic.hpp"

namespace sparsecast::traffic {

struct RegionDifference {
  std::string name;
  const RegionTraffic* first = nullptr;  ///< null where only the other program has it
  const RegionTraffic* second = nullptr;
};

struct LineDifference {
  std::string text;  ///< the line without blanks around it
  const LineTraffic* first = nullptr;
  const LineTraffic* second = nullptr;
};

struct Comparison {
  std::vector<RegionDifference> regions;  ///< regions of the same name together; two single regions even without
  std::vector<LineDifference> lines;      ///< lines that move differently or are only in one, largest difference first
};

/// Points into both, which must outlive it.
Comparison compare(const ProgramTraffic& first, const ProgramTraffic& second);

}  // namespace sparsecast::traffic
