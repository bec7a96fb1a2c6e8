#include "gpu_code/sass/sass_operations.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <sparsecast/error.hpp>

#include "gpu_code/sass/sass_floats.hpp"
#include "gpu_code/sass/sass_integers.hpp"
#include "gpu_code/sass/sass_moves.hpp"
#include "gpu_code/sass/sass_predicates.hpp"

namespace sparsecast::gpu_code {
namespace {
using namespace sass;
using effect = SassEffect;
using memory = SassMemory;

constexpr std::size_t numbers = 512;

// How an operation's function gets its operands: as they stand in A, B and C, the second of two in whichever form.
using One = void (*)(SassStep&, const Lanes&);
using Two = void (*)(SassStep&, const Lanes&, const Lanes&);
using Three = void (*)(SassStep&, const Lanes&, const Lanes&, const Lanes&);

template <One function>
void of_second(SassStep& s) {
  const auto b = s.second();
  function(s, b);
}
template <Two function>
void of_a_second(SassStep& s) {
  const auto a = s.a(), b = s.second();
  function(s, a, b);
}
template <Two function>
void of_ab(SassStep& s) {
  const auto a = s.a(), b = s.b();
  function(s, a, b);
}
template <Three function>
void of_abc(SassStep& s) {
  const auto a = s.a(), b = s.b(), c = s.c();
  function(s, a, b, c);
}

constexpr SassOperation table[] = {
#include "gpu_code/sass/sass_operations.def"
};

/// Operations without a row: what stands in a part of the numbers is alike. Elsewhere: one register, integer pipe.
struct Family {
  std::uint16_t first, last;
  std::uint8_t results;
  Pipe pipe;
};
constexpr Family families[] = {
    {0x10a, 0x10f, 2, Pipe::alu},     // conversions
    {0x120, 0x13f, 0, Pipe::alu},     // control
    {0x140, 0x15f, 0, Pipe::branch},  // jumps and reconvergence
    {0x160, 0x17f, 0, Pipe::alu},     // control
    {0x180, 0x1bf, 1, Pipe::lsu},     // memory
};

constexpr SassOperation without_row(std::size_t number) {
  SassOperation operation;
  operation.number = static_cast<std::uint16_t>(number);
  for (const auto& family : families)
    if (number >= family.first && number <= family.last) {
      operation.results = family.results;
      operation.pipe = family.pipe;
    }
  return operation;
}

/// The uniform form of a vector operation: the same function, on a pipe of its own.
constexpr SassOperation uniform_form(SassOperation operation) {
  operation.number = static_cast<std::uint16_t>(operation.number + 0x80);
  operation.pipe = Pipe::uniform;
  if (operation.evaluate == clock_or_zero) {  // there is none
    operation.effect = effect::unknown;
    operation.results = 1;
    operation.evaluate = nullptr;
  }
  return operation;
}

constexpr std::array<SassOperation, numbers> by_number() {
  std::array<SassOperation, numbers> all;
  for (std::size_t n = 0; n < numbers; ++n) all[n] = without_row(n);
  for (const auto& row : table) all[row.number] = row;
  for (std::size_t n = 0x80; n < 0xc0; ++n)
    if (all[n].name.empty()) all[n] = uniform_form(all[n - 0x80]);
  return all;
}
constexpr auto operations = by_number();

constexpr bool in_order() {
  for (std::size_t i = 1; i < std::size(table); ++i)
    if (table[i - 1].number >= table[i].number) return false;
  return true;
}
static_assert(in_order(), "the rows of the table stand in the order of their numbers, each once");
}  // namespace

const SassOperation& sass_operation(const SassWord& word) { return operations[word.operation()]; }

std::optional<std::uint32_t> register_source(const SassWord& word, int operand) {
  constexpr std::uint16_t of_one[] = {0x002, 0x013};  // MOV, IABS: their only source is the second
  constexpr std::uint16_t of_three[] = {0x00f, 0x010, 0x012, 0x014, 0x016, 0x019, 0x023,
                                        0x024, 0x025, 0x026, 0x027, 0x031, 0x035, 0x046};
  const auto number = word.operation();
  const bool one = std::ranges::find(of_one, number) != std::end(of_one),
             three = std::ranges::find(of_three, number) != std::end(of_three);
  if (is_uniform(word) || (one && operand != 1) || (!three && operand > 1)) return std::nullopt;
  // The second source stands at bit 32 or, where the third takes that place, at bit 64; of two sources the second may
  // be written as the third.
  int first = 24;
  const auto form = word.form();
  const bool third_elsewhere = form == 2 || form == 3 || form == 7;
  if (operand == 1) {
    if (form == 4 || form == 5 || form == 6 || (third_elsewhere && !three)) return std::nullopt;
    first = third_elsewhere ? 64 : 32;
  } else if (operand == 2) {
    if (third_elsewhere) return std::nullopt;
    first = 64;
  }
  const auto number_of_register = word.bits(first, 8);
  if (number_of_register == rz) return std::nullopt;
  return number_of_register;
}
}  // namespace sparsecast::gpu_code
