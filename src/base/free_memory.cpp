#include "base/free_memory.hpp"

#include <sys/mman.h>

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include <sparsecast/array.hpp>

namespace sparsecast::base {

void return_free_memory() noexcept {
#ifdef __GLIBC__
  static_cast<void>(malloc_trim(0));
#endif
}

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

}  // namespace sparsecast::base
