#include "gpu_code/sass/cubin.hpp"

#include <fmt/format.h>
#include <cstring>
#include <sparsecast/error.hpp>
#include <string_view>

namespace sparsecast::gpu_code {
namespace {
struct Section {
  std::string_view name;
  std::uint32_t type = 0, info = 0;
  std::uint64_t offset = 0, size = 0;
};

class Elf {
 public:
  Elf(std::span<const std::uint8_t> file, const std::string& name) : file_(file), name_(name) {
    if (file.size() < 64 || std::memcmp(file.data(),
                                        "\x7f"
                                        "ELF\x02\x01",
                                        6) != 0)
      refuse("not a 64-bit ELF file");
    const auto table = get<std::uint64_t>(40);
    const auto entry = get<std::uint16_t>(58), count = get<std::uint16_t>(60), names = get<std::uint16_t>(62);
    if (entry < 64 || names >= count) refuse("broken section table");
    const auto names_offset = get<std::uint64_t>(table + std::uint64_t{names} * entry + 24);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t at = table + i * entry;
      Section s;
      s.name = text(names_offset + get<std::uint32_t>(at));
      s.type = get<std::uint32_t>(at + 4);
      s.offset = get<std::uint64_t>(at + 24);
      s.size = get<std::uint64_t>(at + 32);
      s.info = get<std::uint32_t>(at + 44);
      constexpr std::uint32_t without_content = 8;  // SHT_NOBITS
      if (s.type != without_content && (s.offset > file.size() || s.size > file.size() - s.offset))
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
    for (const auto& s : sections)
      if (s.name == name) return &s;
    return nullptr;
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

CubinKernel read_cubin(std::span<const std::uint8_t> file, const std::string& kernel, const std::string& file_name) {
  const Elf elf(file, file_name);
  const Section* code = elf.find(".text." + kernel);
  if (!code) elf.refuse(fmt::format("there is no machine code of kernel '{}'", kernel));
  CubinKernel result;
  if (code->size > file.size()) elf.refuse("the machine code is larger than the file");
  result.registers = static_cast<int>(code->info >> 24);
  result.code.resize(code->size / 16);
  for (std::size_t i = 0; i < result.code.size(); ++i)
    result.code[i] = {elf.get<std::uint64_t>(code->offset + 16 * i), elf.get<std::uint64_t>(code->offset + 16 * i + 8)};
  if (const auto* shared = elf.find(".nv.shared." + kernel))
    result.shared_bytes = static_cast<std::int64_t>(shared->size);
  // .nv.info.KERNEL is a list of attributes {format, id, size or value}; PARAM_CBANK (0x0a) tells where parameters
  // start.
  if (const auto* info = elf.find(".nv.info." + kernel)) {
    for (std::uint64_t at = info->offset; at + 4 <= info->offset + info->size;) {
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
