#pragma once
// Array<T>: a std::vector whose elements are left uninitialised by resize() and whose storage starts on a cache line.
// Large arrays are filled by many threads at once; a value-initialising vector would first touch (and so place) every
// page from one thread and write everything twice.
//
// Thread safety: as of std::vector. Threads may read one array at once, and write different elements of it; none may
// resize it meanwhile.

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// Asks the system to back whole huge pages within that memory with huge pages; without effect where it has none.
/// Thread safety: safe from several threads at once.
void prefer_huge_pages(void* memory, std::size_t bytes) noexcept;

/// Allocator behind Array: 64-byte alignment, default-initialisation instead of value-initialisation. From 1 MB on,
/// arrays lie in whole huge pages where the system has them: fresh memory is filled with one page fault in place of
/// 512, and scattered reads of x miss the TLB less. Thread safety: it has no state.
template <class T>
struct UninitializedAllocator {
  using value_type = T;
  static constexpr std::size_t large = std::size_t{1} << 20, huge_page = std::size_t{2} << 20;
  static constexpr std::align_val_t alignment_of(std::size_t bytes) noexcept {
    return std::align_val_t{bytes >= large ? huge_page : 64};
  }

  UninitializedAllocator() = default;
  template <class U>
  UninitializedAllocator(const UninitializedAllocator<U>&) noexcept {}

  T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
    std::size_t bytes = count * sizeof(T);
    if (bytes > static_cast<std::size_t>(-1) - huge_page) throw std::bad_alloc();
    if (bytes >= large) bytes = (bytes + huge_page - 1) / huge_page * huge_page;
    void* memory = ::operator new(bytes, alignment_of(bytes));
    if (bytes >= large) prefer_huge_pages(memory, bytes);
    return static_cast<T*>(memory);
  }
  void deallocate(T* pointer, std::size_t count) noexcept {
    ::operator delete(pointer, alignment_of(count * sizeof(T)));
  }

  template <class U, class... Args>
  void construct(U* where, Args&&... args) {
    if constexpr (sizeof...(Args) == 0 && std::is_trivially_default_constructible_v<U>) {
      ::new (static_cast<void*>(where)) U;
    } else {
      ::new (static_cast<void*>(where)) U(std::forward<Args>(args)...);
    }
  }
  template <class U>
  bool operator==(const UninitializedAllocator<U>&) const noexcept {
    return true;
  }
};

/// The vector itself.
template <class T>
using Array = std::vector<T, UninitializedAllocator<T>>;

}  // namespace sparsecast
#pragma GCC visibility pop
