#pragma once
// How counters lie in memory and in the file that they are written to. The counting is done by MATLAB texts
// (matlab/*.m) and by code that the translation writes; what is counted is read in C++. Both take every number from
// here.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sparsecast::memory_traffic {
/// A column of the counters, from 0.
enum class Counter : std::size_t {
#define TRAFFIC_COUNTER(name) name,
#include "memory_traffic/counters/counters.def"
  count
};
inline constexpr auto counter_count = static_cast<std::size_t>(Counter::count);

/// Bins of a histogram of stack distances; the last one holds first touches. Bin b of the others holds distances up to
/// 2^((b + 1)/bins_per_doubling) bytes.
inline constexpr std::size_t reach_bins = 200, bins_per_doubling = 4;
/// Sparse matrices that are told apart; products of further ones are counted in bytes alone.
inline constexpr std::size_t most_operands = 16;

/// A number that the MATLAB texts name.
struct LayoutNumber {
  std::string name;  ///< "SLM_LOADS"
  std::size_t value = 0;
};
[[nodiscard]] const std::vector<LayoutNumber>& layout_numbers();

/// A MATLAB text with the numbers in place of their names. Error failed for a name in capitals that there is not.
[[nodiscard]] std::string with_layout_numbers(std::string_view text);
}  // namespace sparsecast::memory_traffic
