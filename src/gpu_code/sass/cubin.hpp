#pragma once
// Machine code out of a cubin (an ELF file from ptxas): the instruction words of one kernel and where its parameters
// lie. The words are read as the 128-bit instructions of compute capability 7.x to 9.x. Not here: what they do.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

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

struct CubinKernel {
  std::vector<SassWord> code;
  std::int64_t parameter_offset = 0;  ///< in constant bank 0
  int registers = 0;                  ///< per thread
  std::int64_t shared_bytes = 0;      ///< static
};

/// Error bad_input where the file is no cubin or has no such kernel.
[[nodiscard]] CubinKernel read_cubin(std::span<const std::uint8_t> file, const std::string& kernel,
                                     const std::string& file_name);
}  // namespace sparsecast::gpu_code
