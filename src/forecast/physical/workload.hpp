#pragma once
// The workload (formats/workload.hpp) of one product of a kernel on a device: the part that is every kernel's, with the
// reads of x that miss its caches, and what the table of kernels says that this one does.

#include <sparsecast/forecast.hpp>

#include "formats/workload.hpp"

namespace sparsecast::forecast {
using formats::ThreadPart;
using formats::Workload;

/// The part that is every kernel's alone, as of a feature record.
Workload estimated_workload(const Structure& structure, const std::string& kernel, const DeviceProperties& properties);

/// Amounts of one product of `kernel` (a name of the kernel table, or any other from an imported profile), counted
/// (Workload::exact) where the structure came from a matrix: on the host, and of our own kernels on a GPU.
Workload workload(const Structure& structure, const std::string& kernel, const DeviceProperties& properties,
                  Precision precision, int threads);

// The same product on a faster or slower core. What is served from the caches moves with the core's clock, what comes
// from memory does not; records and forecasts are brought to one speed before they are compared.

/// Share of a product's time that moves with the core's clock, 0 … 1: all of it while the product's `bytes` fit the
/// last cache, falling beyond.
[[nodiscard]] double core_share(const DeviceProperties& properties, double bytes);

/// The speed (core_step_seconds(), the smaller the faster) that forecasts from this profile are for: the median over
/// its records; 0 where none tells.
[[nodiscard]] double reference_step(const Profile& profile, const FitOptions& options);

/// The same of how long its threads take to start (fork_join_seconds()); 0 for one thread.
[[nodiscard]] double reference_launch(const Profile& profile, const FitOptions& options);

/// Factor for a time of a product of so many bytes between a core at `from_step` and one at `to_step`; 1 where either
/// is not known (0).
[[nodiscard]] double speed_factor(const DeviceProperties& properties, double bytes, double from_step, double to_step);

// What a core takes for the steps that terms are made of, as far as a profile tells: out of the chase through its
// caches ("latency") where it was measured, else by its clock. Priors of costs that are fitted, and costs themselves
// where nothing is fitted.

struct CoreCosts {
  explicit CoreCosts(const Profile& profile);

  double load_s;              ///< from the first cache, where the next load waits for it
  double cycle_s;             ///< an instruction and those beside it
  double turn_s;              ///< a loop begun, a wait for the second cache: two such loads
  double far_s;               ///< a line from memory
  double fresh_byte_s;        ///< a byte of memory that is touched for the first time
  double fresh_large_byte_s;  ///< the same in huge pages
};

// Reads of x that miss the host's caches, by what a Structure tells of their reuse: all that miss each level, those of
// them that a prefetcher foresees, and how many of the others lie beyond each size of memory.
//
// The matrix streams through the caches beside x, so x is granted half of each level; between levels and beyond the
// last one the measured curve of gathers tells what a read costs (physical_terms), which is why sizes are counted there
// and not a capacity: a guest's share of a last cache is not what the processor says it has.

constexpr int cache_line_bytes = 64;  // of a processor

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
