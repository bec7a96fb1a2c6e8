#pragma once
// One instruction word of machine code: the 128 bits of compute capability 7.x to 9.x. There is no public manual:
// fields were read off nvdisasm's listings of ptxas's output.

#include <cstdint>

namespace sparsecast::gpu_code {
struct SassWord {
  std::uint64_t low = 0, high = 0;

  [[nodiscard]] std::uint32_t bits(int first, int count) const {
    const std::uint64_t value = first >= 64  ? high >> (first - 64)
                                : first == 0 ? low
                                             : (low >> first) | (high << (64 - first));
    return static_cast<std::uint32_t>(value & ((std::uint64_t{1} << count) - 1));
  }
  /// Operation without the bits that choose the operands' form.
  [[nodiscard]] std::uint32_t operation() const { return bits(0, 9); }
  [[nodiscard]] std::uint32_t form() const { return bits(9, 3); }
  // Control: cycles before the next instruction may issue, and the six scoreboards.
  [[nodiscard]] std::uint32_t stall() const { return bits(105, 4); }
  [[nodiscard]] std::uint32_t write_barrier() const { return bits(110, 3); }  ///< 7: none
  [[nodiscard]] std::uint32_t read_barrier() const { return bits(113, 3); }   ///< 7: none
  [[nodiscard]] std::uint32_t wait_mask() const { return bits(116, 6); }
  /// Whether operand 0 to 2 stays in the register cache for the warp's next instruction.
  [[nodiscard]] bool reuses(int operand) const { return bits(122 + operand, 1) != 0; }
};

/// The uniform data path's operations are the vector ones plus 0x80: one value for the warp.
[[nodiscard]] inline bool is_uniform(const SassWord& word) {
  const auto number = word.operation();
  return number >= 0x80 && number < 0xc0;
}
}  // namespace sparsecast::gpu_code
