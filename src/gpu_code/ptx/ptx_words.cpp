#include "gpu_code/ptx/ptx_words.hpp"

#include <algorithm>

#include "gpu_code/ptx/ptx_operations.hpp"

namespace sparsecast::gpu_code {
std::optional<PtxType> ptx_type(std::string_view name) {
  using Kind = PtxType::Kind;
  if (name == "pred") return PtxType{Kind::predicate, 1};
  if (name == "f16x2" || name == "bf16x2") return PtxType{Kind::floating, 4, 2};
  if (name == "bf16") return PtxType{Kind::floating, 2};
  if (name == "tf32") return PtxType{Kind::floating, 4};
  if (name.size() < 2) return {};
  Kind kind{};
  switch (name[0]) {
    case 'u':
      kind = Kind::unsigned_;
      break;
    case 's':
      kind = Kind::signed_;
      break;
    case 'b':
      kind = Kind::bits;
      break;
    case 'f':
      kind = Kind::floating;
      break;
    default:
      return {};
  }
  const auto bits = name.substr(1);
  if (bits == "8") return PtxType{kind, 1};
  if (bits == "16") return PtxType{kind, 2};
  if (bits == "32") return PtxType{kind, 4};
  if (bits == "64") return PtxType{kind, 8};
  if (bits == "128") return PtxType{kind, 16};
  return {};
}

PtxSpecial ptx_special(std::string_view name) {
  constexpr std::pair<std::string_view, PtxSpecial> table[] = {{"%tid.x", PtxSpecial::tid_x},
                                                               {"%tid.y", PtxSpecial::tid_y},
                                                               {"%tid.z", PtxSpecial::tid_z},
                                                               {"%ntid.x", PtxSpecial::ntid_x},
                                                               {"%ntid.y", PtxSpecial::ntid_y},
                                                               {"%ntid.z", PtxSpecial::ntid_z},
                                                               {"%ctaid.x", PtxSpecial::ctaid_x},
                                                               {"%ctaid.y", PtxSpecial::ctaid_y},
                                                               {"%ctaid.z", PtxSpecial::ctaid_z},
                                                               {"%nctaid.x", PtxSpecial::nctaid_x},
                                                               {"%nctaid.y", PtxSpecial::nctaid_y},
                                                               {"%nctaid.z", PtxSpecial::nctaid_z},
                                                               {"%laneid", PtxSpecial::laneid},
                                                               {"%warpid", PtxSpecial::warpid},
                                                               {"%nwarpid", PtxSpecial::nwarpid},
                                                               {"%smid", PtxSpecial::smid},
                                                               {"%nsmid", PtxSpecial::nsmid},
                                                               {"%gridid", PtxSpecial::gridid},
                                                               {"%lanemask_eq", PtxSpecial::lanemask_eq},
                                                               {"%lanemask_le", PtxSpecial::lanemask_le},
                                                               {"%lanemask_lt", PtxSpecial::lanemask_lt},
                                                               {"%lanemask_ge", PtxSpecial::lanemask_ge},
                                                               {"%lanemask_gt", PtxSpecial::lanemask_gt},
                                                               {"%clock", PtxSpecial::clock},
                                                               {"%clock64", PtxSpecial::clock64},
                                                               {"%globaltimer", PtxSpecial::globaltimer},
                                                               {"%dynamic_smem_size", PtxSpecial::dynamic_smem_size},
                                                               {"%total_smem_size", PtxSpecial::total_smem_size}};
  for (const auto& [text, value] : table)
    if (text == name) return value;
  return PtxSpecial::other;
}

PtxInstruction ptx_shape(const std::string& opcode) {
  PtxInstruction in;
  std::size_t begin = 0;
  bool first = true;
  while (begin <= opcode.size()) {
    const auto end = std::min(opcode.find('.', begin), opcode.size());
    const std::string_view part = std::string_view(opcode).substr(begin, end - begin);
    begin = end + 1;
    if (first) {
      first = false;
      in.op = ptx_operation(part).op;
      continue;
    }
    if (const auto type = ptx_type(part)) {
      if (in.type.kind == PtxType::Kind::none)
        in.type = *type;
      else
        in.source_type = *type;
    } else if (part == "global")
      in.space = PtxSpace::global;
    else if (part.starts_with("shared"))
      in.space = PtxSpace::shared;
    else if (part == "const")
      in.space = PtxSpace::constant;
    else if (part == "local")
      in.space = PtxSpace::local;
    else if (part.starts_with("param"))
      in.space = PtxSpace::param;
    else if (part == "v2")
      in.vector = 2;
    else if (part == "v4")
      in.vector = 4;
    else if (part == "v8")
      in.vector = 8;
    else if (part == "hi")
      in.high = true;
    else if (part == "lo")
      in.low = true;
    else if (part == "wide")
      in.wide = true;
    else if (part == "cc")
      in.carry_out = true;
    else if (part == "uni")
      in.uniform = true;
    else if (part == "approx")
      in.approximate = true;
    else if (part == "sat" || part == "satfinite")
      in.saturate = true;
    else if (part == "cg" || part == "cv" || part == "volatile" || part == "relaxed" || part == "acquire")
      in.cache_global = true;
  }
  return in;
}

}  // namespace sparsecast::gpu_code
