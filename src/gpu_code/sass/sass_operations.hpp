#pragma once
// The operations of machine code in one table: number and name, what each does to control flow and memory, how many
// registers its result fills, which part of a multiprocessor it takes, and the function that computes its result. A new
// one is a row of sass_operations.def; if it computes, its function goes to the file of its idea (sass_floats.hpp,
// sass_integers.hpp, sass_predicates.hpp, sass_moves.cpp). An operation that is not known leaves its result unknown.

#include <cstdint>
#include <optional>
#include <string_view>

#include "gpu_code/sass/sass_word.hpp"
#include "gpu_code/times/pipe.hpp"

namespace sparsecast::gpu_code {
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

/// Of conversions: bits 75 and 76 of the word are the logarithm of the result's bytes.
inline constexpr std::uint8_t by_width = 255;

struct SassOperation {
  std::uint16_t number = 0;    ///< bits 0 to 8
  std::string_view name = {};  ///< as listings write it; empty where the table has no row
  SassEffect effect = SassEffect::unknown;
  std::uint8_t results = 1;  ///< registers: two for 64-bit values, or by_width
  Pipe pipe = Pipe::alu;
  void (*evaluate)(SassStep&) = nullptr;  ///< of a value
  SassMemory memory = SassMemory::none;
  bool tells = false;  ///< what is not computed includes the predicate at bit 81
};

/// Never fails: an operation without a row takes what its neighbours take, and its result is unknown.
[[nodiscard]] const SassOperation& sass_operation(const SassWord& word);

/// The vector register that an arithmetic instruction reads as operand 0 to 2; none where that is a constant or RZ, or
/// where the operation has fewer.
[[nodiscard]] std::optional<std::uint32_t> register_source(const SassWord& word, int operand);
}  // namespace sparsecast::gpu_code
