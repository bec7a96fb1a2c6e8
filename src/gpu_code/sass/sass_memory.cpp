// Loads, stores and atomics of machine code: addresses, and values of known content.

#include <algorithm>
#include <map>

#include "gpu_code/sass/sass_step.hpp"

namespace sparsecast::gpu_code {
namespace {

/// Loads that must see what other multiprocessors wrote (.cg, volatile) do not look into the first level. Which order a
/// load asks for stands in four bits, numbered anew from 8.0 on; below that 10 and 11 are such, since then 7 and 10.
bool passes_first_level_by(const SassWord& word, int architecture) {
  const std::uint32_t order = word.bits(77, 4);
  return architecture < 80 ? order == 10 || order == 11 : order == 7 || order == 10;
}

using LocalMemory = std::map<std::uint64_t, std::uint8_t>;

bool read_local(const LocalMemory& memory, std::uint64_t address, int bytes, std::uint64_t& value) {
  value = 0;
  for (int b = 0; b < bytes; ++b) {
    const auto found = memory.find(address + static_cast<std::uint64_t>(b));
    if (found == memory.end()) return false;
    value |= static_cast<std::uint64_t>(found->second) << (8 * b);
  }
  return true;
}

/// A register goes to local or shared memory, with what is known of it.
void keep(WarpState& warp, bool local, std::uint32_t reg, LaneMask lanes, const Lanes& where, std::uint64_t offset,
          int bytes) {
  const LaneMask known = warp.known[reg];
  if (!local && warp.shared->blank()) lanes &= known;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto l = static_cast<std::size_t>(std::countr_zero(left));
    const std::uint64_t at = where[l] + offset, value = warp.registers[reg][l];
    const bool good = (known >> l) & 1;
    if (!local) {
      warp.shared->write(at, bytes, value, good);
      continue;
    }
    for (int b = 0; b < bytes; ++b) {
      const std::uint64_t place = at + static_cast<std::uint64_t>(b);
      if (good)
        warp.local[l][place] = static_cast<std::uint8_t>(value >> (8 * b));
      else
        warp.local[l].erase(place);
    }
  }
}

}  // namespace

void SassCode::memory(Step& s, StepOutcome& outcome) const {
  const auto& word = s.word;
  const auto operation = word.operation();
  const bool shared = operation == op_lds || operation == op_sts || operation == op_atoms || operation == op_atoms_cas;
  const bool local = operation == op_ldl || operation == op_stl;
  const bool store = operation == op_stg || operation == op_sts || operation == op_stl || operation == op_st;
  const bool atomic = operation == op_atom || operation == op_atomg || operation == op_atoms || operation == op_red ||
                      operation == op_atomg_cas || operation == op_atoms_cas;
  constexpr int sizes[] = {1, 1, 2, 2, 4, 8, 16, 16};
  const int bytes = atomic ? (word.bits(73, 3) >= 5 ? 8 : 4) : sizes[word.bits(73, 3)];

  // [Ra + URb + immediate], shared addresses with Ra scaled by 1, 4, 8 or 16.
  const auto immediate = sign_extend(word.bits(40, 24), 24);
  Lanes where = s.value(word.bits(24, 8));
  const bool wide = !shared && !local && (word.bits(72, 1) != 0);
  const bool with_uniform = word.bits(91, 1) != 0;
  // From 8.0 on the uniform register of a global access holds a descriptor, not an address.
  const bool add_uniform = with_uniform && (shared || local || architecture_ < 80);
  const int uniform_at = store || atomic ? 64 : 32;
  if (wide && (!add_uniform || word.bits(90, 1) != 0)) {
    const auto& high = s.value(Step::next(word.bits(24, 8)));
    for (std::size_t l = 0; l < 32; ++l) where[l] = low32(where[l]) | (high[l] << 32);
  }
  if (shared)
    for (auto& a : where) a = low32(a) << (word.bits(78, 2) == 0 ? 0 : word.bits(78, 2) + 1);
  if (add_uniform) {
    const auto u = s.uniform_reg(uniform_at);
    const auto& low = s.value(u);
    if (wide) {
      const auto& high = s.value(Step::next(u));
      for (std::size_t l = 0; l < 32; ++l) where[l] += low32(low[l]) | (high[l] << 32);
    } else {
      for (std::size_t l = 0; l < 32; ++l) where[l] += low32(low[l]);
    }
  }
  for (auto& a : where) {
    a += static_cast<std::uint64_t>(immediate);
    if (shared || local) a = low32(a);
  }
  const LaneMask known = s.known & s.on;

  const auto data = store ? word.bits(32, 8) : word.bits(16, 8);
  const int registers = std::max(1, bytes / 4), part = std::min(bytes, 4);
  const auto number = [&](int r) {
    return data == rz ? rz : std::min<std::uint32_t>(data + static_cast<std::uint32_t>(r), rz);
  };
  // What global memory holds is not followed.
  if (store && (shared || local)) {
    for (int r = 0; r < registers; ++r)
      keep(s.warp, local, number(r), known, where, 4 * static_cast<std::uint64_t>(r), part);
  } else if (!store && operation != op_red) {
    const LaneMask readable = atomic || (shared && s.warp.shared->blank()) ? 0 : known;
    for (int r = 0; r < registers; ++r) {
      if (number(r) == rz) continue;
      s.warp.known[number(r)] &= ~s.on;
      for (LaneMask left = readable; left != 0; left &= left - 1) {
        const auto l = static_cast<std::size_t>(std::countr_zero(left));
        const std::uint64_t at = where[l] + 4 * static_cast<std::uint64_t>(r);
        std::uint64_t value = 0;
        const bool good = shared  ? s.warp.shared->read(at, part, value)
                          : local ? read_local(s.warp.local[l], at, part, value)
                                  : ptx_.memory().read(at, part, value);
        if (!good) continue;
        if (word.bits(73, 3) == 1) value = low32(static_cast<std::uint64_t>(sign_extend(value, 8)));
        if (word.bits(73, 3) == 3) value = low32(static_cast<std::uint64_t>(sign_extend(value, 16)));
        s.warp.registers[number(r)][l] = value;
        s.warp.known[number(r)] |= LaneMask{1} << l;
      }
    }
  }
  outcome.has_access = true;
  auto& access = outcome.access;
  access.space = shared ? MemorySpace::shared : local ? MemorySpace::local : MemorySpace::global;
  access.store = store || operation == op_red;
  access.atomic = atomic;
  access.bypass_l1 =
      atomic || ((operation == op_ldg || operation == op_ld) && passes_first_level_by(word, architecture_));
  access.bytes = static_cast<std::uint8_t>(bytes);
  access.lanes = s.on;
  access.known = known;
  access.address = where;
  if (operation == op_ld || operation == op_st)
    for (LaneMask left = known; left != 0; left &= left - 1) {
      auto& a = access.address[static_cast<std::size_t>(std::countr_zero(left))];
      if (a >= shared_window && a < local_window) access.space = MemorySpace::shared, a -= shared_window;
    }
  if (local)
    for (std::size_t l = 0; l < 32; ++l)
      access.address[l] = (local_buffer << 40) + static_cast<std::uint64_t>(s.warp.warp) * 0x1000000 +
                          (where[l] / 4 & 0xffff) * 128 + l * 4 + where[l] % 4;
}

}  // namespace sparsecast::gpu_code
