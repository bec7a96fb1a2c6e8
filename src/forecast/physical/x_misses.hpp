#pragma once
// Reads of x that miss the host's caches, by what a Structure tells of their reuse: all that miss each level, those of
// them that a prefetcher foresees, and how many of the others lie beyond each size of memory.
//
// The matrix streams through the caches beside x, so x is granted half of each level; between levels and beyond the
// last one the measured curve of gathers tells what a read costs (physical_terms), which is why sizes are counted there
// and not a capacity: a guest's share of a last cache is not what the processor says it has.

#include <array>
#include <sparsecast/device.hpp>
#include <sparsecast/structure.hpp>

#include "formats/workload.hpp"

namespace sparsecast::forecast {
inline constexpr int cache_line_bytes = 64;  // of a processor

/// Of the largest cache; 0 where none is known.
double last_cache_bytes(const DeviceProperties& properties);

/// Share of what a cache of so many bytes would miss of a product that it does miss: where everything fits, a repeated
/// product finds all of it there.
double too_large(double capacity, const formats::Workload& workload);

/// Of one matrix on one device, as shares of its reads of x.
struct MissShares {
  MissShares() = default;
  MissShares(const XReuse& reuse, const DeviceProperties& properties);

  std::array<double, 3> missed{}, followed{};
  double followed_again = 0;
  std::array<double, formats::Workload::scatter_levels> scattered{};
};

/// Fills the misses of a workload that does `reads` of x and whose format_bytes are known.
void count_misses(const MissShares& shares, double reads, const DeviceProperties& properties, int threads,
                  formats::Workload& workload);
}  // namespace sparsecast::forecast
