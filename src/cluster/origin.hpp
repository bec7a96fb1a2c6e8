#pragma once
// Where times come from: from ranks that ran, or from a platform file that was simulated. Documents have it as a text.

#include <string>
#include <string_view>

namespace sparsecast::cluster {
inline constexpr std::string_view measured_origin = "measured";

[[nodiscard]] inline std::string simulated_origin(const std::string& platform) { return "simulated:" + platform; }
[[nodiscard]] constexpr bool is_measured(std::string_view origin) { return origin == measured_origin; }
}  // namespace sparsecast::cluster
