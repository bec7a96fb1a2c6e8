#pragma once
// Handles that callers in C hold. A handle is a name, not an address: its upper 32 bits say how often its slot was used
// before, 4 its kind, the lowest 28 which slot. So every bit pattern can be looked up without a crash, and one that was
// freed is known as such. A slot counts the calls that use what it holds; freeing and changing want it for themselves,
// and nobody waits.

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "c_interface/failure.hpp"

namespace sparsecast::c_interface {

/// Thread safety: everything may be called from any thread at once.
struct Slot {
  /// The upper 36 bits are the handle's (kind 0: nothing is here), then one says that a call has it for itself, the
  /// rest count the calls that use it.
  std::atomic<std::uint64_t> state = 0;
  void* object = nullptr;

  static constexpr std::uint64_t for_itself = std::uint64_t{1} << 27;

  void leave() noexcept { state.fetch_sub(1, std::memory_order_release); }
  void leave_alone() noexcept { state.fetch_and(~for_itself, std::memory_order_release); }
};

/// A handle for the object, which it then owns.
[[nodiscard]] std::uintptr_t new_handle(unsigned kind, void* object);
/// The slot of a handle, which the call must leave(). Refusal where there is none, or one has it for itself.
[[nodiscard]] Slot& enter(std::uintptr_t handle, unsigned kind);
/// The same for itself: leave_alone(). Refusal where others are there.
[[nodiscard]] Slot& enter_alone(std::uintptr_t handle, unsigned kind);
/// Takes the object out of a slot that one has for itself; the slot is free for another handle.
[[nodiscard]] void* retire(std::uintptr_t handle, Slot& slot) noexcept;

/// What C's handle type stands for; `kind` tells the types apart.
template <class Handle>
struct Behind;

/// What a handle stands for, while a call reads it.
template <class Handle>
class Reading {
 public:
  explicit Reading(const Handle* handle)
      : slot_(enter(reinterpret_cast<std::uintptr_t>(handle), Behind<Handle>::kind)) {}
  ~Reading() { slot_.leave(); }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  const typename Behind<Handle>::type* operator->() const { return &**this; }
  const typename Behind<Handle>::type& operator*() const {
    return *static_cast<const typename Behind<Handle>::type*>(slot_.object);
  }

 private:
  Slot& slot_;
};

/// The same for a call that changes it.
template <class Handle>
class Changing {
 public:
  explicit Changing(Handle* handle)
      : slot_(enter_alone(reinterpret_cast<std::uintptr_t>(handle), Behind<Handle>::kind)) {}
  ~Changing() { slot_.leave_alone(); }
  Changing(const Changing&) = delete;
  Changing& operator=(const Changing&) = delete;
  typename Behind<Handle>::type& operator*() const {
    return *static_cast<typename Behind<Handle>::type*>(slot_.object);
  }

 private:
  Slot& slot_;
};

/// Makes what `out` is to stand for; NULL where that fails.
template <class Handle, class Make>
int give(Handle** out, const Make& make) noexcept {
  if (out != nullptr) *out = nullptr;
  return guarded([&] {
    Handle*& place = there(out, "the place for the handle");
    using Object = typename Behind<Handle>::type;
    auto object = std::make_unique<Object>(make());
    place =
        reinterpret_cast<Handle*>(new_handle(Behind<Handle>::kind, object.get()));  // NOLINT(performance-no-int-to-ptr)
    static_cast<void>(object.release());
  });
}

template <class Handle>
int free_handle(Handle* handle) noexcept {
  return guarded([&] {
    const auto number = reinterpret_cast<std::uintptr_t>(handle);
    void* object = retire(number, enter_alone(number, Behind<Handle>::kind));
    delete static_cast<typename Behind<Handle>::type*>(object);
  });
}

}  // namespace sparsecast::c_interface
