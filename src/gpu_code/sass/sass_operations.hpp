#pragma once
// The operations of machine code in one table: number and name, what each does to control flow and memory, how many
// registers its result fills, which part of a multiprocessor it takes, and the function that computes its result. A new
// one is a row; if it computes, its function goes to the file of its idea (sass_arithmetic.hpp, sass_memory.cpp).

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu_code/times/kernel_times.hpp"

namespace sparsecast::gpu_code {
// Machine code out of a cubin (an ELF file from ptxas): the instruction words of one kernel and where its parameters
// lie. The words are read as the 128-bit instructions of compute capability 7.x to 9.x. Not here: what they do.

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
  std::int64_t parameter_offset = 0;            ///< in constant bank 0
  int registers = 0;                            ///< per thread
  std::int64_t shared_bytes = 0;                ///< static
  std::span<const std::uint8_t> own_constants;  ///< bank 2: what the assembler put there; of the file's bytes
};

/// Error bad_input where the file is no cubin or has no such kernel.
[[nodiscard]] CubinKernel read_cubin(std::span<const std::uint8_t> file, const std::string& kernel,
                                     const std::string& file_name);

struct SassStep;

/// What running it does besides taking time.
enum class SassEffect : std::uint8_t {
  value,     ///< computes registers and predicates from others, by its function
  unknown,   ///< its result, if it has one, is not computed here
  exchange,  ///< the same: a value from another lane
  nothing,   ///< hints
  constant,  ///< loads from a constant bank
  load,
  store,
  atomic,
  reduce,  ///< an atomic operation without a result
  branch,
  exit,
  barrier,
  call,       ///< of a place in the kernel's own code
  come_back,  ///< from a call, to the place in a register
  call_away,  ///< of a function that the kernel's code does not hold
  jump        ///< to a place that is not followed
};

/// Which memory a load, store or atomic operation reaches.
enum class SassMemory : std::uint8_t {
  none,
  global,
  shared,
  local,
  generic  ///< the address's window says which
};

struct SassOperation {
  std::uint16_t number = 0;    ///< bits 0 to 8
  std::string_view name = {};  ///< as listings write it; empty where the table has no row
  SassEffect effect = SassEffect::unknown;
  std::uint8_t results = 1;  ///< registers: two for 64-bit values
  Pipe pipe = Pipe::alu;
  void (*evaluate)(SassStep&) = nullptr;  ///< of a value
  SassMemory memory = SassMemory::none;
};

/// Never fails: an operation without a row takes what its neighbours take, and its result is unknown.
[[nodiscard]] const SassOperation& sass_operation(const SassWord& word);

/// The vector register that an arithmetic instruction reads as operand 0 to 2; none where that is a constant or RZ, or
/// where the operation has fewer.
[[nodiscard]] std::optional<std::uint32_t> register_source(const SassWord& word, int operand);

/// The uniform data path's operations are the vector ones plus 0x80: one value for the warp.
[[nodiscard]] inline bool is_uniform(const SassWord& word) {
  const auto number = word.operation();
  return number >= 0x80 && number < 0xc0;
}
}  // namespace sparsecast::gpu_code
