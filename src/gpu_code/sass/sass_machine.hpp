#pragma once
// Machine code (SASS, compute capability 7.x to 9.x) that can be run as far as addresses and control flow ask for it.
// There is no public manual: fields were read off nvdisasm's listings of ptxas's output. An operation that is not known
// leaves its result unknown; one that control flow needs makes the caller fall back on the PTX.

#include "gpu_code/ptx/ptx_machine.hpp"
#include "gpu_code/times/kernel_times.hpp"

namespace sparsecast::gpu_code {
// The operations of machine code in one table: number and name, what each does to control flow and memory, how many
// registers its result fills, which part of a multiprocessor it takes, and the function that computes its result. A new
// one is a row; if it computes, its function goes to the file of its idea (sass_arithmetic.hpp, sass_memory.cpp).

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

class SassCode : public Code {
 public:
  /// Parameters, buffers and initialised variables are those of the PTX. `architecture` as 75, 80, …
  SassCode(const CubinKernel& cubin, const PtxCode& ptx, const Launch& launch, int architecture);

  [[nodiscard]] std::int32_t size() const override { return static_cast<std::int32_t>(cubin_.code.size()); }
  [[nodiscard]] std::size_t register_count() const override { return 336; }
  [[nodiscard]] int register_bits(std::size_t number) const override { return number < 320 ? 32 : 0; }
  void execute(WarpState& warp, std::int32_t pc, LaneMask mask, StepOutcome& outcome) const override;
  [[nodiscard]] std::int32_t branch_target(std::int32_t pc) const override;
  [[nodiscard]] bool rare(std::int32_t pc) const override;
  [[nodiscard]] std::optional<EqualityTest> equality_test(std::int32_t pc) const override;
  [[nodiscard]] std::string label(std::int32_t pc) const override;
  [[noreturn]] void ask(std::int32_t pc, const std::string& loop_label) const override;
  [[nodiscard]] const std::vector<SassWord>& words() const { return cubin_.code; }
  /// Lanes for which the bytes of a constant bank are known: all or none.
  [[nodiscard]] LaneMask constant(std::uint32_t bank, std::uint64_t offset, int bytes, std::uint64_t& value) const;

 private:
  [[nodiscard]] const SassOperation& operation(std::int32_t pc) const {
    return sass_operation(cubin_.code[static_cast<std::size_t>(pc)]);
  }
  /// As in the table; but a call of a place from which no return is reached is a jump: the compiler leaves loops so.
  [[nodiscard]] SassEffect effect(std::int32_t pc) const;
  void branch(const SassStep& s, std::int32_t pc, StepOutcome& outcome) const;
  void call(std::int32_t pc, StepOutcome& outcome) const;
  void come_back(SassStep& s, std::int32_t pc, StepOutcome& outcome) const;
  void find_returns();
  /// What a jump adds to the place of the next instruction, in bytes.
  [[nodiscard]] std::int64_t offset(std::int32_t pc) const;
  [[noreturn]] void refuse(std::int32_t pc, const char* reason) const;

  const CubinKernel& cubin_;
  const PtxCode& ptx_;
  const Launch& launch_;
  int architecture_;
  KnownBytes launch_constants_;  ///< of bank 0, below the parameters
  MemoryImage own_constants_;    ///< bank 2
  std::vector<char> returns_;    ///< whether the code from here on comes to a return before it comes to an exit
};
}  // namespace sparsecast::gpu_code
