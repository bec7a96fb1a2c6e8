// How a launch's arguments and buffers meet a kernel's parameters, and which parameters are pointers.

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <sparsecast/error.hpp>

#include "base/number.hpp"
#include "fields/wording.hpp"
#include "gpu_code/compile/source_parameters.hpp"
#include "gpu_code/ptx/ptx_machine.hpp"
#include "gpu_code/ptx/ptx_operations.hpp"
#include "gpu_code/ptx/ptx_variables.hpp"

namespace sparsecast::gpu_code {
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

[[noreturn]] void refuse_value(const std::string& text, const std::string& name, const std::string& why) {
  throw Error(ErrorCode::usage,
              wording::format("{}: {}", wording::option("kernel.arguments", wording::entry(name, text)), why), {},
              "give a whole number, a decimal fraction or 0x…");
}

/// A whole number, also one written as "1.0" (nvcc writes float parameters as .f32, clang as .b32).
std::optional<std::uint64_t> whole_value(const std::string& text) {
  if (text.starts_with("0x") || text.starts_with("0X")) return base::number_in<std::uint64_t>(text.substr(2), 16);
  if (const auto value = base::number_in<std::uint64_t>(text)) return value;
  if (const auto value = base::number_in<std::int64_t>(text)) return static_cast<std::uint64_t>(*value);
  const auto fraction = base::number_in<double>(text);
  if (!fraction || *fraction != std::trunc(*fraction) || std::fabs(*fraction) >= 9e18) return std::nullopt;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(*fraction));
}

/// As a signed number or as one without a sign.
bool fits_into(std::uint64_t value, int bytes) {
  if (bytes >= 8) return true;
  const std::uint64_t sign = std::uint64_t{1} << (8 * bytes - 1);
  return value < 2 * sign || value >= ~sign + 1;
}

std::uint64_t parse_value(const std::string& text, const PtxParameter& parameter, const std::string& name) {
  const auto kind = parameter.type.kind;
  const bool whole = kind == PtxType::Kind::signed_ || kind == PtxType::Kind::unsigned_;
  const auto value = kind == PtxType::Kind::floating ? std::nullopt : whole_value(text);
  if (value && fits_into(*value, parameter.type.bytes)) return *value;
  const auto fraction = base::number_in<double>(text);
  if (!value && !fraction) refuse_value(text, name, "not a number");
  if (whole || !fraction) refuse_value(text, name, fmt::format("not a whole number of {} bytes", parameter.type.bytes));
  return parameter.type.bytes == 4 ? std::bit_cast<std::uint32_t>(static_cast<float>(*fraction))
                                   : std::bit_cast<std::uint64_t>(*fraction);
}

// A parameter has several names, and a value or a buffer.
void require_once(const std::set<std::string>& names, const Launch& launch, const std::string& what,
                  const std::string& file) {
  std::string first;
  for (const auto& name : names)
    for (const bool given : {launch.arguments.contains(name), launch.buffers.contains(name)}) {
      if (given && !first.empty())
        throw Error(
            ErrorCode::usage,
            fmt::format("{} is given twice, {}", what,
                        first == name ? "as a value and as a buffer" : fmt::format("as {} and as {}", first, name)),
            {file}, "give it once");
      if (given) first = name;
    }
}
}  // namespace

PtxCode::PtxCode(const PtxModule& module, const PtxKernel& kernel, const Launch& launch)
    : module_(module), kernel_(kernel), launch_(launch), variables_(variables_of_registers(kernel)) {
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
  const std::set<std::string> names{parameter_name(p), std::to_string(p), parameter.name};
  require_once(names, launch, fmt::format("parameter {} of kernel {}", parameter_name(p), kernel_.name), module_.file);
  for (const auto& name : names) {
    if (const auto buffer = launch.buffers.find(name); buffer != launch.buffers.end()) {
      memory_.add((p + 1) * buffer_stride, buffer->second);
      return put(parameter, (p + 1) * buffer_stride);
    }
    if (const auto argument = launch.arguments.find(name); argument != launch.arguments.end())
      return put(parameter, parse_value(argument->second, parameter, name));
  }
}
}  // namespace sparsecast::gpu_code
