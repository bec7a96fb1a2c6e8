
#include <elf.h>
#include <fmt/format.h>
#include <cstring>
#include <iterator>

#include "gpu_code/sass/sass_arithmetic.hpp"

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
#include "sparsecast/error.hpp"
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

struct Section : Elf64_Shdr {
  std::string_view name;
};

class Elf {
 public:
  Elf(std::span<const std::uint8_t> file, const std::string& name) : file_(file), name_(name) {
    constexpr std::uint8_t mark[] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB};
    if (file.size() < sizeof(Elf64_Ehdr) || std::memcmp(file.data(), mark, sizeof mark) != 0)
      refuse("not a 64-bit ELF file");
    const auto head = get<Elf64_Ehdr>(0);
    if (head.e_shentsize < sizeof(Elf64_Shdr) || head.e_shstrndx >= head.e_shnum) refuse("broken section table");
    const auto section = [&](std::uint64_t i) { return get<Elf64_Shdr>(head.e_shoff + i * head.e_shentsize); };
    const auto names = section(head.e_shstrndx).sh_offset;
    for (std::uint64_t i = 0; i < head.e_shnum; ++i) {
      Section s{section(i), {}};
      s.name = text(names + s.sh_name);
      if (s.sh_type != SHT_NOBITS && (s.sh_offset > file.size() || s.sh_size > file.size() - s.sh_offset))
        refuse("a section lies outside the file");
      sections.push_back(s);
    }
  }
  template <class T>
  [[nodiscard]] T get(std::uint64_t at) const {
    if (at > file_.size() || sizeof(T) > file_.size() - at) refuse("the file is cut short");
    T value;
    std::memcpy(&value, file_.data() + at, sizeof(T));
    return value;
  }
  [[nodiscard]] const Section* find(const std::string& name) const {
    const auto found = std::ranges::find(sections, name, &Section::name);
    return found == sections.end() ? nullptr : &*found;
  }
  [[noreturn]] void refuse(const std::string& reason) const {
    throw Error(ErrorCode::bad_input, reason, {name_}, "a cubin of compute capability 7.0 to 9.0 is wanted");
  }
  std::vector<Section> sections;

 private:
  [[nodiscard]] std::string_view text(std::uint64_t at) const {
    if (at >= file_.size()) refuse("a section's name lies outside the file");
    const auto* begin = reinterpret_cast<const char*>(file_.data()) + at;
    return {begin, strnlen(begin, file_.size() - at)};
  }
  std::span<const std::uint8_t> file_;
  const std::string& name_;
};
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

CubinKernel read_cubin(std::span<const std::uint8_t> file, const std::string& kernel, const std::string& file_name) {
  const Elf elf(file, file_name);
  const Section* code = elf.find(".text." + kernel);
  if (!code) elf.refuse(fmt::format("there is no machine code of kernel '{}'", kernel));
  CubinKernel result;
  if (code->sh_size > file.size()) elf.refuse("the machine code is larger than the file");
  result.registers = static_cast<int>(code->sh_info >> 24);
  result.code.resize(code->sh_size / 16);
  for (std::size_t i = 0; i < result.code.size(); ++i)
    result.code[i] = {elf.get<std::uint64_t>(code->sh_offset + 16 * i),
                      elf.get<std::uint64_t>(code->sh_offset + 16 * i + 8)};
  if (const auto* shared = elf.find(".nv.shared." + kernel))
    result.shared_bytes = static_cast<std::int64_t>(shared->sh_size);
  if (const auto* own = elf.find(".nv.constant2." + kernel))
    result.own_constants = file.subspan(own->sh_offset, own->sh_size);
  // .nv.info.KERNEL is a list of attributes {format, id, size or value}; PARAM_CBANK (0x0a) tells where parameters
  // start.
  if (const auto* info = elf.find(".nv.info." + kernel)) {
    for (std::uint64_t at = info->sh_offset; at + 4 <= info->sh_offset + info->sh_size;) {
      const auto format = elf.get<std::uint8_t>(at), id = elf.get<std::uint8_t>(at + 1);
      const auto size = elf.get<std::uint16_t>(at + 2);
      constexpr std::uint8_t with_size = 4, parameter_bank = 0x0a;
      if (format == with_size && id == parameter_bank && size >= 8)
        result.parameter_offset = elf.get<std::uint16_t>(at + 8);
      at += 4 + (format == with_size ? size : 0u);
    }
  }
  return result;
}
}  // namespace sparsecast::gpu_code
