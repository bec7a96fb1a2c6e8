#include "base/guard/memory_reserve.hpp"

#include <sys/mman.h>
#include <array>
#include <atomic>
#include <cstddef>
#include <new>

namespace sparsecast::base {
namespace {
// Address space, which RLIMIT_AS counts; no memory while nobody writes to it.
constexpr std::size_t half_bytes = std::size_t{1} << 20;
std::array<std::atomic<void*>, 2> halves;  // std::array of trivial destructors: threads may outlive main()

bool give_back(std::atomic<void*>& half) {
  void* const kept = half.exchange(nullptr);
  return kept != nullptr && ::munmap(kept, half_bytes) == 0;
}

// Returns where the allocation may try once more.
void where_memory_ends() {
  if (give_back(halves[0])) return;
  give_back(halves[1]);
  throw std::bad_alloc();
}
// A module may be taken out of its program (dlclose), which keeps what handler it has.
struct TakenBack {
  ~TakenBack() {
    if (std::get_new_handler() == where_memory_ends) std::set_new_handler(nullptr);
  }
} const taken_back;
}  // namespace

void put_memory_aside() noexcept {
  for (std::atomic<void*>& half : halves) {
    if (half.load() != nullptr) continue;
    void* const kept = ::mmap(nullptr, half_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (kept == MAP_FAILED) return;
    void* none = nullptr;
    if (!half.compare_exchange_strong(none, kept)) ::munmap(kept, half_bytes);
  }
  if (std::get_new_handler() == nullptr) std::set_new_handler(where_memory_ends);
}
}  // namespace sparsecast::base
