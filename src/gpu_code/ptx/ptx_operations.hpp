#pragma once
// The operations of PTX in one table: how each is written, how many operands it has, what it does to control flow and
// memory, and which part of a multiprocessor it takes. A new one is a row of ptx_operations.def; if it computes, its
// result is computed in ptx_arithmetic.cpp.

#include <cstdint>
#include <string_view>

#include "gpu_code/ptx/ptx.hpp"

namespace sparsecast::gpu_code {
/// What running it does besides taking time.
enum class PtxEffect : std::uint8_t {
  value,    ///< computes its first operand from the others, lane by lane
  other,    ///< gives a value that is not computed lane by lane, or none that addresses and branches need
  nothing,  ///< hints and fences
  load,
  store,
  atomic,
  branch,
  exit,
  barrier,
  refused  ///< not understood, or a call
};

/// What it takes. Which pipe that is depends on the type (pipe_of_ptx in overlap_model.cpp).
enum class PtxCost : std::uint8_t {
  nothing,
  move,  ///< folded into others; a special register's has its own way
  fold,  ///< always folded into others
  add,
  multiply,
  function,  ///< divisions, roots, transcendental functions, bit searches
  convert,
  integer,
  memory,
  exchange,  ///< between lanes
  branch,
  barrier,
  exit,
  tensor
};

struct PtxOperation {
  std::string_view name;
  PtxOp op;
  std::uint8_t fewest_operands;  ///< 0 where the count differs between forms or nothing relies on it
  PtxEffect effect;
  PtxCost cost;
};

[[nodiscard]] const PtxOperation& ptx_operation(PtxOp op);
/// By the first part of an opcode, as `add` of `add.s32`; that of PtxOp::unknown for a name that is not known.
[[nodiscard]] const PtxOperation& ptx_operation(std::string_view name);
/// True where the first operand is the result.
[[nodiscard]] bool writes_first_operand(const PtxInstruction& instruction);
}  // namespace sparsecast::gpu_code
