#include "calibration/conversion_timing.hpp"

#include <sys/mman.h>
#include <algorithm>
#include <sparsecast/array.hpp>

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

// Touches so many bytes and gives them back to the system, which then has them at hand for the next to ask. What a
// hypervisor takes to find memory that the machine has not used for some seconds is over then: on some it is twenty
// times what the machine's own system takes, and is paid by whoever happens to come first.
void bring_memory_to_hand(std::size_t bytes) noexcept {
  constexpr std::size_t page = 4096;
  if (bytes < page) return;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  prefer_huge_pages(memory, bytes);
  auto* touched = static_cast<volatile char*>(memory);
  for (std::size_t at = 0; at < bytes; at += page) touched[at] = 1;
  static_cast<void>(munmap(memory, bytes));
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
                         const std::string& kernel, Precision precision, const ProductKind& task, Readings wanted) {
  Conversion conversion;
  std::vector<double> readings;
  const std::int64_t format_bytes = device.format_bytes(structure, kernel, precision);
  if (wanted != Readings::none && format_bytes <= device.properties().memory_bytes / 2)
    bring_memory_to_hand(memory_wanted(format_bytes, structure));
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
