// See sass_operations.hpp.

#include "gpu_code/sass/sass_operations.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "gpu_code/sass/sass_arithmetic.hpp"
#include "gpu_code/sass/sass_memory.hpp"
#include "gpu_code/sass/sass_step.hpp"

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

// number, name, effect, registers of the result, pipe, function, memory
constexpr SassOperation table[] = {
    {0x002, "MOV", effect::value, 1, Pipe::alu, of_second<move>},
    {0x005, "CS2R", effect::value, 2, Pipe::alu, clock_or_zero},  // mostly zero: a pair of registers at once
    {0x007, "SEL", effect::value, 1, Pipe::alu, of_ab<select>},
    {0x009, "FMNMX", effect::value, 1, Pipe::alu, of_a_second<smaller_or_larger_float>},
    {0x00b, "FSETP", effect::value, 0, Pipe::alu, of_a_second<compare_floats>},
    {0x00c, "ISETP", effect::value, 0, Pipe::alu, of_ab<compare_integers>},
    {0x00f, "VIMNMX3", effect::value, 1, Pipe::alu, of_abc<smallest_or_largest_of_three>},
    {0x010, "IADD3", effect::value, 1, Pipe::alu, of_abc<add_three>},
    {0x011, "LEA", effect::value, 1, Pipe::alu, of_ab<shift_and_add>},
    {0x012, "LOP3", effect::value, 1, Pipe::alu, of_abc<logic_of_three>},
    {0x013, "IABS", effect::value, 1, Pipe::alu, of_second<absolute>},
    {0x014, "VABSDIFF", effect::value, 1, Pipe::alu, of_abc<absolute_difference>},
    {0x016, "PRMT", effect::value, 1, Pipe::alu, of_abc<permute_bytes>},
    {0x017, "IMNMX", effect::value, 1, Pipe::alu, of_ab<smaller_or_larger_integer>},
    {0x019, "SHF", effect::value, 1, Pipe::alu, of_abc<funnel_shift>},
    {0x01c, "PLOP3", effect::value, 0, Pipe::alu, logic_of_predicates},
    {0x020, "FMUL", effect::value, 1, Pipe::fma, of_a_second<multiply_floats>},
    {0x021, "FADD", effect::value, 1, Pipe::fma, of_a_second<add_floats>},
    {0x023, "FFMA", effect::value, 1, Pipe::fma, of_abc<multiply_add_floats>},
    {0x024, "IMAD", effect::value, 1, Pipe::fma_heavy, of_abc<multiply_add>},
    {0x025, "IMAD.WIDE", effect::value, 2, Pipe::fma_heavy, of_abc<multiply_add_wide>},
    {0x026, "IDP", effect::unknown, 1, Pipe::fma_heavy},
    {0x027, "IMAD.HI", effect::value, 1, Pipe::fma_heavy, of_abc<multiply_add_high>},
    {0x028, "DMUL", effect::unknown, 2, Pipe::double_},
    {0x029, "DADD", effect::unknown, 2, Pipe::double_},
    {0x02a, "DSETP", effect::unknown, 2, Pipe::double_},
    {0x02b, "DFMA", effect::unknown, 2, Pipe::double_},
    {0x030, "HADD2", effect::unknown, 1, Pipe::half},
    {0x031, "HFMA2", effect::value, 1, Pipe::half, constant_by_halves},
    {0x032, "HMUL2", effect::unknown, 1, Pipe::half},
    {0x033, "HSET2", effect::unknown, 1, Pipe::half},
    {0x034, "HSETP2", effect::unknown, 1, Pipe::half},
    {0x035, "HFMA2.MMA", effect::value, 1, Pipe::half, constant_by_halves},
    {0x036, "VIADD", effect::value, 1, Pipe::alu, of_ab<add_two>},
    {0x037, "IMMA", effect::unknown, 1, Pipe::tensor},
    {0x03c, "HMMA", effect::unknown, 1, Pipe::tensor},
    {0x03d, "BMMA", effect::unknown, 1, Pipe::tensor},
    {0x03f, "DMMA", effect::unknown, 1, Pipe::tensor},
    {0x045, "I2FP", effect::value, 1, Pipe::alu, of_second<to_float_on_alu>},
    {0x046, "VIADDMNMX", effect::value, 1, Pipe::alu, of_abc<smaller_or_larger_sum>},
    {0x048, "VIMNMX", effect::value, 1, Pipe::alu, of_ab<smaller_or_larger_integer>},
    {0x0b9, "ULDC", effect::value, 2, Pipe::uniform, uniform_constant},
    {0x100, "FLO", effect::value, 1, Pipe::xu, of_second<highest_bit>},
    {0x101, "BREV", effect::value, 1, Pipe::xu, of_second<reverse_bits>},
    {0x102, "FCHK", effect::value, 0, Pipe::alu, division_is_ordinary},
    {0x104, "F2F", effect::unknown, 2, Pipe::xu},
    {0x105, "F2I", effect::value, 1, Pipe::xu, of_second<to_integer>},
    {0x106, "I2F", effect::value, 1, Pipe::xu, of_second<to_float>},
    {0x107, "FRND", effect::unknown, 2, Pipe::xu},
    {0x108, "MUFU", effect::value, 1, Pipe::xu, of_second<reciprocal>},
    {0x109, "POPC", effect::value, 1, Pipe::xu, of_second<count_bits>},
    {0x110, "F2F.F64", effect::unknown, 2, Pipe::xu},
    {0x111, "F2I.F64", effect::unknown, 2, Pipe::xu},
    {0x112, "I2F.F64", effect::unknown, 2, Pipe::xu},
    {0x113, "FRND.F64", effect::unknown, 2, Pipe::xu},
    {0x118, "NOP", effect::nothing, 0, Pipe::none},
    {0x119, "S2R", effect::value, 1, Pipe::special, special_register},
    {0x11d, "BAR", effect::barrier, 0, Pipe::barrier},
    {0x142, "BREAK", effect::jump, 0, Pipe::branch},
    {0x143, "CALL.ABS", effect::call_away, 0, Pipe::branch},
    {0x144, "CALL.REL", effect::call, 0, Pipe::branch},
    {0x145, "BSSY", effect::nothing, 0, Pipe::branch},
    {0x147, "BRA", effect::branch, 0, Pipe::branch},
    {0x149, "BRX", effect::jump, 0, Pipe::branch},
    {0x14d, "EXIT", effect::exit, 0, Pipe::exit},
    {0x150, "RET", effect::come_back, 0, Pipe::branch},
    {0x180, "LD", effect::load, 1, Pipe::lsu, nullptr, memory::generic},
    {0x181, "LDG", effect::load, 1, Pipe::lsu, nullptr, memory::global},
    {0x182, "LDC", effect::constant, 1, Pipe::constant},
    {0x183, "LDL", effect::load, 1, Pipe::lsu, nullptr, memory::local},
    {0x184, "LDS", effect::load, 1, Pipe::lsu, nullptr, memory::shared},
    {0x185, "ST", effect::store, 0, Pipe::lsu, nullptr, memory::generic},
    {0x186, "STG", effect::store, 0, Pipe::lsu, nullptr, memory::global},
    {0x187, "STL", effect::store, 0, Pipe::lsu, nullptr, memory::local},
    {0x188, "STS", effect::store, 0, Pipe::lsu, nullptr, memory::shared},
    {0x189, "SHFL", effect::exchange, 1, Pipe::lsu},
    {0x18a, "ATOM", effect::atomic, 1, Pipe::lsu, nullptr, memory::global},
    {0x18c, "ATOMS", effect::atomic, 1, Pipe::lsu, nullptr, memory::shared},
    {0x18d, "ATOMS.CAS", effect::atomic, 1, Pipe::lsu, nullptr, memory::shared},
    {0x18e, "RED", effect::reduce, 0, Pipe::lsu, nullptr, memory::global},
    {0x1a8, "ATOMG", effect::atomic, 1, Pipe::lsu, nullptr, memory::global},
    {0x1a9, "ATOMG.CAS", effect::atomic, 1, Pipe::lsu, nullptr, memory::global},
    {0x1c2, "R2UR", effect::value, 1, Pipe::alu, to_uniform_register},
    {0x1c3, "S2UR", effect::value, 1, Pipe::special, special_register_to_uniform},
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
