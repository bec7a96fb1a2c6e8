#include "gpu_code/sass/sass_memory.hpp"

#include <algorithm>
#include <utility>

#include "gpu_code/trace/common_operations.hpp"

namespace sparsecast::gpu_code::sass {
namespace {
/// Loads that must see what other multiprocessors wrote (.cg, volatile) do not look into the first level. Which order a
/// load asks for stands in four bits, numbered anew from 8.0 on; below that 10 and 11 are such, since then 7 and 10.
bool passes_first_level_by(const SassWord& word, int architecture) {
  const std::uint32_t order = word.bits(77, 4);
  return architecture < 80 ? order == 10 || order == 11 : order == 7 || order == 10;
}

/// A register goes to local or shared memory, with what is known of it. In lanes that are not `certain` it may not:
/// what lies there then is not known.
void keep(WarpState& warp, bool local, std::uint32_t reg, LaneMask lanes, LaneMask certain, const Lanes& where,
          std::uint64_t offset, int bytes) {
  const LaneMask known = warp.known[reg] & certain;
  if (!local && warp.shared->blank()) lanes &= known;  // none of it is known anyway
  for (const std::size_t l : LanesOf{lanes}) {
    const std::uint64_t at = where[l] + offset, value = warp.registers[reg][l];
    const bool good = (known >> l) & 1;
    if (local)
      warp.local[l].write(at, bytes, value, good);
    else
      warp.shared->write(at, bytes, value, good);
  }
}

/// What the instruction's fields say before any address is known.
struct Form {
  bool shared, local, store, atomic, reduce;
  std::uint32_t size;  ///< as coded: unsigned and signed bytes, then halves, 4, 8 and 16 bytes
  int bytes;
};

Form form_of(const SassWord& word, const SassOperation& operation) {
  constexpr int sizes[] = {1, 1, 2, 2, 4, 8, 16, 16};
  const auto size = word.bits(73, 3);
  const bool reduce = operation.effect == SassEffect::reduce, atomic = reduce || operation.effect == SassEffect::atomic;
  return {operation.memory == SassMemory::shared,
          operation.memory == SassMemory::local,
          operation.effect == SassEffect::store,
          atomic,
          reduce,
          size,
          atomic ? (size >= 5 ? 8 : 4) : sizes[size]};
}

/// [Ra + URb + immediate], shared addresses with Ra scaled by 1, 4, 8 or 16.
Lanes addresses(SassStep& s, const Form& form, int architecture) {
  const auto& word = s.word;
  const auto immediate = sign_extend(word.bits(40, 24), 24);
  Lanes where = s.value(word.bits(24, 8));
  const bool wide = !form.shared && !form.local && s.flag(72);
  const bool with_uniform = s.flag(91);
  // From 8.0 on the uniform register of a global access holds a descriptor, not an address.
  const bool add_uniform = with_uniform && (form.shared || form.local || architecture < 80);
  const int uniform_at = form.store || form.atomic ? 64 : 32;
  if (wide && (!add_uniform || s.flag(90))) {
    const auto& high = s.value(SassStep::next(word.bits(24, 8)));
    for (std::size_t l = 0; l < 32; ++l) where[l] = low32(where[l]) | (high[l] << 32);
  }
  if (form.shared)
    for (auto& a : where) a = low32(a) << (word.bits(78, 2) == 0 ? 0 : word.bits(78, 2) + 1);
  if (add_uniform) {
    const auto u = s.uniform_reg(uniform_at);
    const auto& low = s.value(u);
    if (wide) {
      const auto& high = s.value(SassStep::next(u));
      for (std::size_t l = 0; l < 32; ++l) where[l] += low32(low[l]) | (high[l] << 32);
    } else {
      for (std::size_t l = 0; l < 32; ++l) where[l] += low32(low[l]);
    }
  }
  for (auto& a : where) {
    a += static_cast<std::uint64_t>(immediate);
    if (form.shared || form.local) a = low32(a);
  }
  return where;
}

/// Register r of those that hold the data.
std::uint32_t data_register(const SassWord& word, const Form& form, int r) {
  const auto first = form.store ? word.bits(32, 8) : word.bits(16, 8);
  return first == rz ? rz : std::min<std::uint32_t>(first + static_cast<std::uint32_t>(r), rz);
}

/// Puts what is read to the registers, as far as it is known.
void fetch(SassStep& s, const Form& form, const Lanes& where, LaneMask known, const MemoryImage& memory) {
  auto& warp = s.warp;
  const LaneMask readable = form.atomic || (form.shared && warp.shared->blank()) ? 0 : known;
  const int registers = std::max(1, form.bytes / 4), part = std::min(form.bytes, 4);
  for (int r = 0; r < registers; ++r) {
    const auto number = data_register(s.word, form, r);
    if (number == rz) continue;
    warp.known[number] &= ~s.on;
    for (const std::size_t l : LanesOf{readable}) {
      const std::uint64_t at = where[l] + 4 * static_cast<std::uint64_t>(r);
      std::uint64_t value = 0;
      const bool good = form.shared  ? warp.shared->read(at, part, value)
                        : form.local ? warp.local[l].read(at, part, value)
                                     : memory.read(at, part, value);
      if (!good) continue;
      if (form.size == 1) value = low32(static_cast<std::uint64_t>(sign_extend(value, 8)));
      if (form.size == 3) value = low32(static_cast<std::uint64_t>(sign_extend(value, 16)));
      warp.registers[number][l] = value;
      warp.known[number] |= LaneMask{1} << l;
    }
  }
}

void describe(const SassStep& s, const SassOperation& operation, const Form& form, const Lanes& where, LaneMask known,
              int architecture, StepOutcome& outcome) {
  const bool through_first_level = operation.effect == SassEffect::load && !form.shared && !form.local;
  auto& access = outcome.access = {form.shared  ? MemorySpace::shared
                                   : form.local ? MemorySpace::local
                                                : MemorySpace::global,
                                   form.store || form.reduce,
                                   form.atomic,
                                   form.atomic || (through_first_level && passes_first_level_by(s.word, architecture)),
                                   static_cast<std::uint8_t>(form.bytes),
                                   s.on,
                                   known,
                                   form.local ? local_addresses(s.warp, where) : where};
  outcome.has_access = true;
  if (operation.memory == SassMemory::generic)
    for (const std::size_t lane : LanesOf{known}) {
      auto& a = access.address[lane];
      if (a >= shared_window && a < local_window) access.space = MemorySpace::shared, a -= shared_window;
    }
}
}  // namespace

void access_memory(SassStep& s, const SassOperation& operation, const Surroundings& around, StepOutcome& outcome) {
  const auto form = form_of(s.word, operation);
  // Whether it runs in a lane may not be known; where it would reach is.
  const LaneMask certain = std::exchange(s.known, ~LaneMask{0});
  const auto where = addresses(s, form, around.architecture);
  const LaneMask known = s.known & s.on;
  // What a store puts to global memory is not followed.
  if (form.store && (form.shared || form.local)) {
    const int registers = std::max(1, form.bytes / 4), part = std::min(form.bytes, 4);
    for (int r = 0; r < registers; ++r)
      keep(s.warp, form.local, data_register(s.word, form, r), known, certain, where, 4 * static_cast<std::uint64_t>(r),
           part);
  } else if (!form.store && !form.reduce) {
    fetch(s, form, where, known & certain, around.memory);
  }
  describe(s, operation, form, where, known, around.architecture, outcome);
}
}  // namespace sparsecast::gpu_code::sass
