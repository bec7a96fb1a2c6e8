#include <sys/mman.h>
#include <sparsecast/array.hpp>
#include <sparsecast/precision.hpp>

#include "fields/precision.hpp"

namespace sparsecast {
void prefer_huge_pages(void* memory, std::size_t bytes) noexcept {
#ifdef MADV_HUGEPAGE
  // Whole huge pages only: what shares the last one with other data stays as it is.
  constexpr std::uintptr_t page = std::uintptr_t{2} << 20;
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t first = (begin + page - 1) / page * page, last = (begin + bytes) / page * page;
  if (first < last)
    static_cast<void>(madvise(static_cast<char*>(memory) + (first - begin), last - first, MADV_HUGEPAGE));
#else
  static_cast<void>(memory);
  static_cast<void>(bytes);
#endif
}

std::string_view to_string(Precision p) noexcept { return word_of(p); }
std::string_view to_string(ValueStorage storage) noexcept { return word_of(storage); }
}  // namespace sparsecast
