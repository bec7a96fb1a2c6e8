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

/// Allocator behind Array: 64-byte alignment, default-initialisation instead of value-initialisation.
template <class T>
struct UninitializedAllocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{64};

  UninitializedAllocator() = default;
  template <class U>
  UninitializedAllocator(const UninitializedAllocator<U>&) noexcept {}

  T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(::operator new(count * sizeof(T), alignment));
  }
  void deallocate(T* pointer, std::size_t) noexcept { ::operator delete(pointer, alignment); }

  template <class U, class... Args>
  void construct(U* where, Args&&... args) {
    if constexpr (sizeof...(Args) == 0 && std::is_trivially_default_constructible_v<U>) {
      ::new (static_cast<void*>(where)) U;
    } else {
      ::new (static_cast<void*>(where)) U(std::forward<Args>(args)...);
    }
  }
  template <class U>
  bool operator==(const UninitializedAllocator<U>&) const noexcept { return true; }
};

template <class T>
using Array = std::vector<T, UninitializedAllocator<T>>;

}  // namespace sparsecast
