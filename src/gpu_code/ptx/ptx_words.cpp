#include "gpu_code/ptx/ptx_words.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "base/number.hpp"
#include "base/text.hpp"
#include "gpu_code/ptx/ptx_operations.hpp"

namespace sparsecast::gpu_code {
std::optional<PtxType> ptx_type(std::string_view name) {
  using Kind = PtxType::Kind;
  if (name == "pred") return PtxType{Kind::predicate, 1};
  if (name == "f16x2" || name == "bf16x2") return PtxType{Kind::floating, 4, 2};
  if (name == "bf16") return PtxType{Kind::floating, 2};
  if (name == "tf32") return PtxType{Kind::floating, 4};
  constexpr std::pair<char, Kind> kinds[] = {
      {'u', Kind::unsigned_}, {'s', Kind::signed_}, {'b', Kind::bits}, {'f', Kind::floating}};
  const auto kind = std::ranges::find(kinds, name.empty() ? ' ' : name[0], &std::pair<char, Kind>::first);
  const auto bits = base::number_in<int>(name.substr(std::min<std::size_t>(1, name.size()))).value_or(0);
  if (kind == std::end(kinds) || bits < 8 || bits > 128 || !std::has_single_bit(static_cast<unsigned>(bits))) return {};
  return PtxType{kind->second, static_cast<std::uint8_t>(bits / 8)};
}

PtxSpecial ptx_special(std::string_view name) {
  constexpr std::string_view names[] = {
#define PTX_SPECIAL(special, name) name,
#include "gpu_code/ptx/ptx_specials.def"
  };
  return static_cast<PtxSpecial>(std::ranges::find(names, name) - std::begin(names));
}

PtxInstruction ptx_shape(const std::string& opcode) {
  PtxInstruction in;
  const auto parts = base::split(opcode, '.');
  in.op = ptx_operation(parts.front()).op;
  for (const auto part : std::span(parts).subspan(1)) {
    if (const auto type = ptx_type(part)) (in.type.kind == PtxType::Kind::none ? in.type : in.source_type) = *type;
    if (part == "v2" || part == "v4" || part == "v8") in.vector = static_cast<std::uint8_t>(part[1] - '0');
#define PTX_SPACE(name, of) \
  if (part.substr(0, part.find(':')) == (name)) in.space = PtxSpace::of;
#define PTX_FLAG(name, flag) \
  if (part == (name)) in.flag = true;
#include "gpu_code/ptx/ptx_modifiers.def"
  }
  return in;
}
}  // namespace sparsecast::gpu_code
