#pragma once
// What is forecast and what was measured of each kernel on a matrix, side by side.

#include <vector>

#include "pages/section.hpp"

namespace sparsecast::pages {

struct KernelRow {
  std::string kernel, model;
  const Json* forecast = nullptr;  ///< the document's entry; null where there is none
  std::optional<double> seconds, low, high;
  const Json* measurement = nullptr;
  std::optional<double> measured, measured_low, measured_high;

  /// Signed, of the measured time; both times must be there.
  [[nodiscard]] double error() const { return *seconds / *measured - 1; }
};

/// In the order of the forecasts, then what was only measured.
std::vector<KernelRow> kernel_rows(const MatrixDocuments& documents);

}  // namespace sparsecast::pages
