#include "gpu_code/ptx/ptx_declarations.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <utility>

#include "gpu_code/ptx/ptx_words.hpp"

namespace sparsecast::gpu_code {
namespace {
constexpr std::int64_t most_bytes_of_a_variable = std::int64_t{1} << 32;
constexpr std::int64_t most_parameter_bytes = 65536;  // the PTX ISA allows 32764
}  // namespace

void PtxDeclarations::begin_kernel(const std::vector<PtxVariable>& of_module) {
  shared_bytes_ = local_bytes_ = 0;
  for (const auto& v : of_module)
    if (v.space == PtxSpace::shared) shared_bytes_ = std::max(shared_bytes_, v.address + v.bytes);
}

PtxVariable PtxDeclarations::variable(bool external) {
  PtxVariable v;
  v.external = external;
  const auto space = in_.word();
  v.space = space.starts_with(".const") ? PtxSpace::constant
            : space == ".shared"        ? PtxSpace::shared
            : space == ".local"         ? PtxSpace::local
                                        : PtxSpace::global;
  std::int64_t element = 1;
  bool typed = false;
  while (in_.at_directive()) {
    const auto directive = in_.word();
    if (directive == ".align")
      v.align = in_.number();
    else if (directive == ".v2" || directive == ".v4")
      element = std::min<std::int64_t>(element * (directive == ".v2" ? 2 : 4), 4096);
    else if (directive == ".attribute")
      in_.skip_parentheses();
    else if (directive == ".managed")
      continue;
    else if (directive == ".texref" || directive == ".samplerref" || directive == ".surfref")
      element = 8, typed = true;
    else {
      element = std::min<std::int64_t>(element * type_bytes(directive), 4096);
      typed = true;
    }
  }
  if (!typed) in_.refuse("a variable without a type");
  if (element > 64) in_.refuse("a variable with several types");
  if (v.align < 1 || v.align > 65536) in_.refuse("bad alignment");
  v.name = in_.word();
  v.bytes = element;
  while (in_.accept("[")) {
    std::int64_t extent = 0;
    if (!in_.is("]")) extent = in_.number();
    in_.expect("]");
    if (extent < 0 || (extent > 0 && v.bytes > most_bytes_of_a_variable / extent)) in_.refuse("a variable too large");
    v.bytes *= extent;
  }
  if (in_.accept("=")) initializer(v, element);
  in_.expect(";");
  auto& offset = v.space == PtxSpace::constant ? constant_bytes_
                 : v.space == PtxSpace::global ? global_bytes_
                 : v.space == PtxSpace::shared ? shared_bytes_
                                               : local_bytes_;
  offset = (offset + v.align - 1) / v.align * v.align;
  v.address = offset;
  offset += v.bytes;
  return v;
}

std::int64_t PtxDeclarations::type_bytes(std::string_view name) const {
  const auto type = ptx_type(name.substr(1));
  if (!type) in_.refuse(fmt::format("unknown type '{}'", name));
  return type->bytes;
}

void PtxDeclarations::initializer(PtxVariable& v, std::int64_t element) {
  int depth = 0;
  do {
    if (in_.accept("{")) {
      ++depth;
    } else if (in_.accept("}")) {
      --depth;
    } else if (in_.accept(",")) {
    } else if (in_.token().kind == PtxToken::Kind::number || in_.is("-")) {
      const auto bits = static_cast<std::uint64_t>(in_.number());
      for (std::int64_t b = 0; b < element; ++b)
        v.init.push_back(b < 8 ? static_cast<std::uint8_t>(bits >> (8 * b)) : 0);
    } else if (in_.at_end() || in_.is(";")) {
      break;
    } else {  // an address: not evaluated
      v.init.clear();
      while (!in_.at_end() && !in_.is(";")) in_.advance();
      return;
    }
  } while (depth > 0);
}

PtxParameter PtxDeclarations::parameter(const std::vector<PtxParameter>& before) {
  PtxParameter p;
  if (!in_.accept(".param")) in_.refuse(fmt::format("expected .param before '{}'", in_.token().text));
  std::int64_t align = 0;
  while (in_.at_directive()) {
    const auto directive = in_.word();
    if (directive == ".align") {
      align = in_.number();
    } else if (directive == ".ptr") {
      p.pointer = true;
    } else if (const auto type = ptx_type(directive.substr(1))) {
      p.type = *type;
    }  // .global, .shared, … after .ptr
  }
  p.name = in_.word();
  p.bytes = p.type.bytes;
  if (in_.accept("[")) {
    const auto extent = in_.number();
    in_.expect("]");
    if (extent < 0 || extent > 65536) in_.refuse("a parameter too large");
    p.bytes *= extent;
  }
  if (p.bytes <= 0) in_.refuse("a parameter without a type");
  if (align <= 0) align = p.type.bytes;
  if (align > 4096) in_.refuse("bad alignment");
  std::int64_t offset = before.empty() ? 0 : before.back().offset + before.back().bytes;
  p.offset = (offset + align - 1) / align * align;
  if (p.offset + p.bytes > most_parameter_bytes) in_.refuse("the parameters are too large");
  return p;
}
}  // namespace sparsecast::gpu_code
