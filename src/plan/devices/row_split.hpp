#pragma once
// Rows dealt to several devices, so that all of them end together: the device's own forecast of its part, x in and y
// out included. Where the whole on one device ends sooner, it says so.

#include <sparsecast/plan.hpp>
#include <string>
#include <vector>

#include "plan/devices/part_times.hpp"

namespace sparsecast::planning {

/// Rows of one device; none of them where last_row < first_row.
struct SplitPart {
  std::string device;
  DeviceKind kind = DeviceKind::host;
  std::string rests_on;  ///< "forecast" or "timed"
  std::int64_t first_row = 0, last_row = -1, nonzeros = 0;
  PartTime time;
  PartTime alone;  ///< the whole matrix there
  [[nodiscard]] std::int64_t rows() const { return last_row + 1 - first_row; }
};

struct RowSplit {
  std::vector<SplitPart> parts;  ///< in the order of the devices; they cover every row once
  double predicted_s = 0;        ///< of a product, x and y on the host
  std::string best_alone;        ///< the device that is fastest by itself
  double best_alone_s = 0;
  double gain = 0;  ///< share of that time that the split saves
  bool pays = false;
  std::string reason;
};

/// Error usage for no device, and the same one twice where it is here; what PartForecast throws.
[[nodiscard]] RowSplit split_rows(const Matrix& matrix, const std::vector<SplitDevice>& devices,
                                  const FitOptions& options);

}  // namespace sparsecast::planning
