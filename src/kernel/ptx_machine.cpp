#include "kernel/ptx_machine.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <set>

#include "kernel/ptx_arithmetic.hpp"

namespace sparsecast::kernel {
namespace {

using OperandKind = PtxOperand::Kind;

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
    throw Error(ErrorCode::usage, fmt::format("--arg {}={}: not a number", name, text), {},
                "give a whole number, a decimal fraction or 0x…");
  };
  if (parameter.type.kind == PtxType::Kind::floating) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) refuse();
    return parameter.type.bytes == 4 ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
                                     : std::bit_cast<std::uint64_t>(value);
  }
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  std::int64_t value = 0;
  std::uint64_t unsigned_value = 0;
  const char *begin = text.data() + (hex ? 2 : 0), *stop = text.data() + text.size();
  if (hex || !text.starts_with('-')) {
    const auto [end, error] = std::from_chars(begin, stop, unsigned_value, hex ? 16 : 10);
    if (error == std::errc() && end == stop && begin != stop) return unsigned_value;
  } else {
    const auto [end, error] = std::from_chars(begin, stop, value);
    if (error == std::errc() && end == stop) return static_cast<std::uint64_t>(value);
  }
  // "1", given as "1.0": the same number where the parameter is whole (nvcc writes float parameters as .f32, clang as
  // .b32).
  double fraction = 0;
  const auto [end, error] = std::from_chars(text.data(), stop, fraction);
  if (error != std::errc() || end != stop) refuse();
  if (fraction == std::trunc(fraction) && std::fabs(fraction) < 9e18)
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(fraction));
  return parameter.type.bytes == 4 ? std::bit_cast<std::uint32_t>(static_cast<float>(fraction))
                                   : std::bit_cast<std::uint64_t>(fraction);
}

}  // namespace

PtxCode::PtxCode(const PtxModule& module, const PtxKernel& kernel, const Launch& launch)
    : module_(module), kernel_(kernel), launch_(launch) {
  std::int64_t bytes = 0;
  for (const auto& p : kernel.parameters) bytes = std::max(bytes, p.offset + p.bytes);
  parameter_bytes_.assign(static_cast<std::size_t>(bytes), 0);
  parameter_known_.assign(static_cast<std::size_t>(bytes), 0);
  std::set<std::string> names;
  for (std::size_t p = 0; p < kernel.parameters.size(); ++p) {
    names.insert({std::to_string(p), kernel.parameters[p].name, parameter_name(p)});
    bind(p, launch);
  }
  const auto check = [&](const std::string& name, const char* option) {
    if (names.contains(name)) return;
    std::string known;
    for (std::size_t p = 0; p < kernel.parameters.size(); ++p) known += (p ? ", " : "") + parameter_name(p);
    throw Error(ErrorCode::usage, fmt::format("{} {}: kernel {} has no such parameter", option, name, kernel.name),
                {module.file}, "its parameters: " + (known.empty() ? "none" : known) + "; or their positions from 0");
  };
  for (const auto& [name, value] : launch.arguments) check(name, "--arg");
  for (const auto& [name, value] : launch.buffers) check(name, "--buffer");
  const auto pointers = find_pointers(kernel);
  for (std::size_t p = 0; p < kernel.parameters.size(); ++p) {
    const auto at = static_cast<std::size_t>(kernel.parameters[p].offset);
    if (parameter_known_[at] || kernel.parameters[p].type.bytes != 8 || kernel.parameters[p].bytes != 8 || !pointers[p])
      continue;
    const std::uint64_t address = (p + 1) * buffer_stride;
    for (std::size_t b = 0; b < 8; ++b) {
      parameter_bytes_[at + b] = static_cast<std::uint8_t>(address >> (8 * b));
      parameter_known_[at + b] = 1;
    }
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

void PtxCode::bind(std::size_t p, const Launch& launch) {
  const auto& parameter = kernel_.parameters[p];
  const auto at = static_cast<std::size_t>(parameter.offset);
  for (const auto& name : {parameter_name(p), std::to_string(p), parameter.name}) {
    if (const auto buffer = launch.buffers.find(name); buffer != launch.buffers.end()) {
      const std::uint64_t address = (p + 1) * buffer_stride;
      memory_.add(address, buffer->second);
      for (std::size_t b = 0; b < 8 && b < static_cast<std::size_t>(parameter.bytes); ++b) {
        parameter_bytes_[at + b] = static_cast<std::uint8_t>(address >> (8 * b));
        parameter_known_[at + b] = 1;
      }
      return;
    }
    if (const auto argument = launch.arguments.find(name); argument != launch.arguments.end()) {
      const auto value = parse_value(argument->second, parameter, name);
      for (std::size_t b = 0; b < 8 && b < static_cast<std::size_t>(parameter.bytes); ++b) {
        parameter_bytes_[at + b] = static_cast<std::uint8_t>(value >> (8 * b));
        parameter_known_[at + b] = 1;
      }
      return;
    }
  }
}

std::int32_t PtxCode::branch_target(std::int32_t pc) const {
  const auto& in = kernel_.body[static_cast<std::size_t>(pc)];
  return in.op == PtxOp::bra && !in.operands.empty() && in.operands[0].kind == OperandKind::label ? in.operands[0].index
                                                                                                  : -1;
}

std::string PtxCode::label(std::int32_t pc) const {
  const auto* found = kernel_.label_at(pc);
  return found ? found->name : fmt::format("line {}", kernel_.body[static_cast<std::size_t>(pc)].line);
}

void PtxCode::ask(std::int32_t pc, const std::string& loop_label) const {
  // Backwards from the guard: which parameters and loads decide.
  std::set<std::int32_t> wanted, parameters;
  bool memory = false;
  const auto& branch = kernel_.body[static_cast<std::size_t>(pc)];
  if (branch.guard >= 0) wanted.insert(branch.guard);
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& in : kernel_.body) {
      if (in.operands.empty() || in.op == PtxOp::st || in.op == PtxOp::bra) continue;
      bool writes = (in.operands[0].kind == OperandKind::reg && wanted.contains(in.operands[0].index)) ||
                    (in.operands[0].second >= 0 && wanted.contains(in.operands[0].second));
      for (const auto e : in.operands[0].elements) writes |= wanted.contains(e);
      if (!writes) continue;
      if ((in.op == PtxOp::ld || in.op == PtxOp::ldu || in.op == PtxOp::atom) && in.space != PtxSpace::param) {
        memory = true;
        continue;
      }
      if (in.op == PtxOp::ld && in.operands.size() > 1 && in.operands[1].index <= -2) {
        const auto p = static_cast<std::size_t>(-2 - in.operands[1].index);
        if (!parameter_known_[static_cast<std::size_t>(kernel_.parameters[p].offset)])
          parameters.insert(static_cast<std::int32_t>(p));
      }
      for (std::size_t o = 1; o < in.operands.size(); ++o)
        if (in.operands[o].kind == OperandKind::reg) changed |= wanted.insert(in.operands[o].index).second;
      if (in.guard >= 0) changed |= wanted.insert(in.guard).second;
    }
  }
  std::string names, arguments;
  for (const auto p : parameters) {
    names += (names.empty() ? "" : ", ") + parameter_name(static_cast<std::size_t>(p));
    arguments += fmt::format("--arg {}=VALUE ", parameter_name(static_cast<std::size_t>(p)));
  }
  std::string why = names.empty() ? std::string() : fmt::format("parameter {}", names);
  if (memory) why += std::string(why.empty() ? "" : " and ") + "data in memory";
  if (why.empty()) why = "a value that is not known";
  const Place place{module_.file, branch.line, branch.column};
  throw Error(ErrorCode::bad_input, fmt::format("how often the loop at {} runs depends on {}", loop_label, why), place,
              fmt::format("give {}{}--trip '{}=COUNT'", arguments, arguments.empty() ? "" : "or ", loop_label));
}

std::uint64_t PtxCode::symbol_address(const PtxOperand& operand) const {
  if (operand.index <= -2)
    return static_cast<std::uint64_t>(kernel_.parameters[static_cast<std::size_t>(-2 - operand.index)].offset +
                                      operand.value);
  const auto& v = kernel_.variables[static_cast<std::size_t>(operand.index)];
  const std::int64_t base = v.external && v.space == PtxSpace::shared ? dynamic_shared_base_ : v.address;
  const auto address = static_cast<std::uint64_t>(base + operand.value);
  return v.space == PtxSpace::global ? (std::uint64_t{1} << 56) + address : address;
}

LaneMask PtxCode::fetch(const WarpState& warp, const PtxOperand& operand, LaneMask on, Lanes& out) const {
  const auto& b = launch_.block;
  const auto& g = launch_.grid;
  switch (operand.kind) {
    case OperandKind::reg: {
      out = warp.registers[static_cast<std::size_t>(operand.index)];
      if (operand.negated)
        for (auto& v : out) v ^= 1;
      return on & warp.known[static_cast<std::size_t>(operand.index)];
    }
    case OperandKind::immediate:
      out.fill(static_cast<std::uint64_t>(operand.value));
      return on;
    case OperandKind::symbol:
      out.fill(symbol_address(operand));
      return on;
    case OperandKind::special: {
      const auto fill = [&](std::int64_t value) { out.fill(static_cast<std::uint64_t>(value)); };
      switch (static_cast<PtxSpecial>(operand.index)) {
        case PtxSpecial::tid_x:
          out = warp.tid_x;
          return on;
        case PtxSpecial::tid_y:
          out = warp.tid_y;
          return on;
        case PtxSpecial::tid_z:
          out = warp.tid_z;
          return on;
        case PtxSpecial::ntid_x:
          fill(b[0]);
          return on;
        case PtxSpecial::ntid_y:
          fill(b[1]);
          return on;
        case PtxSpecial::ntid_z:
          fill(b[2]);
          return on;
        case PtxSpecial::ctaid_x:
          fill(warp.block[0]);
          return on;
        case PtxSpecial::ctaid_y:
          fill(warp.block[1]);
          return on;
        case PtxSpecial::ctaid_z:
          fill(warp.block[2]);
          return on;
        case PtxSpecial::nctaid_x:
          fill(g[0]);
          return on;
        case PtxSpecial::nctaid_y:
          fill(g[1]);
          return on;
        case PtxSpecial::nctaid_z:
          fill(g[2]);
          return on;
        case PtxSpecial::warpid:
          fill(warp.warp);
          return on;
        case PtxSpecial::nwarpid:
          fill(launch_.warps_per_block());
          return on;
        case PtxSpecial::dynamic_smem_size:
          fill(launch_.dynamic_shared_bytes);
          return on;
        case PtxSpecial::laneid:
          for (std::size_t l = 0; l < 32; ++l) out[l] = l;
          return on;
        case PtxSpecial::lanemask_eq:
          for (std::size_t l = 0; l < 32; ++l) out[l] = std::uint64_t{1} << l;
          return on;
        case PtxSpecial::lanemask_lt:
          for (std::size_t l = 0; l < 32; ++l) out[l] = (std::uint64_t{1} << l) - 1;
          return on;
        case PtxSpecial::lanemask_le:
          for (std::size_t l = 0; l < 32; ++l) out[l] = (std::uint64_t{2} << l) - 1;
          return on;
        case PtxSpecial::lanemask_gt:
          for (std::size_t l = 0; l < 32; ++l) out[l] = 0xffffffffu & ~((std::uint64_t{2} << l) - 1);
          return on;
        case PtxSpecial::lanemask_ge:
          for (std::size_t l = 0; l < 32; ++l) out[l] = 0xffffffffu & ~((std::uint64_t{1} << l) - 1);
          return on;
        default:
          return 0;
      }
    }
    default:
      return 0;
  }
}

LaneMask PtxCode::address(const WarpState& warp, const PtxOperand& operand, LaneMask on, Lanes& out) const {
  if (operand.kind == OperandKind::symbol) {
    out.fill(symbol_address(operand));
    return on;
  }
  PtxOperand base = operand;
  const LaneMask known = fetch(warp, base, on, out);
  if (operand.kind == OperandKind::reg && operand.value != 0)
    for (auto& a : out) a += static_cast<std::uint64_t>(operand.value);
  return known;
}

void PtxCode::load(WarpState& warp, const PtxInstruction& in, LaneMask on, StepOutcome& outcome) const {
  std::array<std::int32_t, 8> targets;
  targets.fill(-1);
  const auto& d = in.operands[0];
  std::size_t count = 1;
  if (d.kind == OperandKind::vector) {
    count = std::min<std::size_t>(d.elements.size(), 8);
    std::copy_n(d.elements.begin(), count, targets.begin());
  } else if (d.kind == OperandKind::reg) {
    targets[0] = d.index;
  }
  if (in.operands.size() < 2) return;
  Lanes where;
  LaneMask known = address(warp, in.operands[1], on, where);
  PtxSpace space = in.space;
  const int bytes = std::max<int>(in.type.bytes, 1);
  if (space == PtxSpace::generic) {
    space = PtxSpace::global;
    for (LaneMask left = known; left != 0; left &= left - 1) {
      auto& a = where[static_cast<std::size_t>(std::countr_zero(left))];
      if (a >= local_window)
        space = PtxSpace::local, a -= local_window;
      else if (a >= shared_window)
        space = PtxSpace::shared, a -= shared_window;
      else if (a >= constant_window)
        space = PtxSpace::constant, a -= constant_window;
    }
  }
  const auto set = [&](std::size_t element, std::size_t lane, bool is_known, std::uint64_t value) {
    const auto r = targets[element];
    if (r < 0) return;
    const LaneMask bit = LaneMask{1} << lane;
    if (!is_known) {
      warp.known[static_cast<std::size_t>(r)] &= ~bit;
      return;
    }
    if (in.type.kind == PtxType::Kind::signed_ && bytes < 8) {
      const int shift = 64 - 8 * bytes;
      const auto wide = static_cast<std::int64_t>(value << shift) >> shift;
      const int register_bytes = kernel_.register_types[static_cast<std::size_t>(r)].bytes;
      value = static_cast<std::uint64_t>(wide) &
              (register_bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * register_bytes)) - 1);
    }
    warp.registers[static_cast<std::size_t>(r)][lane] = value;
    warp.known[static_cast<std::size_t>(r)] |= bit;
  };
  for (LaneMask left = on; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    for (std::size_t e = 0; e < count; ++e) {
      const std::uint64_t a = where[lane] + e * static_cast<std::size_t>(bytes);
      bool found = (known >> lane) & 1;
      std::uint64_t value = 0;
      if (found) {
        switch (space) {
          case PtxSpace::param:
            found = a < parameter_bytes_.size() && static_cast<std::size_t>(bytes) <= parameter_bytes_.size() - a;
            for (int b = 0; found && b < bytes && b < 8; ++b) {
              found = parameter_known_[a + static_cast<std::size_t>(b)];
              value |= static_cast<std::uint64_t>(parameter_bytes_[a + static_cast<std::size_t>(b)]) << (8 * b);
            }
            break;
          case PtxSpace::shared: {
            const auto& s = *warp.shared;
            found = a < s.bytes.size() && static_cast<std::size_t>(bytes) <= s.bytes.size() - a;
            for (int b = 0; found && b < bytes && b < 8; ++b) {
              found = s.known[a + static_cast<std::size_t>(b)];
              value |= static_cast<std::uint64_t>(s.bytes[a + static_cast<std::size_t>(b)]) << (8 * b);
            }
            break;
          }
          case PtxSpace::local:
            for (int b = 0; found && b < bytes && b < 8; ++b) {
              const auto byte = warp.local[lane].find(a + static_cast<std::size_t>(b));
              found = byte != warp.local[lane].end();
              if (found) value |= static_cast<std::uint64_t>(byte->second) << (8 * b);
            }
            break;
          case PtxSpace::constant:
            found = memory_.read(constant_window + a, std::min(bytes, 8), value);
            break;
          default:
            found = memory_.read(a, std::min(bytes, 8), value);
        }
      }
      set(e, lane, found, value);
    }
  }
  if (space == PtxSpace::param) return;
  outcome.has_access = true;
  auto& access = outcome.access;
  access.space = space == PtxSpace::shared     ? MemorySpace::shared
                 : space == PtxSpace::constant ? MemorySpace::constant
                 : space == PtxSpace::local    ? MemorySpace::local
                                               : MemorySpace::global;
  access.store = access.atomic = false;
  access.read_only = in.non_coherent;
  access.bypass_l1 = in.cache_global;
  access.bytes = static_cast<std::uint8_t>(bytes * static_cast<int>(in.vector));
  access.lanes = on;
  access.known = known;
  access.address = where;
  if (access.space == MemorySpace::local)  // interleaved by thread, so that a warp's access to one variable is one line
    for (std::size_t lane = 0; lane < 32; ++lane)
      access.address[lane] = (local_buffer << 40) + static_cast<std::uint64_t>(warp.warp) * 0x1000000 +
                             (where[lane] / 4) * 128 + lane * 4 + where[lane] % 4;
}

void PtxCode::store(WarpState& warp, const PtxInstruction& in, LaneMask on, StepOutcome& outcome) const {
  if (in.operands.size() < 2) return;
  Lanes where;
  const LaneMask known = address(warp, in.operands[0], on, where);
  const int bytes = std::max<int>(in.type.bytes, 1);
  PtxSpace space = in.space;
  if (space == PtxSpace::generic) {
    space = PtxSpace::global;
    for (LaneMask left = known; left != 0; left &= left - 1) {
      auto& a = where[static_cast<std::size_t>(std::countr_zero(left))];
      if (a >= local_window)
        space = PtxSpace::local, a -= local_window;
      else if (a >= shared_window)
        space = PtxSpace::shared, a -= shared_window;
    }
  }
  if (space == PtxSpace::shared || space == PtxSpace::local) {
    std::vector<PtxOperand> sources;
    if (in.operands[1].kind == OperandKind::vector) {
      for (const auto e : in.operands[1].elements) {
        PtxOperand o;
        o.kind = e >= 0 ? OperandKind::reg : OperandKind::none;
        o.index = e;
        sources.push_back(o);
      }
    } else {
      sources.push_back(in.operands[1]);
    }
    for (std::size_t e = 0; e < sources.size(); ++e) {
      Lanes value;
      const LaneMask value_known = fetch(warp, sources[e], on, value);
      for (LaneMask left = on; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(left));
        if (!((known >> lane) & 1)) continue;
        const std::uint64_t a = where[lane] + e * static_cast<std::size_t>(bytes);
        const bool is_known = (value_known >> lane) & 1;
        for (int b = 0; b < bytes && b < 8; ++b) {
          const auto byte = static_cast<std::uint8_t>(value[lane] >> (8 * b));
          const std::uint64_t at = a + static_cast<std::size_t>(b);
          if (space == PtxSpace::local) {
            if (is_known)
              warp.local[lane][at] = byte;
            else
              warp.local[lane].erase(at);
          } else if (at < (1u << 20)) {
            auto& s = *warp.shared;
            if (at >= s.bytes.size()) {
              if (!is_known) continue;
              s.bytes.resize(at + 4096, 0);
              s.known.resize(at + 4096, 0);
            }
            s.bytes[at] = byte;
            s.known[at] = is_known;
          }
        }
      }
    }
  }
  outcome.has_access = true;
  auto& access = outcome.access;
  access.space = space == PtxSpace::shared  ? MemorySpace::shared
                 : space == PtxSpace::local ? MemorySpace::local
                                            : MemorySpace::global;
  access.store = true;
  access.atomic = access.read_only = access.bypass_l1 = false;
  access.bytes = static_cast<std::uint8_t>(bytes * static_cast<int>(in.vector));
  access.lanes = on;
  access.known = known;
  access.address = where;
  if (access.space == MemorySpace::local)
    for (std::size_t lane = 0; lane < 32; ++lane)
      access.address[lane] = (local_buffer << 40) + static_cast<std::uint64_t>(warp.warp) * 0x1000000 +
                             (where[lane] / 4) * 128 + lane * 4 + where[lane] % 4;
}

void PtxCode::execute_memory(WarpState& warp, const PtxInstruction& in, LaneMask on, StepOutcome& outcome) const {
  const auto forget = [&](const PtxOperand& o) {
    if (o.kind == OperandKind::reg) warp.known[static_cast<std::size_t>(o.index)] &= ~on;
    for (const auto e : o.elements)
      if (e >= 0) warp.known[static_cast<std::size_t>(e)] &= ~on;
  };
  // atom d, [a], b … and red [a], b …
  const std::size_t at = in.op == PtxOp::red ? 0 : 1;
  if (in.op == PtxOp::atom) forget(in.operands[0]);
  if (in.operands.size() <= at) return;
  auto& access = outcome.access;
  outcome.has_access = true;
  access.known = address(warp, in.operands[at], on, access.address);
  access.space = in.space == PtxSpace::shared ? MemorySpace::shared : MemorySpace::global;
  if (in.space == PtxSpace::generic)
    for (LaneMask left = access.known; left != 0; left &= left - 1) {
      auto& a = access.address[static_cast<std::size_t>(std::countr_zero(left))];
      if (a >= shared_window) access.space = MemorySpace::shared, a -= shared_window;
    }
  access.store = in.op == PtxOp::red;
  access.atomic = true;
  access.read_only = false;
  access.bypass_l1 = true;
  access.bytes = static_cast<std::uint8_t>(std::max<int>(in.type.bytes, 1));
  access.lanes = on;
}

void PtxCode::execute(WarpState& warp, std::int32_t pc, LaneMask mask, StepOutcome& outcome) const {
  const auto& in = kernel_.body[static_cast<std::size_t>(pc)];
  LaneMask on = mask;
  if (in.guard >= 0) {
    const auto& value = warp.registers[static_cast<std::size_t>(in.guard)];
    const LaneMask known = warp.known[static_cast<std::size_t>(in.guard)] & mask;
    LaneMask yes = 0;
    for (std::size_t lane = 0; lane < 32; ++lane)
      yes |= static_cast<LaneMask>((value[lane] & 1) ^ (in.guard_negated ? 1u : 0u)) << lane;
    outcome.unknown = mask & ~known;
    on = (yes & known) | outcome.unknown;
  }
  outcome.lanes = on;
  const std::string& opcode = module_.opcodes[static_cast<std::size_t>(in.name)];
  const auto forget = [&](const PtxOperand& o) {
    if (o.kind == OperandKind::reg) warp.known[static_cast<std::size_t>(o.index)] &= ~on;
    if (o.second >= 0) warp.known[static_cast<std::size_t>(o.second)] &= ~on;
    for (const auto e : o.elements)
      if (e >= 0) warp.known[static_cast<std::size_t>(e)] &= ~on;
  };
  switch (in.op) {
    case PtxOp::bra:
      outcome.kind = StepOutcome::Kind::branch;
      outcome.target = in.operands[0].index;
      return;
    case PtxOp::exit:
    case PtxOp::ret:
    case PtxOp::trap:
      outcome.kind = StepOutcome::Kind::exit;
      return;
    case PtxOp::bar:
    case PtxOp::barrier:
      if (opcode.find(".red") != std::string::npos && !in.operands.empty()) forget(in.operands[0]);
      if (opcode.find("arrive") == std::string::npos && opcode.find(".warp") == std::string::npos && on != 0)
        outcome.kind = StepOutcome::Kind::barrier;
      return;
    case PtxOp::membar:
    case PtxOp::fence:
    case PtxOp::nop:
    case PtxOp::prefetch:
    case PtxOp::nanosleep:
    case PtxOp::discard:
    case PtxOp::griddepcontrol:
    case PtxOp::brkpt:
    case PtxOp::pmevent:
      return;
    default:
      break;
  }
  if (on == 0) return;
  switch (in.op) {
    case PtxOp::ld:
    case PtxOp::ldu:
      load(warp, in, on, outcome);
      return;
    case PtxOp::st:
      store(warp, in, on, outcome);
      return;
    case PtxOp::atom:
    case PtxOp::red:
      execute_memory(warp, in, on, outcome);
      return;
    case PtxOp::unknown:
    case PtxOp::call:
      throw Error(ErrorCode::bad_input, fmt::format("the instruction '{}' is not understood", opcode),
                  {module_.file, in.line, in.column},
                  in.op == PtxOp::call ? "compile with inlining; functions that are called are not followed" : "");
    default:
      break;
  }
  if (in.operands.empty()) return;
  const auto& d = in.operands[0];
  if (in.op == PtxOp::setp) {
    Lanes a, b;
    LaneMask known = ~outcome.unknown & fetch(warp, in.operands[1], on, a) & fetch(warp, in.operands[2], on, b);
    Lanes c{};
    const bool combined = in.operands.size() > 3;
    if (combined) known &= fetch(warp, in.operands[3], on, c);
    forget(d);
    for (LaneMask left = known; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      const bool yes = ptx_compare(in, opcode, a[lane], b[lane]);
      const auto join = [&](bool r) {
        if (!combined) return r;
        const bool other = c[lane] & 1;
        if (opcode.find(".and.") != std::string::npos) return r && other;
        if (opcode.find(".or.") != std::string::npos) return r || other;
        return r != other;
      };
      if (d.index >= 0) warp.registers[static_cast<std::size_t>(d.index)][lane] = join(yes);
      if (d.second >= 0) warp.registers[static_cast<std::size_t>(d.second)][lane] = join(!yes);
    }
    if (d.index >= 0) warp.known[static_cast<std::size_t>(d.index)] |= known;
    if (d.second >= 0) warp.known[static_cast<std::size_t>(d.second)] |= known;
    return;
  }
  if (in.op == PtxOp::cvta && d.kind == OperandKind::reg) {
    Lanes a;
    const LaneMask known = fetch(warp, in.operands[1], on, a) & ~outcome.unknown;
    const bool to = opcode.find(".to.") != std::string::npos;
    const std::uint64_t window = in.space == PtxSpace::shared     ? shared_window
                                 : in.space == PtxSpace::local    ? local_window
                                 : in.space == PtxSpace::constant ? constant_window
                                                                  : 0;
    auto& out = warp.registers[static_cast<std::size_t>(d.index)];
    for (LaneMask left = known; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      out[lane] = to ? a[lane] - window : a[lane] + window;
    }
    warp.known[static_cast<std::size_t>(d.index)] = (warp.known[static_cast<std::size_t>(d.index)] & ~on) | known;
    return;
  }
  if (in.op == PtxOp::mov &&
      (d.kind == OperandKind::vector || (in.operands.size() > 1 && in.operands[1].kind == OperandKind::vector))) {
    // mov.b64 {a, b}, c and mov.b64 c, {a, b}
    const auto& source = in.operands[1];
    Lanes value{};
    LaneMask known = on & ~outcome.unknown;
    if (source.kind == OperandKind::vector) {
      const auto width = 8 * in.type.bytes / std::max<std::size_t>(source.elements.size(), 1);
      for (std::size_t e = 0; e < source.elements.size(); ++e) {
        if (source.elements[e] < 0) {
          known = 0;
          continue;
        }
        const auto r = static_cast<std::size_t>(source.elements[e]);
        known &= warp.known[r];
        const std::uint64_t part = width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
        for (std::size_t lane = 0; lane < 32; ++lane)
          value[lane] |= (warp.registers[r][lane] & part) << (e * width % 64);
      }
    } else {
      known &= fetch(warp, source, on, value);
    }
    forget(d);
    const auto put = [&](std::int32_t r, std::size_t shift, std::size_t width) {
      if (r < 0) return;
      const std::uint64_t part = width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
      for (LaneMask left = known; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(left));
        warp.registers[static_cast<std::size_t>(r)][lane] = (value[lane] >> shift) & part;
      }
      warp.known[static_cast<std::size_t>(r)] |= known;
    };
    if (d.kind == OperandKind::vector) {
      const std::size_t width = 8u * in.type.bytes / std::max<std::size_t>(d.elements.size(), 1);
      for (std::size_t e = 0; e < d.elements.size(); ++e) put(d.elements[e], e * width % 64, width);
    } else if (d.kind == OperandKind::reg) {
      put(d.index, 0, 64);
    }
    return;
  }
  if (d.kind == OperandKind::reg && d.second < 0 && !in.carry_out && ptx_computes(in, opcode)) {
    std::array<Lanes, 4> source;
    LaneMask known = on & ~outcome.unknown;
    const std::size_t count = std::min<std::size_t>(in.operands.size() - 1, 4);
    for (std::size_t o = 0; o < count && known != 0; ++o) known &= fetch(warp, in.operands[o + 1], on, source[o]);
    auto& out = warp.registers[static_cast<std::size_t>(d.index)];
    for (LaneMask left = known; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      out[lane] = ptx_compute(in, opcode, source[0][lane], count > 1 ? source[1][lane] : 0,
                              count > 2 ? source[2][lane] : 0, count > 3 ? source[3][lane] : 0);
    }
    warp.known[static_cast<std::size_t>(d.index)] = (warp.known[static_cast<std::size_t>(d.index)] & ~on) | known;
    return;
  }
  if (in.op == PtxOp::activemask && d.kind == OperandKind::reg) {
    warp.registers[static_cast<std::size_t>(d.index)].fill(mask);
    warp.known[static_cast<std::size_t>(d.index)] |= on;
    return;
  }
  forget(d);  // carries, votes, shuffles, tensor products, …: computed by the device, not needed here
}

void PtxCode::registers_of(std::int32_t pc, std::vector<std::int32_t>& writes, std::vector<std::int32_t>& reads) const {
  writes.clear();
  reads.clear();
  const auto& in = kernel_.body[static_cast<std::size_t>(pc)];
  if (in.guard >= 0) reads.push_back(in.guard);
  const bool stores = in.op == PtxOp::st || in.op == PtxOp::red || in.op == PtxOp::bar || in.op == PtxOp::barrier ||
                      in.op == PtxOp::bra;
  for (std::size_t o = 0; o < in.operands.size(); ++o) {
    const auto& operand = in.operands[o];
    auto& list = o == 0 && !stores && !operand.memory ? writes : reads;
    if (operand.kind == OperandKind::reg) list.push_back(operand.index);
    if (operand.second >= 0) list.push_back(operand.second);
    for (const auto e : operand.elements)
      if (e >= 0) list.push_back(e);
  }
}

}  // namespace sparsecast::kernel
