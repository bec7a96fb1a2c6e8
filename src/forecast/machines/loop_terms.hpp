#pragma once
// What a loop over the rows takes on any number of threads of a processor that is not here: seconds as positive terms
// over its description, where the threads lie, and a matrix. Prices are common to all machines and few, so that they
// hold for one that nobody measured; scripts/machine-model/loops.py fits them and computes the same.

#include <array>
#include <optional>
#include <sparsecast/places.hpp>

#include "forecast/machines/machine_numbers.hpp"
#include "forecast/machines/machine_terms.hpp"

namespace sparsecast::forecast {
/// Threads on a machine: what they have together and each alone.
struct Team {
  Team(const DeviceProperties& properties, int threads, Places places);

  double threads = 1;
  double sockets = 1;     ///< that they lie on
  double clock = 1;       ///< Hz
  double last_cache = 1;  ///< bytes of the last caches that they reach together
  double own_last = 1;    ///< of the one that a thread reaches
  double near_cache = 1;  ///< of the level before, a core's share
  double memory = 1;      ///< bytes/s by the data sheet of the memory that is near to the first thread
  double memories = 1;    ///< that are near to some thread
  double chain = 1;       ///< cycles of a multiply-add that the next one waits for
};

/// A matrix as loops meet it.
struct LoopMatrix {
  /// `slices`: whose format pads, as of MatrixNumbers.
  LoopMatrix(const Structure& structure, Precision precision, bool slices, int threads);

  MatrixNumbers numbers;
  double variation = 0;           ///< of row lengths: deviation over mean
  double uneven = 0;              ///< how far quartiles of the lengths lie apart, over the mean
  std::optional<double> lone;     ///< share of entries that lie alone, nothing where nobody looked
  double window = 8;              ///< bytes of x that a row reaches
  std::optional<double> slowest;  ///< of equal shares of rows the largest over the mean, where their order is known
};

/// Of one kernel. Logarithms.
struct LoopPrices {
  static constexpr std::size_t common_count = 16, own_count = 6;
  std::array<double, common_count> common{};
  std::array<double, own_count> own{};
  bool chain = false;  ///< an entry waits for the one before, and one thread filled the matrix
  bool deals = false;  ///< every thread as many rows

  [[nodiscard]] MachineTerms::Sum operator()(const LoopMatrix& matrix, const Team& team) const;
};
}  // namespace sparsecast::forecast
