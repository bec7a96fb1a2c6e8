#pragma once
// Numbers of threads that a plan chooses among.

#include <sparsecast/profile.hpp>
#include <vector>

namespace sparsecast::planning {
/// A product that takes longer gains nothing from fewer threads: all that they can save is what starting threads takes.
inline constexpr double starting_threads_matters_s = 1e-3;

/// Those up to `most` that the default kernel, with which every plan is compared, has records of. Greatest first; {0}
/// for other devices than a host.
[[nodiscard]] std::vector<int> measured_threads(const Profile& profile, Precision precision, int most);
}  // namespace sparsecast::planning
