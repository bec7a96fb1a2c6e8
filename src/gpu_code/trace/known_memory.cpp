#include "gpu_code/trace/known_memory.hpp"

#include <algorithm>
#include <utility>

namespace sparsecast::gpu_code {
void MemoryImage::add(std::uint64_t address, std::vector<std::uint8_t> bytes) {
  begin_ = std::min(begin_, address);
  end_ = std::max(end_, address + bytes.size());
  regions_.push_back({address, std::move(bytes)});
}

bool MemoryImage::find(std::uint64_t address, int bytes, std::uint64_t& value) const {
  for (const auto& region : regions_) {
    const auto offset = address - region.address, size = static_cast<std::uint64_t>(region.bytes.size());
    if (address < region.address || offset > size || static_cast<std::uint64_t>(bytes) > size - offset) continue;
    value = 0;
    for (int b = 0; b < bytes; ++b)
      value |= static_cast<std::uint64_t>(region.bytes[address - region.address + static_cast<std::uint64_t>(b)])
               << (8 * b);
    return true;
  }
  return false;
}

bool KnownBytes::read(std::uint64_t address, int bytes, std::uint64_t& value) const {
  value = 0;
  if (known_.empty()) return false;
  for (int b = 0; b < bytes; ++b) {
    const auto found = known_.find(address + static_cast<std::uint64_t>(b));
    if (found == known_.end()) return false;
    value |= static_cast<std::uint64_t>(found->second) << (8 * b);
  }
  return true;
}

void KnownBytes::write(std::uint64_t address, int bytes, std::uint64_t value, bool known) {
  // Neither a multiprocessor's shared memory nor a thread's stack reaches so far: what a program makes up stays
  // unknown.
  constexpr std::uint64_t most = 1 << 24;
  if (address >= most) return;
  for (int b = 0; b < bytes; ++b)
    if (const auto at = address + static_cast<std::uint64_t>(b); known)
      known_[at] = static_cast<std::uint8_t>(value >> (8 * b));
    else
      known_.erase(at);
}
}  // namespace sparsecast::gpu_code
