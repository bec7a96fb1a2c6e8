#pragma once
// What people are told of a gain with its 90 % interval.

#include <string>
#include <string_view>

namespace sparsecast::planning {

/// "gain 12.0 % (8.0 % – 15.0 %)"; where the interval holds 0, that there is no gain beyond `doubt` ("the noise"): a
/// number would say what was not found.
[[nodiscard]] std::string gain_text(double gain, double low, double high, std::string_view doubt);

}  // namespace sparsecast::planning
