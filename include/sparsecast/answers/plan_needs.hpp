#pragma once
// What callers of plan() ask before they plan: how many threads a plan may have, and what would have to be calibrated.

#include <sparsecast/plan_request.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// Threads that a call on this thread may use at most: of the host's cores, of what OpenMP allows (OMP_NUM_THREADS,
/// threadpoolctl), of what is asked for (0: no matter). Thread safety: safe from several threads at once.
[[nodiscard]] int most_threads(int asked);

/// Numbers of threads that a plan wants to know and the profile has no records of; {0} where a device that is no host
/// was never calibrated. Empty where a plan can be made. The matrix is not looked at. Error unavailable where nothing
/// of that name is here. Thread safety: safe from several threads at once.
[[nodiscard]] std::vector<int> missing_calibrations(const PlanRequest& request);

}  // namespace sparsecast
#pragma GCC visibility pop
