#include "gpu_code/sass/cubin.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <algorithm>
#include <cstring>
#include <sparsecast/error.hpp>
#include <string_view>

namespace sparsecast::gpu_code {
namespace {
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
    throw Error(ErrorCode::bad_input, reason, {name_}, "a cubin of compute capability 7.0 to 9.0 is needed");
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
