#pragma once
// Words that several commands print: what is not known is a question mark and never 0.

#include <sparsecast/answers/kernel.hpp>
#include <sparsecast/powers.hpp>
#include <sparsecast/trials.hpp>

namespace sparsecast::app {
/// "NAME: ROWS × COLUMNS, N non-zeros": how answers about a matrix begin.
[[nodiscard]] std::string size_text(const MatrixSize& size);
/// ", 8 vectors at once", ", transposed" or nothing: behind a headline.
[[nodiscard]] std::string task_text(const ProductKind& task);
/// "1 thread", "8 threads" behind `before`, or nothing: of a GPU.
[[nodiscard]] std::string threads_text(std::string_view before, int threads);
/// Of a conversion, or with one.
[[nodiscard]] std::string seconds_text(const std::optional<double>& seconds);
[[nodiscard]] std::string total_heading(std::int64_t iterations);
/// "1 more kernel", "5 more kernels".
[[nodiscard]] std::string more_text(std::size_t count, std::string_view what);
/// What trials gave, in a line or two.
[[nodiscard]] std::string trials_text(const TrialReport& trials);

/// What is forecast of powers, or was measured of them, in a line or two.
[[nodiscard]] std::string matrix_powers_text(const PowersStrategy& powers);
[[nodiscard]] std::string matrix_powers_text(const MeasuredPowers& powers);

/// What `sparsecast kernel` prints; `overlapped_only`: the paper's models are left to --model.
[[nodiscard]] std::string kernel_launch_text(const LaunchTime& answer, bool overlapped_only);
/// Every configuration, its interval, and how good the forecasts were.
[[nodiscard]] std::string kernel_table_text(const KernelTable& answer);
/// The fastest configurations and why.
[[nodiscard]] std::string kernel_space_text(const KernelSpace& answer);
}  // namespace sparsecast::app
