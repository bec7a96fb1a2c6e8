#pragma once
// Two versions of a program side by side: which regions and lines move more.

#include <sparsecast/program_traffic.hpp>

namespace sparsecast::memory_traffic {
/// Two versions of a program side by side: which regions and lines move more.
[[nodiscard]] TrafficComparison compare(ProgramTraffic first, ProgramTraffic second);
}  // namespace sparsecast::memory_traffic
