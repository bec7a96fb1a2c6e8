#include "calibration/conversion/conversion_timing.hpp"

#include <algorithm>

#include "base/clock.hpp"

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
// A processor that another program has in the meantime adds some 10 ms, whatever is converted. Below ten times that a
// reading may be little else, so it is never believed alone.
constexpr double believed_alone_s = 0.1;
constexpr std::size_t fewest_readings = 3;

bool is_another_wanted(const std::vector<double>& readings) {
  const double shortest = std::ranges::min(readings);
  const std::size_t taken = readings.size();
  if (!(shortest > 0) || taken >= most_readings) return false;
  return shortest * static_cast<double>(taken) < repeated_s || (taken < fewest_readings && shortest < believed_alone_s);
}

// Disturbances only add; the shortest may be luck. So the second shortest, where there are several.
double settled(std::vector<double> readings) {
  std::ranges::sort(readings);
  return readings[readings.size() < fewest_readings ? 0 : 1];
}

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
  do {
    conversion.product.reset();
    return_free_memory();
    conversion.product = device.prepare(matrix, structure, kernel, precision, task);
    readings.push_back(conversion.product->preprocess_seconds());
  } while (wanted == Readings::several && is_another_wanted(readings));
  conversion.seconds = settled(std::move(readings));
  return conversion;
}
}  // namespace sparsecast::calibration
