// What PTX's memory instructions do: loads, stores and atomic operations, and the addresses they touch.

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <set>
#include <sparsecast/error.hpp>

#include "base/number.hpp"
#include "fields/wording.hpp"
#include "gpu_code/ptx/ptx_machine.hpp"

namespace sparsecast::gpu_code {
namespace {
using OperandKind = PtxOperand::Kind;

// The space that an instruction works in. A generic address lies in the window of its space: taken off here.
PtxSpace space_of(const PtxInstruction& in, LaneMask known, Lanes& where) {
  if (in.space != PtxSpace::generic) return in.space;
  PtxSpace space = PtxSpace::global;
  for (const std::size_t lane : LanesOf{known}) {
    auto& a = where[lane];
    if (a >= local_window)
      space = PtxSpace::local, a -= local_window;
    else if (a >= shared_window)
      space = PtxSpace::shared, a -= shared_window;
    else if (a >= constant_window)
      space = PtxSpace::constant, a -= constant_window;
  }
  return space;
}

MemorySpace traced_space(PtxSpace space) {
  return space == PtxSpace::shared     ? MemorySpace::shared
         : space == PtxSpace::constant ? MemorySpace::constant
         : space == PtxSpace::local    ? MemorySpace::local
                                       : MemorySpace::global;
}

/// What a load or store touches.
void describe(const WarpState& warp, const PtxInstruction& in, PtxSpace space, const Lanes& where, LaneMask on,
              LaneMask known, StepOutcome& outcome) {
  outcome.has_access = true;
  outcome.access = {traced_space(space),
                    false,
                    false,
                    false,
                    static_cast<std::uint8_t>(std::max<int>(in.type.bytes, 1) * static_cast<int>(in.vector)),
                    on,
                    known,
                    space == PtxSpace::local ? local_addresses(warp, where) : where};
}

/// The registers that a load fills.
std::size_t targets_of(const PtxOperand& d, std::array<std::int32_t, 8>& targets) {
  targets.fill(-1);
  if (d.kind == OperandKind::vector) {
    const auto count = std::min<std::size_t>(d.elements.size(), 8);
    std::copy_n(d.elements.begin(), count, targets.begin());
    return count;
  }
  if (d.kind == OperandKind::reg) targets[0] = d.index;
  return 1;
}

/// The operands that a store takes its elements from.
std::vector<PtxOperand> sources_of(const PtxOperand& operand) {
  if (operand.kind != OperandKind::vector) return {operand};
  std::vector<PtxOperand> sources;
  for (const auto e : operand.elements)
    sources.push_back({.kind = e >= 0 ? OperandKind::reg : OperandKind::none, .index = e});
  return sources;
}

/// Parameters whose value reaches an address through moves and sums: pointers.
std::vector<char> find_pointers(const PtxKernel& kernel) {
  std::vector<char> pointer(kernel.parameters.size(), 0);
  for (std::size_t p = 0; p < pointer.size(); ++p) pointer[p] = kernel.parameters[p].pointer;
  std::vector<std::set<std::int32_t>> origin(kernel.registers.size());
  for (int pass = 0; pass < 3; ++pass)  // loops carry pointers round
    for (const auto& in : kernel.body) {
      if (in.operands.empty()) continue;
      const auto& d = in.operands[0];
      if (in.op == PtxOp::ld && in.space == PtxSpace::param && d.kind == OperandKind::reg && in.operands.size() > 1 &&
          in.operands[1].index <= -2 && in.type.bytes == 8) {
        origin[static_cast<std::size_t>(d.index)].insert(-2 - in.operands[1].index);
      } else if ((in.op == PtxOp::mov || in.op == PtxOp::add || in.op == PtxOp::cvta || in.op == PtxOp::selp ||
                  in.op == PtxOp::sub) &&
                 d.kind == OperandKind::reg) {
        for (std::size_t o = 1; o < in.operands.size(); ++o)
          if (in.operands[o].kind == OperandKind::reg) {
            const auto& from = origin[static_cast<std::size_t>(in.operands[o].index)];
            origin[static_cast<std::size_t>(d.index)].insert(from.begin(), from.end());
          }
      }
      if (in.op == PtxOp::cvta && in.operands.size() > 1 && in.operands[1].kind == OperandKind::reg)
        for (const auto p : origin[static_cast<std::size_t>(in.operands[1].index)])
          pointer[static_cast<std::size_t>(p)] = 1;
      for (const auto& o : in.operands)
        if (o.memory && o.kind == OperandKind::reg)
          for (const auto p : origin[static_cast<std::size_t>(o.index)]) pointer[static_cast<std::size_t>(p)] = 1;
    }
  return pointer;
}

std::uint64_t parse_value(const std::string& text, const PtxParameter& parameter, const std::string& name) {
  const auto refuse = [&] {
    throw Error(ErrorCode::usage,
                wording::format("{}: not a number", wording::option("kernel.arguments", wording::entry(name, text))),
                {}, "give a whole number, a decimal fraction or 0x…");
  };
  const bool floating = parameter.type.kind == PtxType::Kind::floating;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    if (const auto value = base::number_in<std::uint64_t>(text.substr(2), 16); value && !floating) return *value;
  } else if (!floating) {
    if (const auto value = base::number_in<std::uint64_t>(text)) return *value;
    if (const auto value = base::number_in<std::int64_t>(text)) return static_cast<std::uint64_t>(*value);
  }
  const auto fraction = base::number_in<double>(text);
  if (!fraction) refuse();
  // "1", given as "1.0": the same number where the parameter is whole (nvcc writes float parameters as .f32, clang as
  // .b32).
  if (!floating && *fraction == std::trunc(*fraction) && std::fabs(*fraction) < 9e18)
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(*fraction));
  return parameter.type.bytes == 4 ? std::bit_cast<std::uint32_t>(static_cast<float>(*fraction))
                                   : std::bit_cast<std::uint64_t>(*fraction);
}
}  // namespace

/// Up to 8 bytes; false where one of them is not known.
bool PtxCode::read(const WarpState& warp, PtxSpace space, std::size_t lane, std::uint64_t address, int bytes,
                   std::uint64_t& value) const {
  const int most = std::min(bytes, 8);
  switch (space) {
    case PtxSpace::param: return parameters_.read(address, most, value);
    case PtxSpace::shared: return warp.shared->read(address, most, value);
    case PtxSpace::local: return warp.local[lane].read(address, most, value);
    case PtxSpace::constant: return memory_.read(constant_window + address, most, value);
    default: return memory_.read(address, most, value);
  }
}

/// A loaded element goes to its register, widened with its sign where the type has one.
void PtxCode::put_loaded(WarpState& warp, const PtxInstruction& in, std::int32_t reg, std::size_t lane, bool known,
                         std::uint64_t value) const {
  if (reg < 0) return;
  const auto r = static_cast<std::size_t>(reg);
  const LaneMask bit = LaneMask{1} << lane;
  if (!known) {
    warp.known[r] &= ~bit;
    return;
  }
  const int bytes = std::max<int>(in.type.bytes, 1);
  if (in.type.kind == PtxType::Kind::signed_ && bytes < 8) {
    const int register_bytes = kernel_.register_types[r].bytes;
    value = static_cast<std::uint64_t>(sign_extend(value, 8 * bytes)) &
            (register_bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * register_bytes)) - 1);
  }
  warp.registers[r][lane] = value;
  warp.known[r] |= bit;
}

void PtxCode::load(WarpState& warp, const PtxInstruction& in, LaneMask on, StepOutcome& outcome) const {
  if (in.operands.size() < 2) return;
  std::array<std::int32_t, 8> targets;
  const auto count = targets_of(in.operands[0], targets);
  Lanes where;
  const LaneMask known = address(warp, in.operands[1], on, where);
  const PtxSpace space = space_of(in, known, where);
  const int bytes = std::max<int>(in.type.bytes, 1);
  for (const std::size_t lane : LanesOf{on}) {
    for (std::size_t e = 0; e < count; ++e) {
      std::uint64_t value = 0;
      const bool found = ((known >> lane) & 1) &&
                         read(warp, space, lane, where[lane] + e * static_cast<std::size_t>(bytes), bytes, value);
      put_loaded(warp, in, targets[e], lane, found, value);
    }
  }
  if (space == PtxSpace::param) return;
  describe(warp, in, space, where, on, known, outcome);
  outcome.access.bypass_l1 = in.cache_global;
}

void PtxCode::store(WarpState& warp, const PtxInstruction& in, LaneMask on, StepOutcome& outcome) const {
  if (in.operands.size() < 2) return;
  Lanes where;
  const LaneMask known = address(warp, in.operands[0], on, where);
  const int bytes = std::max<int>(in.type.bytes, 1);
  PtxSpace space = space_of(in, known, where);
  if (space == PtxSpace::shared || space == PtxSpace::local) {
    const auto sources = sources_of(in.operands[1]);
    for (std::size_t e = 0; e < sources.size(); ++e) {
      Lanes value;
      const LaneMask value_known = fetch(warp, sources[e], on, value);
      for (const std::size_t lane : LanesOf{on & known}) {
        const std::uint64_t a = where[lane] + e * static_cast<std::size_t>(bytes);
        const bool is_known = (value_known >> lane) & 1;
        if (space == PtxSpace::shared)
          warp.shared->write(a, std::min(bytes, 8), value[lane], is_known);
        else
          warp.local[lane].write(a, std::min(bytes, 8), value[lane], is_known);
      }
    }
  }
  if (space == PtxSpace::constant) space = PtxSpace::global;
  describe(warp, in, space, where, on, known, outcome);
  outcome.access.store = true;
}

void PtxCode::execute_memory(WarpState& warp, const PtxInstruction& in, LaneMask on, StepOutcome& outcome) const {
  // atom d, [a], b … and red [a], b …
  const std::size_t at = in.op == PtxOp::red ? 0 : 1;
  if (in.op == PtxOp::atom) forget(warp, in.operands[0], on);
  if (in.operands.size() <= at) return;
  Lanes where;
  const LaneMask known = address(warp, in.operands[at], on, where);
  const auto space = traced_space(space_of(in, known, where));
  outcome.has_access = true;
  outcome.access = {
      space, in.op == PtxOp::red, true, true, static_cast<std::uint8_t>(std::max<int>(in.type.bytes, 1)), on, known,
      where};
}

// How a launch's arguments and buffers meet a kernel's parameters, and which parameters are pointers.

PtxCode::PtxCode(const PtxModule& module, const PtxKernel& kernel, const Launch& launch)
    : module_(module), kernel_(kernel), launch_(launch) {
  std::set<std::string> names;
  for (std::size_t p = 0; p < kernel.parameters.size(); ++p) {
    names.insert({std::to_string(p), kernel.parameters[p].name, parameter_name(p)});
    bind(p, launch);
  }
  const auto check = [&](const std::string& name, const wording::Text& option) {
    if (names.contains(name)) return;
    std::string known;
    for (std::size_t p = 0; p < kernel.parameters.size(); ++p) known += (p ? ", " : "") + parameter_name(p);
    throw Error(ErrorCode::usage, wording::format("{} {}: kernel {} has no such parameter", option, name, kernel.name),
                {module.file}, "its parameters: " + (known.empty() ? "none" : known) + "; or their positions from 0");
  };
  for (const auto& [name, value] : launch.arguments) check(name, wording::option("kernel.arguments"));
  for (const auto& [name, value] : launch.buffers) check(name, wording::option("kernel.buffers"));
  const auto pointers = find_pointers(kernel);
  for (std::size_t p = 0; p < kernel.parameters.size(); ++p) {
    const auto& parameter = kernel.parameters[p];
    if (!is_known(parameter) && parameter.type.bytes == 8 && parameter.bytes == 8 && pointers[p])
      put(parameter, (p + 1) * buffer_stride);
  }
  for (const auto& v : kernel.variables)
    if (!v.init.empty() && (v.space == PtxSpace::constant || v.space == PtxSpace::global)) {
      auto init = v.init;
      // Zeros that are not written out are kept up to 1 MiB.
      init.resize(static_cast<std::size_t>(
                      std::min(v.bytes, std::max<std::int64_t>(static_cast<std::int64_t>(init.size()), 1 << 20))),
                  0);
      memory_.add((v.space == PtxSpace::constant ? constant_window : std::uint64_t{1} << 56) +
                      static_cast<std::uint64_t>(v.address),
                  std::move(init));
    }
  dynamic_shared_base_ = (kernel.shared_bytes + 15) / 16 * 16;
  find_loops();
}

std::string PtxCode::parameter_name(std::size_t p) const {
  return p < launch_.parameter_names.size() && !launch_.parameter_names[p].empty() ? launch_.parameter_names[p]
                                                                                   : std::to_string(p);
}

bool PtxCode::is_known(const PtxParameter& parameter) const {
  std::uint64_t first = 0;
  return parameters_.read(static_cast<std::uint64_t>(parameter.offset), 1, first);
}

void PtxCode::put(const PtxParameter& parameter, std::uint64_t value) {
  const auto bytes = static_cast<int>(std::min<std::int64_t>(parameter.bytes, 8));
  parameters_.write(static_cast<std::uint64_t>(parameter.offset), bytes, value, true);
}

void PtxCode::bind(std::size_t p, const Launch& launch) {
  const auto& parameter = kernel_.parameters[p];
  for (const auto& name : {parameter_name(p), std::to_string(p), parameter.name}) {
    if (const auto buffer = launch.buffers.find(name); buffer != launch.buffers.end()) {
      memory_.add((p + 1) * buffer_stride, buffer->second);
      return put(parameter, (p + 1) * buffer_stride);
    }
    if (const auto argument = launch.arguments.find(name); argument != launch.arguments.end())
      return put(parameter, parse_value(argument->second, parameter, name));
  }
}
}  // namespace sparsecast::gpu_code
