#pragma once
// The physical part of the model across machines: seconds as positive terms over what a description says. Prices and
// shape are common to all machines; scripts/machine-model/physical.py fits them.

#include <array>
#include <string_view>

#include "forecast/machines/machine_numbers.hpp"

namespace sparsecast::forecast {

inline constexpr std::size_t machine_term_count = 8;
/// Names of the terms, as ForecastPart::name has them.
inline constexpr std::array<std::string_view, machine_term_count> machine_term_names{
    "launch", "stream", "cache", "x from memory", "x gather", "rows", "longest row", "instructions"};

struct MachineTerms {
  std::array<double, machine_term_count> prices{};  ///< logarithms
  /// Steepness (log) and place of the fall out of the cache; the same for x; log powers of irregularity and of the sum;
  /// power of the vector's width.
  std::array<double, 7> shape{};

  struct Sum {
    double seconds = 0;
    std::array<double, machine_term_count> parts{};  ///< add up to seconds
  };
  [[nodiscard]] Sum operator()(const MatrixNumbers& matrix, const MachineNumbers& machine) const;
};

}  // namespace sparsecast::forecast
