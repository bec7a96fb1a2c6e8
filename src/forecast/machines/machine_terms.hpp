#pragma once
// The physical part of the model across processors: seconds as positive terms over what a description says. Prices and
// shape are common to all machines; scripts/machine-model/physical.py fits them.

#include <array>
#include <sparsecast/terms.hpp>

#include "forecast/machines/machine_numbers.hpp"

namespace sparsecast::forecast {
inline constexpr std::size_t machine_term_count = 8;
/// Which they are.
inline constexpr std::array<Term, machine_term_count> machine_terms{Term::launch,        Term::stream,      Term::cache,
                                                                    Term::x_from_memory, Term::x_gather,    Term::rows,
                                                                    Term::longest_row,   Term::instructions};

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
