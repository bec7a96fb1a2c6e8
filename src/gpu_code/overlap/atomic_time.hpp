#pragma once
// The time that a launch's atomic operations take at least, and what is to be said of it.

#include <optional>
#include <string>

#include "gpu_code/times/kernel_times.hpp"
#include "gpu_code/trace/footprint.hpp"

namespace sparsecast::gpu_code {
struct AtomicTime {
  double cycles = 0;          ///< of the whole launch, where all else is hidden
  bool one_address = false;   ///< one after the other on one address, not the units' throughput
  double scattered_most = 0;  ///< cycles where all operations at unknown addresses meet on one
};

[[nodiscard]] AtomicTime atomic_time(const AtomicTraffic& traffic, const KernelTimes& times, double blocks_of_one);

inline constexpr const char* bound_by_one_address = "atomic operations on one address";

struct Overlap;
/// Puts the time's uncertainty and its notes to a forecast whose launch takes `cycles` without its start.
void add_atomic_doubt(const AtomicTime& atomic, const AtomicTraffic& traffic, const KernelTimes& times, double cycles,
                      Overlap& result);
}  // namespace sparsecast::gpu_code
