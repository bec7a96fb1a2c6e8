#pragma once
// A machine in the numbers that prices are over, a matrix as one kernel meets it, and the ratios of the two that the
// learned part of the model across processors looks at.

#include <array>
#include <sparsecast/device.hpp>
#include <sparsecast/precision.hpp>
#include <sparsecast/structure.hpp>

namespace sparsecast::forecast {
/// A machine in the numbers that terms are prices of.
struct MachineNumbers {
  explicit MachineNumbers(const DeviceProperties& properties);

  double units = 1;       ///< cores
  double clock = 1;       ///< Hz, between the guaranteed and the boosted, as all cores run
  double bandwidth = 1;   ///< bytes/s by the data sheet
  double last_cache = 1;  ///< bytes of all caches of the last level
  double near_cache = 1;  ///< bytes a unit of the level before
  double lanes = 4;       ///< doubles in a vector register

  [[nodiscard]] double core() const { return units * clock; }
  /// Bytes that a repeated product may find in caches.
  [[nodiscard]] double cached() const { return last_cache + units * near_cache; }
};

/// A matrix as one kernel meets it.
struct MatrixNumbers {
  /// `slices`: whose format keeps up to the longest of 32 rows in succession.
  MatrixNumbers(const Structure& structure, Precision precision, bool slices);

  double rows = 1, cols = 1;
  double nonzeros = 1;  ///< with those that the format pads
  double row_mean = 0, row_std = 0, row_skew = 0, longest = 1;
  double lone = 1;     ///< share of non-zeros without a neighbour, as if each had two or none
  double alike = 0;    ///< share with one in the next row
  double span = 0;     ///< from first to last column of a row, over cols
  double window = 8;   ///< bytes of x in that span
  double x_bytes = 8;  ///< all of x
  double stored = 0;   ///< bytes of the format
  double bytes = 1;    ///< with x and y: what a product moves if it moves everything once
};

inline constexpr std::size_t machine_feature_count = 15;
/// Dimensionless ratios of the matrix to the machine, for the learned part.
std::array<double, machine_feature_count> machine_features(const MatrixNumbers& matrix, const MachineNumbers& machine);
}  // namespace sparsecast::forecast
