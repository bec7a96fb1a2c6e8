#include "gpu_code/trace/leaps.hpp"

#include <algorithm>
#include <bit>

#include "gpu_code/trace/common_operations.hpp"

namespace sparsecast::gpu_code {
namespace {
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
