#pragma once
// What `sparsecast kernel` prints.

#include <sparsecast/answers/kernel.hpp>
#include <string>

namespace sparsecast::app {
/// `overlapped_only`: the paper's models are left to --model.
[[nodiscard]] std::string kernel_launch_text(const LaunchTime& answer, bool overlapped_only);
/// Every configuration, its interval, and how good the forecasts were.
[[nodiscard]] std::string kernel_table_text(const KernelTable& answer);
/// The fastest configurations and why.
[[nodiscard]] std::string kernel_space_text(const KernelSpace& answer);
}  // namespace sparsecast::app
