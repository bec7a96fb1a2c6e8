#include "calibration/conversion/conversion_timing.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "base/median.hpp"

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

namespace sparsecast::calibration {
namespace {
// Gives what the program freed and the allocator still holds back to the system, so that who allocates next touches
// every page for the first time, as in a program that has freed nothing yet. Without effect where the allocator cannot.
void return_free_memory() noexcept {
#ifdef __GLIBC__
  static_cast<void>(malloc_trim(0));
#endif
}

// One reading is as much chance as time; a conversion that takes long outlasts most of what disturbs it.
constexpr double repeated_s = 0.02;  // the shortest reading times their number
constexpr std::size_t most_readings = 5;

// What the format takes, and what the conversion may need beside it.
std::size_t memory_wanted(std::int64_t format_bytes, const Structure& structure) {
  const double bytes = static_cast<double>(format_bytes) + 16.0 * static_cast<double>(structure.rows) + (4 << 20);
  return static_cast<std::size_t>(std::min(bytes, 1e15));
}
}  // namespace

Conversion convert_fresh(hardware::Device& device, const Matrix& matrix, const Structure& structure,
                         const std::string& kernel, Precision precision, MemoryAtHand& memory, const ProductKind& task,
                         Readings wanted) {
  Conversion conversion;
  std::vector<double> readings;
  const std::int64_t format_bytes = device.format_bytes(structure, kernel, precision);
  if (wanted != Readings::none && format_bytes <= device.properties().memory_bytes / 2) {
    return_free_memory();
    memory.want(memory_wanted(format_bytes, structure), base::now_s());
  }
  double shortest = 0;
  do {
    conversion.product.reset();
    return_free_memory();
    conversion.product = device.prepare(matrix, structure, kernel, precision, task);
    readings.push_back(conversion.product->preprocess_seconds());
    shortest = std::ranges::min(readings);
  } while (wanted == Readings::several && shortest > 0 &&
           shortest * static_cast<double>(readings.size()) < repeated_s && readings.size() < most_readings);
  conversion.seconds = base::median(std::move(readings));
  return conversion;
}
}  // namespace sparsecast::calibration
