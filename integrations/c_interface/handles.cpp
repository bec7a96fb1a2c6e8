#include "c_interface/handles.hpp"

#include <array>
#include <mutex>
#include <vector>

namespace sparsecast::c_interface {
namespace {
static_assert(sizeof(void*) == 8, "a handle needs 64 bits");
constexpr int index_bits = 28, chunk_bits = 10;
constexpr std::uint64_t index_mask = (std::uint64_t{1} << index_bits) - 1, kind_mask = 15;

// Slots are never given back: a handle may be looked up at any time, also while the program ends.
class Slots {
 public:
  Slot* find(std::uint64_t index) noexcept {
    Slot* chunk = chunks_[index >> chunk_bits].load(std::memory_order_acquire);
    return chunk == nullptr ? nullptr : chunk + (index & ((1U << chunk_bits) - 1));
  }
  std::uint64_t take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) grow();
    const std::uint64_t index = free_.back();
    free_.pop_back();
    return index;
  }
  void give_back(std::uint64_t index) noexcept {
    const std::lock_guard lock(mutex_);
    free_.push_back(index);  // there is room: grow()
  }

 private:
  void grow() {
    if (used_ == chunks_.size()) throw std::bad_alloc();
    free_.reserve((used_ + 1) << chunk_bits);
    auto* chunk = new std::array<Slot, 1 << chunk_bits>;
    for (std::uint64_t i = 1 << chunk_bits; i-- > 0;) free_.push_back(used_ << chunk_bits | i);
    chunks_[used_++].store(chunk->data(), std::memory_order_release);
  }

  std::mutex mutex_;
  std::vector<std::uint64_t> free_;
  std::array<std::atomic<Slot*>, 1 << (index_bits - chunk_bits)> chunks_{};
  std::size_t used_ = 0;
};

Slots& slots() {
  static auto* const all = new Slots;
  return *all;
}

Slot& slot_of(std::uintptr_t handle) {
  if (handle == 0) throw Refusal{SPARSECAST_BAD_HANDLE, "the handle is NULL"};
  Slot* slot = slots().find(handle & index_mask);
  if (slot == nullptr) throw Refusal{SPARSECAST_BAD_HANDLE, "there is no such handle"};
  return *slot;
}

// Adds to the slot's state, unless a bit of `unless` is set there.
Slot& enter_with(std::uintptr_t handle, unsigned kind, std::uint64_t unless, std::uint64_t add) {
  Slot& slot = slot_of(handle);
  if ((handle >> index_bits & kind_mask) != kind) throw Refusal{SPARSECAST_BAD_HANDLE, "the handle is of another kind"};
  std::uint64_t state = slot.state.load(std::memory_order_relaxed);
  do {
    if ((state ^ handle) >> index_bits != 0) throw Refusal{SPARSECAST_BAD_HANDLE, "the handle was freed"};
    if ((state & unless) != 0) throw Refusal{SPARSECAST_BUSY, "another thread is using the handle"};
  } while (!slot.state.compare_exchange_weak(state, state + add, std::memory_order_acquire, std::memory_order_relaxed));
  return slot;
}
}  // namespace

std::uintptr_t new_handle(unsigned kind, void* object) {
  const std::uint64_t index = slots().take();
  Slot& slot = *slots().find(index);
  slot.object = object;
  const std::uint64_t name = slot.state.load(std::memory_order_relaxed) | std::uint64_t{kind} << index_bits;
  slot.state.store(name, std::memory_order_release);
  return name | index;
}

Slot& enter(std::uintptr_t handle, unsigned kind) { return enter_with(handle, kind, Slot::for_itself, 1); }
Slot& enter_alone(std::uintptr_t handle, unsigned kind) {
  return enter_with(handle, kind, index_mask, Slot::for_itself);
}

void* retire(std::uintptr_t handle, Slot& slot) noexcept {
  void* object = std::exchange(slot.object, nullptr);
  slot.state.store(((handle >> 32) + 1) << 32, std::memory_order_release);
  slots().give_back(handle & index_mask);
  return object;
}
}  // namespace sparsecast::c_interface
