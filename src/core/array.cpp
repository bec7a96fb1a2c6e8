#include <sys/mman.h>

#include <sparsecast/array.hpp>

namespace sparsecast::detail {

void advise_huge_pages(void* pointer, std::size_t bytes) noexcept {
#ifdef MADV_HUGEPAGE
  ::madvise(pointer, bytes, MADV_HUGEPAGE);
#endif
}

}  // namespace sparsecast::detail
