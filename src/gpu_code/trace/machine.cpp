// The parts of a machine that do not depend on its code: memory of known content, and where code loops.

#include "gpu_code/trace/machine.hpp"

#include <algorithm>
#include <bit>

namespace sparsecast::gpu_code {

std::uint64_t scattered_elements(const Launch& launch) {
  // A gather of n elements is taken to read from about n: nothing else is known of it.
  const auto threads =
      static_cast<std::uint64_t>(launch.blocks()) * static_cast<std::uint64_t>(launch.threads_per_block());
  return std::bit_ceil(std::clamp<std::uint64_t>(threads, 1u << 14, 1u << 28));
}

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

bool SharedMemory::read(std::uint64_t address, int bytes, std::uint64_t& value) const {
  const auto count = static_cast<std::uint64_t>(bytes);
  if (address >= bytes_.size() || count > bytes_.size() - address) return false;
  value = 0;
  for (std::uint64_t b = 0; b < count; ++b) {
    if (!known_[address + b]) return false;
    value |= static_cast<std::uint64_t>(bytes_[address + b]) << (8 * b);
  }
  return true;
}

void SharedMemory::write(std::uint64_t address, int bytes, std::uint64_t value, bool known) {
  constexpr std::uint64_t most = 1 << 20, growth = 4096;
  const auto end = std::min(address + static_cast<std::uint64_t>(bytes), most);
  if (end > bytes_.size() && known && address < most) {
    bytes_.resize(end + growth, 0);
    known_.resize(end + growth, 0);
  }
  for (std::uint64_t at = address; at < std::min<std::uint64_t>(end, bytes_.size()); ++at) {
    bytes_[at] = static_cast<std::uint8_t>(value >> (8 * (at - address)));
    known_[at] = known;
  }
}

void Code::find_loops() {
  loops_.clear();
  for (std::int32_t pc = 0; pc < size(); ++pc) {
    const auto target = branch_target(pc);
    if (target < 0 || target > pc || (target == pc)) continue;  // a jump to itself is the padding after the last exit
    bool known = false;
    for (auto& loop : loops_)
      if (loop.head == target) {
        loop.tail = std::max(loop.tail, pc);
        known = true;
      }
    if (!known) loops_.push_back({target, pc, -1, label(target)});
  }
  // Loops that overlap without nesting are made to nest.
  std::sort(loops_.begin(), loops_.end(),
            [](const CodeLoop& a, const CodeLoop& b) { return a.head != b.head ? a.head < b.head : a.tail > b.tail; });
  for (bool changed = true; changed;) {
    changed = false;
    for (auto& outer : loops_)
      for (const auto& inner : loops_)
        if (inner.head > outer.head && inner.head <= outer.tail && inner.tail > outer.tail) {
          outer.tail = inner.tail;
          changed = true;
        }
  }
  loop_of_.assign(static_cast<std::size_t>(size()), -1);
  for (std::size_t l = 0; l < loops_.size(); ++l) {
    loops_[l].parent = loop_of_[static_cast<std::size_t>(loops_[l].head)];
    for (auto pc = loops_[l].head; pc <= loops_[l].tail; ++pc)
      loop_of_[static_cast<std::size_t>(pc)] = static_cast<std::int32_t>(l);
  }
}

}  // namespace sparsecast::gpu_code
