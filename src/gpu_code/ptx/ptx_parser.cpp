// One pass over the text: the statements of the module are here, those of a kernel in
// ptx_kernel_parser.cpp.

#include <fmt/format.h>
#include <sparsecast/error.hpp>
#include <unordered_map>
#include <utility>

#include "gpu_code/compile/source_parameters.hpp"
#include "gpu_code/ptx/ptx.hpp"
#include "gpu_code/ptx/ptx_kernel_parser.hpp"
#include "gpu_code/ptx/ptx_stream.hpp"

namespace sparsecast::gpu_code {
namespace {
class ModuleParser {
 public:
  ModuleParser(std::string_view text, PtxModule& module)
      : module_(module), in_(text, module.file), declarations_(in_), opcodes_(module.opcodes) {}

  void read() {
    while (!in_.at_end()) statement();
    if (module_.version.empty() && module_.kernels.empty())
      in_.refuse("this is not PTX: neither .version nor a kernel");
  }

 private:
  void statement() {
    if (in_.accept(".version")) {
      module_.version = in_.token().text;
      in_.advance();
    } else if (in_.accept(".target")) {
      in_.word();
      while (in_.accept(",")) in_.word();
    } else if (in_.accept(".address_size")) {
      if (in_.number() != 64) in_.refuse("only PTX with 64-bit addresses is read", "compile for 64 bits");
    } else if (in_.is(".file")) {
      read_file_directive(in_, module_.source_files);
    } else if (in_.accept(".section")) {
      while (!in_.at_end() && !in_.is("{")) in_.advance();
      in_.skip_statement();
    } else if (in_.is(".visible") || in_.is(".weak") || in_.is(".common")) {
      in_.advance();
    } else if (in_.accept(".extern")) {
      external_ = true;
    } else if (in_.accept(".entry")) {
      external_ = false;
      if (auto kernel = read_kernel(in_, declarations_, opcodes_, module_, variables_))
        module_.kernels.push_back(*std::move(kernel));
    } else if (in_.is(".func")) {
      function();
    } else if (in_.is(".global") || in_.is(".const") || in_.is(".shared")) {
      variables_.push_back(declarations_.variable(std::exchange(external_, false)));
    } else if (in_.is(".pragma") || in_.is(".alias") || in_.is(".loc")) {
      in_.skip_line();
    } else if (!in_.accept(";")) {
      in_.refuse(fmt::format("'{}' is not understood here", in_.token().text),
                 "the analyser reads PTX as nvcc and clang write it");
    }
  }

  /// .func: kept out, but a call of it is named when it is met. Prototype or body.
  void function() {
    external_ = false;
    while (!in_.at_end() && !in_.is("{") && !in_.is(";")) in_.advance();
    in_.skip_statement();
  }

  PtxModule& module_;
  PtxStream in_;
  PtxDeclarations declarations_;
  PtxOpcodes opcodes_;
  std::vector<PtxVariable> variables_;
  bool external_ = false;
};
}  // namespace

PtxModule parse_ptx(std::string_view text, const std::string& file) {
  PtxModule module;
  module.file = file;
  ModuleParser(text, module).read();
  return module;
}

const PtxKernel& find_kernel(const PtxModule& module, const std::string& name) {
  std::string names;
  for (const auto& kernel : module.kernels) {
    if (kernel.name == name) return kernel;
    names += (names.empty() ? "" : ", ") + source_name(kernel.name);
  }
  // By the source's name, where that means one.
  std::vector<const PtxKernel*> found;
  for (const auto& kernel : module.kernels)
    if (!name.empty() && source_name(kernel.name) == name) found.push_back(&kernel);
  if (found.size() == 1) return *found.front();
  if (found.size() > 1) {
    std::string symbols;
    for (const auto* kernel : found) symbols += (symbols.empty() ? "" : ", ") + kernel->name;
    throw Error(ErrorCode::usage, fmt::format("there is more than one kernel '{}'", name), {module.file},
                "choose with --kernel by the compiler's name: " + symbols);
  }
  if (module.kernels.empty())
    throw Error(ErrorCode::bad_input, "there is no kernel in it", {module.file},
                "is a function marked __global__ or __kernel?");
  if (!name.empty())
    throw Error(ErrorCode::usage, fmt::format("there is no kernel '{}'", name), {module.file}, "it has: " + names);
  if (module.kernels.size() > 1)
    throw Error(ErrorCode::usage, "there is more than one kernel", {module.file}, "choose with --kernel: " + names);
  return module.kernels.front();
}

namespace {
constexpr PtxOperation table[] = {
#define PTX_OPERATION(operation, name, fewest_operands, effect, cost) \
  {name, PtxOp::operation, fewest_operands, PtxEffect::effect, PtxCost::cost},
#include "gpu_code/ptx/ptx_operations.def"
#undef PTX_OPERATION
};

/// Other spellings of what counts as one operation.
constexpr std::pair<std::string_view, PtxOp> spellings[] = {
    {"prefetchu", PtxOp::prefetch},
    {"wmma", PtxOp::mma},
    {"ldmatrix", PtxOp::mma},
};
}  // namespace

const PtxOperation& ptx_operation(PtxOp operation) { return table[static_cast<std::size_t>(operation)]; }

const PtxOperation& ptx_operation(std::string_view name) {
  static const auto by_name = [] {
    std::unordered_map<std::string_view, const PtxOperation*> names;
    for (const auto& row : table)
      if (!row.name.empty()) names.emplace(row.name, &row);
    for (const auto& [other, meant] : spellings) names.emplace(other, &ptx_operation(meant));
    return names;
  }();
  const auto found = by_name.find(name);
  return found != by_name.end() ? *found->second : ptx_operation(PtxOp::unknown);
}

bool writes_first_operand(const PtxInstruction& in) {
  const auto& operation = ptx_operation(in.op);
  switch (operation.effect) {
    case PtxEffect::store:
    case PtxEffect::branch: return false;
    case PtxEffect::atomic: return in.op != PtxOp::red;
    case PtxEffect::barrier: return in.type.kind != PtxType::Kind::none;  // bar.red
    default: return true;
  }
}
}  // namespace sparsecast::gpu_code
