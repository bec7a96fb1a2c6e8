#include "calibration/conversion_timing.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/free_memory.hpp"
#include "base/median.hpp"

namespace sparsecast::calibration {
namespace {

// One reading is as much chance as time; a conversion that takes long outlasts most of what disturbs it.
constexpr double repeated_s = 0.02;  // the shortest reading times their number
constexpr std::size_t most_readings = 5;

// What the format takes, and what the conversion may need beside it.
std::size_t memory_wanted(std::int64_t format_bytes, const Structure& structure) {
  const double bytes = static_cast<double>(format_bytes) + 16.0 * static_cast<double>(structure.rows) + (4 << 20);
  return static_cast<std::size_t>(std::min(bytes, 1e15));
}

}  // namespace

Conversion convert_fresh(devices::Device& device, const Matrix& matrix, const Structure& structure,
                         const std::string& kernel, Precision precision, const devices::ProductTask& task) {
  Conversion conversion;
  std::vector<double> readings;
  const std::int64_t format_bytes = device.format_bytes(structure, kernel, precision);
  if (format_bytes <= device.properties().memory_bytes / 2)
    base::bring_memory_to_hand(memory_wanted(format_bytes, structure));
  double shortest = 0;
  do {
    conversion.product.reset();
    base::return_free_memory();
    conversion.product = device.prepare_task(matrix, structure, kernel, precision, task);
    readings.push_back(conversion.product->preprocess_seconds());
    shortest = std::ranges::min(readings);
  } while (shortest > 0 && shortest * static_cast<double>(readings.size()) < repeated_s &&
           readings.size() < most_readings);
  conversion.seconds = base::median(std::move(readings));
  return conversion;
}

}  // namespace sparsecast::calibration
