#pragma once
// PTX as a syntax tree (PTX ISA 9.0): what nvcc and clang emit for compute kernels, with positions. Not here: how it is
// read (ptx_parser.hpp), what instructions do (ptx_machine.hpp) and how they run on a device.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sparsecast::gpu_code {
enum class PtxOp : std::uint8_t {
#define PTX_OPERATION(operation, name, fewest_operands, effect, cost) operation,
#include "gpu_code/ptx/ptx_operations.def"
};
enum class PtxSpace : std::uint8_t { generic, global, shared, constant, local, param };

/// Width in bytes, and how the bits are read.
struct PtxType {
  enum class Kind : std::uint8_t { none, bits, unsigned_, signed_, floating, predicate } kind = Kind::none;
  std::uint8_t bytes = 0;
  std::uint8_t lanes = 1;  ///< 2 for f16x2 and bf16x2
  bool operator==(const PtxType&) const = default;
  /// Numbers of half precision, which are not computed: none reaches an address.
  [[nodiscard]] bool is_half() const { return kind == Kind::floating && (bytes == 2 || lanes == 2); }
};

struct PtxOperand {
  enum class Kind : std::uint8_t { none, reg, immediate, special, symbol, label, vector, sink } kind = Kind::none;
  bool memory = false;       ///< [ … ]
  bool negated = false;      ///< !p
  std::int32_t index = -1;   ///< register, special register, symbol, or label (instruction index once resolved)
  std::int32_t second = -1;  ///< p of d|p
  std::int64_t value = 0;    ///< immediate bits, or offset of a memory operand or symbol
  std::vector<std::int32_t> elements = {};  ///< registers of a vector operand; −1 for _ or an immediate
};

struct PtxInstruction {
  PtxOp op = PtxOp::unknown;
  PtxSpace space = PtxSpace::generic;
  PtxType type, source_type;  ///< of the result, and of the source where cvt, set, … name two
  std::uint8_t vector = 1;    ///< elements of ld/st .v2, .v4
  bool high = false, wide = false, carry_out = false, saturate = false;
  bool cache_global = false;  ///< .cg and .cv: not through the first-level cache
  std::int32_t guard = -1;
  bool guard_negated = false;
  std::int32_t name = -1;  ///< index into PtxModule::opcodes: the opcode as written
  std::vector<PtxOperand> operands;
  std::int32_t line = 0, column = 0;
  std::int32_t source_file = 0, source_line = 0, source_column = 0;  ///< from .loc; 0 where there is none
};

/// A variable in .shared, .const, .global or .local.
struct PtxVariable {
  std::string name;
  PtxSpace space = PtxSpace::global;
  std::int64_t bytes = 0, align = 1;
  std::int64_t address = 0;        ///< within its space, given by the parser
  bool external = false;           ///< extern .shared: its size comes with the launch
  std::vector<std::uint8_t> init;  ///< empty where not initialised
};

struct PtxParameter {
  std::string name;
  PtxType type;
  std::int64_t bytes = 0, offset = 0;
  bool pointer = false;  ///< .ptr, or used as an address (see find_pointers in ptx_memory.cpp)
};

struct PtxLabel {
  std::string name;
  std::int32_t instruction = 0;
};

struct PtxKernel {
  std::string name;
  std::vector<PtxParameter> parameters;
  std::vector<PtxInstruction> body;
  std::vector<PtxLabel> labels;
  std::vector<std::string> registers;  ///< names, by number
  std::vector<PtxType> register_types;
  std::vector<PtxVariable> variables;  ///< of the kernel and of the module: what `symbol` operands index
  std::int64_t shared_bytes = 0;
  std::array<std::int64_t, 3> most_block{};  ///< .maxntid: a block has their product of threads at most; 0: no bound
  std::array<std::int64_t, 3> required_block{};  ///< .reqntid: every block is of this size; 0: of any
};

struct PtxModule {
  std::string file;
  std::string version;
  std::vector<PtxKernel> kernels;
  std::vector<std::string> source_files;  ///< .file, by number
  std::vector<std::string> opcodes;       ///< every distinct opcode as written
};

/// Names of the special registers that `PtxOperand::index` numbers.
enum class PtxSpecial : std::int32_t {
#define PTX_SPECIAL(special, name) special,
#include "gpu_code/ptx/ptx_specials.def"
  other  ///< read as an unknown number
};

/// The kernel of that name, or the only one where `name` is empty; Error usage listing the names otherwise.
[[nodiscard]] const PtxKernel& find_kernel(const PtxModule& module, const std::string& name);
}  // namespace sparsecast::gpu_code
