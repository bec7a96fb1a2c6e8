#pragma once
// What trials gave, in a line or two.

#include <sparsecast/trials.hpp>
#include <string>

namespace sparsecast::app {
/// Ends with a newline.
[[nodiscard]] std::string trials_text(const TrialReport& trials);
}  // namespace sparsecast::app
