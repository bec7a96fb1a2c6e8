#pragma once
// Array<T>: a std::vector whose elements are left uninitialised by resize() and whose storage starts on a cache line.
// Large arrays are filled by many threads at once; a value-initialising vector would first touch (and so place) every
// page from one thread and write everything twice.

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace sparsecast {

namespace detail {
/// Asks the system to back the memory by huge pages; without effect where it has none.
void advise_huge_pages(void* pointer, std::size_t bytes) noexcept;
}  // namespace detail

/// Allocator behind Array: at least 64-byte alignment, default-initialisation instead of value-initialisation.
template <class T>
struct UninitializedAllocator {
  using value_type = T;
  /// From this size on an array starts on a huge page and asks for such pages: filling a gigabyte takes 512 page
  /// faults then and not 262,144, which is a third of the time of reading a matrix.
  static constexpr std::size_t huge_bytes = std::size_t{4} << 20;
  static constexpr std::align_val_t alignment_of(std::size_t bytes) {
    return std::align_val_t{bytes >= huge_bytes ? std::size_t{2} << 20 : 64};
  }

  UninitializedAllocator() = default;
  template <class U>
  UninitializedAllocator(const UninitializedAllocator<U>&) noexcept {}

  T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
    const std::size_t bytes = count * sizeof(T);
    void* const pointer = ::operator new(bytes, alignment_of(bytes));
    if (bytes >= huge_bytes) detail::advise_huge_pages(pointer, bytes);
    return static_cast<T*>(pointer);
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

template <class T>
using Array = std::vector<T, UninitializedAllocator<T>>;

}  // namespace sparsecast
