#pragma once
// The numbers that make sense in a cluster profile, as docs/schemas/cluster-profile.schema.json has them too.

#include <span>

#include "base/guard/ranges.hpp"

namespace sparsecast::cluster {

[[nodiscard]] std::span<const base::NumberRange> cluster_profile_ranges();

}  // namespace sparsecast::cluster
