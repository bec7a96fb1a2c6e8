#include "gpu_code/overlap/atomic_time.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "base/text.hpp"
#include "gpu_code/overlap/overlap_model.hpp"

namespace sparsecast::gpu_code {
AtomicTime atomic_time(const AtomicTraffic& traffic, const KernelTimes& times, double blocks_of_one) {
  AtomicTime result;
  const double slices = std::max(1.0, times.l2_bytes_per_cycle / times.l2_slice_bytes_per_cycle);
  const double in_order = traffic.hottest_passes * times.atomic_cycles;
  const double by_units = (traffic.passes + traffic.scattered_operations) / slices;
  result.cycles = std::max(in_order, by_units);
  result.one_address = in_order > by_units;
  result.scattered_most = std::max(traffic.scattered_operations * times.atomic_cycles,
                                   traffic.block_shared_unknown * blocks_of_one * 128 / times.shared_bytes_per_cycle);
  return result;
}

void add_atomic_doubt(const AtomicTime& atomic, const AtomicTraffic& traffic, const KernelTimes& times, double cycles,
                      Overlap& result) {
  // Assumed, a factor: the rate was read off one board, and second levels differ in what they join.
  constexpr double doubt = 2;
  if (result.estimate.bound_by == bound_by_one_address) {
    const double begin = times.launch_s, work = times.seconds(cycles);
    result.low *= (begin + work / doubt) / (begin + work);
    result.high *= (begin + work * doubt) / (begin + work);
    result.notes.push_back(fmt::format(
        "atomic operations on one address are taken to follow each other, one in {:g} cycles{}: assumed, a factor of "
        "{:g} either way",
        times.atomic_cycles,
        traffic.lanes_meet ? ", and so are those of a warp's lanes, which no instruction joins" : "", doubt));
  }
  if (atomic.scattered_most > cycles) {
    const double most = times.launch_s + times.seconds(atomic.scattered_most);
    result.high = std::max(result.high, most / (times.launch_s + times.seconds(cycles)));
    result.notes.push_back(fmt::format(
        "where atomic operations go depends on data that were not given: they are taken to be spread evenly; on one "
        "address they would take {}, and the interval reaches that far",
        base::format_seconds(most)));
  }
}
}  // namespace sparsecast::gpu_code
