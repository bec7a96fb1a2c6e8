#include "gpu_code/sass/sass_moves.hpp"

#include <algorithm>
#include <bit>

#include "gpu_code/trace/common_operations.hpp"

namespace sparsecast::gpu_code::sass {
namespace {
/// What special register `number` holds, to register `d` of a step that has no other source.
void read_special(SassStep& s, std::uint32_t number, std::uint32_t d) {
  const auto& warp = s.warp;
  const auto lanes = [&](const Lanes& v) { s.write(d, [&](std::size_t l) { return v[l]; }); };
  const auto one = [&](std::int64_t v) { s.write(d, [&](std::size_t) { return static_cast<std::uint64_t>(v); }); };
  switch (number) {
    case 0x00:  // lane
      return s.write(d, [](std::size_t l) { return l; });
    case 0x21: return lanes(warp.tid_x);
    case 0x22: return lanes(warp.tid_y);
    case 0x23: return lanes(warp.tid_z);
    case 0x25: return one(warp.block[0]);
    case 0x26: return one(warp.block[1]);
    case 0x27: return one(warp.block[2]);
    case 0x88:  // place in the cluster, which shared addresses start from: clusters are of one block here
      return one(0);
    default: return s.forget(d);
  }
}

/// What a load from a constant bank takes by its width: unsigned and signed bytes, then halves, 4 and 8 bytes.
struct ConstantLoad {
  int bytes, registers;
  bool fills;  ///< the register with the highest bit
  explicit ConstantLoad(const SassWord& word) {
    constexpr int sizes[] = {1, 1, 2, 2, 4, 8, 4, 4};
    const auto width = word.bits(73, 3);
    bytes = std::min(sizes[width], 4);
    registers = sizes[width] == 8 ? 2 : 1;
    fills = width == 1 || width == 3;
  }
  /// Lanes for which it is known: all or none.
  [[nodiscard]] LaneMask read(const SassStep& s, std::uint64_t offset, std::uint64_t& value) const {
    const auto known = s.code.constant(s.word.bits(54, 5), offset, bytes, value);
    if (fills) value = low32(static_cast<std::uint64_t>(sign_extend(value, 8 * bytes)));
    return known;
  }
};
}  // namespace

void move(SassStep& s, const Lanes& b) {
  s.write(s.result(), [&](std::size_t l) { return low32(b[l]); });
}

void select(SassStep& s, const Lanes& a, const Lanes& b) {
  const auto p = s.test(87, 90);
  s.write(s.result(), [&](std::size_t l) { return p[l] ? a[l] : b[l]; });
}

void constant_by_halves(SassStep& s) {
  // −0 × 0 + constant; any other product of halves is not computed.
  if (s.word.form() == 2 && s.word.bits(24, 8) == rz && s.word.bits(64, 8) == rz)
    s.write(s.result(), [&](std::size_t) { return s.word.bits(32, 32); });
  else
    s.forget(s.result());
}

void clock_or_zero(SassStep& s) {
  const auto d = s.word.bits(16, 8);
  if (s.word.bits(72, 8) == 0xff) {
    s.write(d, [](std::size_t) { return 0u; });
    if (s.flag(80)) s.write(SassStep::next(d), [](std::size_t) { return 0u; });
  } else {
    s.forget(d);
    s.forget(SassStep::next(d));
  }
}

void special_register(SassStep& s) {
  SassStep t{s.warp, s.word, s.code, s.on, false, ~LaneMask{0}};
  read_special(t, s.word.bits(72, 8), s.word.bits(16, 8));
}

void special_register_to_uniform(SassStep& s) {
  SassStep t{s.warp, s.word, s.code, s.on, true, ~LaneMask{0}};
  read_special(t, s.word.bits(72, 8), s.uniform_reg(16));
}

void to_uniform_register(SassStep& s) {
  const auto& v = s.value(s.word.bits(24, 8));
  const auto first = static_cast<std::size_t>(std::countr_zero(s.on));
  const bool good = (s.known >> first) & 1;
  SassStep t{s.warp, s.word, s.code, s.on, true, good ? ~LaneMask{0} : 0};
  const auto value = v[first];
  t.write(s.uniform_reg(16), [&](std::size_t) { return value; });
}

void uniform_constant(SassStep& s) {
  std::uint64_t v = 0;
  const auto d = s.uniform_reg(16);
  const ConstantLoad load(s.word);
  for (std::uint32_t half = 0; half < static_cast<std::uint32_t>(load.registers); ++half) {
    s.known = load.read(s, s.word.bits(38, 16) + 4u * half, v);
    s.write(d + half, [&](std::size_t) { return v; });
  }
}

void load_constant(SassStep& s, StepOutcome& outcome) {
  const auto& word = s.word;
  auto& warp = s.warp;
  const auto d = word.bits(16, 8);
  const auto offset = s.value(word.bits(24, 8));
  const auto base = static_cast<std::uint64_t>(sign_extend(word.bits(38, 16), 16));
  const LaneMask address_known = s.known;
  const ConstantLoad load(word);
  for (int r = 0; r < load.registers; ++r) {
    const auto index = d + static_cast<std::uint32_t>(r);
    if (index >= rz) continue;
    for (const std::size_t l : LanesOf{s.on}) {
      std::uint64_t v = 0;
      const bool good = ((address_known >> l) & 1) != 0 &&
                        load.read(s, low32(offset[l] + base) + 4u * static_cast<unsigned>(r), v) != 0;
      warp.registers[index][l] = v;
      warp.known[index] = good ? warp.known[index] | (LaneMask{1} << l) : warp.known[index] & ~(LaneMask{1} << l);
    }
  }
  outcome.has_access = true;
  outcome.access = {MemorySpace::constant, false, false, false, static_cast<std::uint8_t>(4 * load.registers), s.on,
                    s.on & address_known};
  for (std::size_t l = 0; l < 32; ++l) outcome.access.address[l] = low32(offset[l] + base);
}
}  // namespace sparsecast::gpu_code::sass
