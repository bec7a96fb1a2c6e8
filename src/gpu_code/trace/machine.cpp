// The parts of a machine that do not depend on its code: memory of known content, and where code loops.

#include "gpu_code/trace/machine.hpp"

#include "gpu_code/trace/warp_run.hpp"

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

std::uint64_t permuted_bytes(std::uint64_t a, std::uint64_t b, std::uint64_t selector) {
  const std::uint64_t both = (a & 0xffffffffu) | (b << 32);
  std::uint64_t result = 0;
  for (int i = 0; i < 4; ++i) {
    const auto s = (selector >> (4 * i)) & 15;
    std::uint64_t byte = (both >> (8 * (s & 7))) & 255;
    if (s & 8) byte = (byte & 128) ? 255 : 0;
    result |= byte << (8 * i);
  }
  return result;
}

std::uint64_t logic_by_table(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t table) {
  std::uint64_t r = 0;
  for (int i = 0; i < 8; ++i)
    if ((table >> i) & 1) r |= ((i & 4) ? a : ~a) & ((i & 2) ? b : ~b) & ((i & 1) ? c : ~c);
  return r & 0xffffffffu;
}

std::uint64_t reversed_bits(std::uint64_t value, int bits) {
  std::uint64_t r = 0;
  for (int i = 0; i < bits; ++i) r |= ((value >> i) & 1) << (bits - 1 - i);
  return r;
}

Lanes local_addresses(const WarpState& warp, const Lanes& where) {
  Lanes address;
  for (std::size_t lane = 0; lane < 32; ++lane)
    address[lane] = (local_buffer << 40) + static_cast<std::uint64_t>(warp.warp) * 0x1000000 +
                    (where[lane] / 4 & 0xffff) * 128 + lane * 4 + where[lane] % 4;
  return address;
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

namespace {
/// Most distinct words that any bank must deliver for these lanes.
int bank_passes(const MemoryAccess& access, LaneMask lanes) {
  // Mostly a bank is asked for one word: further ones go to a list.
  std::array<std::uint32_t, 32> first;
  LaneMask asked = 0;
  std::array<std::array<std::uint32_t, 31>, 32> further;
  std::array<std::uint8_t, 32> count;
  int most = lanes != 0 ? 1 : 0;
  LaneMask conflicts = 0;
  const std::uint32_t words_per_lane = std::max<std::uint32_t>(1, access.bytes / 4);
  for (const std::size_t lane : LanesOf{lanes}) {
    const auto begin = static_cast<std::uint32_t>(access.address[lane] / 4);
    for (std::uint32_t word = begin; word != begin + words_per_lane; ++word) {
      const std::size_t bank = word % 32;
      const LaneMask bit = LaneMask{1} << bank;
      if ((asked & bit) == 0) {
        asked |= bit;
        first[bank] = word;
        continue;
      }
      if (first[bank] == word) continue;
      if ((conflicts & bit) == 0) {
        conflicts |= bit;
        count[bank] = 0;
      }
      auto& others = further[bank];
      const auto end = others.begin() + count[bank];
      if (count[bank] == others.size() || std::find(others.begin(), end, word) != end) continue;
      others[count[bank]++] = word;
      most = std::max(most, 1 + count[bank]);
    }
  }
  return most;
}

/// True where every lane reads what its neighbour at distance `step` (1 or 2) reads.
bool neighbours_equal(const MemoryAccess& access, std::size_t step) {
  for (std::size_t lane = 0; lane < 32; ++lane) {
    const auto other = lane ^ step;
    if (((access.lanes >> lane) & 1) && ((access.lanes >> other) & 1) && access.address[lane] != access.address[other])
      return false;
  }
  return true;
}

/// Passes by groups of lanes: all of them, halves for 8 bytes a lane, quarters for 16; `packed` where a group may be
/// twice as large because lanes are equal in pairs.
int group_passes(const MemoryAccess& access, bool packed) {
  const LaneMask lanes = access.lanes & access.known;
  int group = access.bytes <= 4 ? 32 : access.bytes == 8 ? 16 : 8;
  if (packed && group < 32) group *= 2;
  int passes = 0;
  for (int first = 0; first < 32; first += group) {
    const LaneMask part = group == 32 ? lanes : lanes & (((LaneMask{1} << group) - 1) << first);
    if (part != 0) passes += bank_passes(access, part);
  }
  return std::max(passes, 1);
}

constexpr std::int64_t never = std::int64_t{1} << 40;

/// Iterations until a difference that moves by `stride` is zero, both modulo 2^bits.
std::int64_t iterations_to_zero(std::uint64_t difference, std::uint64_t stride, int bits) {
  const std::uint64_t part = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  difference &= part;
  stride &= part;
  if (stride == 0) return never;
  const bool down = (stride >> (bits - 1)) != 0;
  const std::uint64_t way = down ? difference : (~difference + 1) & part, by = down ? (~stride + 1) & part : stride;
  if (way % by != 0) return never;
  return static_cast<std::int64_t>(std::min<std::uint64_t>(way / by, static_cast<std::uint64_t>(never)));
}
}  // namespace

// Lanes that are equal in pairs, (n, n ^ 1) or (n, n ^ 2), are served once and their registers come back packed: 2
// requests for 128 bits instead of 4 (compute capability 7.0 to 7.5: a profiler engineer's answer at
// https://forums.developer.nvidia.com/t/unexpected-shared-memory-bank-conflict/77228; taken to hold for 8.x and 9.0).
int shared_wavefronts(const MemoryAccess& access) {
  return group_passes(access, neighbours_equal(access, 1) || neighbours_equal(access, 2));
}

int cache_passes(const MemoryAccess& access, std::uint32_t lines) {
  return std::max(group_passes(access, false), static_cast<int>(lines));
}

int distinct_words(const MemoryAccess& access) {
  std::array<std::uint64_t, 32> seen{};
  int count = 0;
  for (const std::size_t lane : LanesOf{access.lanes & access.known}) {
    const auto word = access.address[lane] / 4;
    const auto end = seen.begin() + count;
    if (std::find(seen.begin(), end, word) == end) seen[static_cast<std::size_t>(count++)] = word;
  }
  return std::max(count, 1);
}

int same_address(const MemoryAccess& access) {
  int most = 1;
  for (std::size_t i = 0; i < 32; ++i) {
    int same = 0;
    for (std::size_t j = 0; j < 32; ++j)
      same += ((access.lanes & access.known) >> j & 1) && access.address[j] == access.address[i];
    most = std::max(most, same);
  }
  return most;
}

void touched_lines(const MemoryAccess& access, std::vector<LineAccess>& out) {
  const auto begin = out.size();
  const auto touch = [&](std::uint64_t address, std::uint64_t bytes) {
    for (std::uint64_t sector = address / 32; sector <= (address + bytes - 1) / 32; ++sector) {
      const std::uint64_t line = sector / 4;
      const auto bit = static_cast<std::uint8_t>(1u << (sector % 4));
      bool found = false;
      for (std::size_t i = out.size(); i > begin && !found; --i)
        if (out[i - 1].line == line) {
          out[i - 1].sectors |= bit;
          found = true;
        }
      if (!found) out.push_back({line, bit});
    }
  };
  for (const std::size_t lane : LanesOf{access.lanes & access.known}) touch(access.address[lane], access.bytes);
}

std::int64_t iterations_to_equality(const Code& code, const CodeLoop& loop, const std::vector<Lanes>& registers,
                                    const std::vector<Lanes>& stride, LaneMask mask) {
  std::int64_t least = never;
  for (auto pc = loop.head; pc <= loop.tail; ++pc) {
    const auto test = code.equality_test(pc);
    if (!test) continue;
    for (const std::size_t lane : LanesOf{mask}) {
      const auto of = [&](std::int32_t r, const std::vector<Lanes>& values, std::uint64_t otherwise) {
        return r >= 0 ? values[static_cast<std::size_t>(r)][lane] : otherwise;
      };
      const auto difference = of(test->a, registers, 0) - of(test->b, registers, test->value);
      const auto moves = of(test->a, stride, 0) - of(test->b, stride, 0);
      least = std::min(least, iterations_to_zero(difference, moves, test->bits));
    }
  }
  // The test may stand before or behind what moves its operands.
  return least - 2;
}
}  // namespace sparsecast::gpu_code
