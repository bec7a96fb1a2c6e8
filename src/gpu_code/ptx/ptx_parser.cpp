// One pass over the text: the statements of the module are here, those of a kernel in ptx_kernel_parser.cpp.

#include "gpu_code/ptx/ptx_parser.hpp"

#include <fmt/format.h>
#include <map>
#include <optional>
#include <sparsecast/error.hpp>
#include <string>
#include <utility>
#include <vector>

#include "gpu_code/ptx/ptx_declarations.hpp"
#include "gpu_code/ptx/ptx_kernel_parser.hpp"
#include "gpu_code/ptx/ptx_opcodes.hpp"
#include "gpu_code/ptx/ptx_source.hpp"
#include "gpu_code/ptx/ptx_stream.hpp"

namespace sparsecast::gpu_code {
namespace {
class ModuleParser {
 public:
  ModuleParser(std::string_view text, PtxModule& module)
      : module_(module), in_(text, module.file), declarations_(in_), opcodes_(module.opcodes) {}

  void read() {
    while (!in_.at_end()) statement();
    if (module_.version.empty() && kernels_.empty()) in_.refuse("this is not PTX: neither .version nor a kernel");
    // Functions may stand behind the kernels that call them.
    const FindPtxFunction find = [this](const std::string& name) { return function_named(name); };
    module_.kernels = with_functions(std::move(kernels_), find, opcodes_);
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
      if (in_.number() != 64) in_.refuse("only PTX with 64-bit addresses is supported", "compile for 64 bits");
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
        kernels_.push_back(*std::move(kernel));
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

  /// .func, a prototype or with its body, which is read where it is called.
  void function() {
    external_ = false;
    in_.advance();
    const PtxStream begin = in_;
    if (in_.is("(")) in_.skip_parentheses();
    const std::string name(in_.at_end() ? std::string_view() : in_.token().text);
    while (!in_.at_end() && !in_.is("{") && !in_.is(";")) in_.advance();
    if (in_.is("{")) bodies_.emplace(name, begin);
    in_.skip_statement();
  }

  /// Null where the text has none of the name, or one that is not understood.
  const PtxRoutine* function_named(const std::string& name) {
    const auto [found, fresh] = functions_.try_emplace(name);
    const auto body = bodies_.find(name);
    if (fresh && body != bodies_.end()) {
      try {
        PtxStream in = body->second;
        PtxDeclarations declarations(in);
        found->second = read_function(in, declarations, opcodes_, module_, variables_);
      } catch (const Error&) {  // a call of it is refused when it is met
        found->second.reset();
      }
    }
    return found->second ? &*found->second : nullptr;
  }

  PtxModule& module_;
  PtxStream in_;
  PtxDeclarations declarations_;
  PtxOpcodes opcodes_;
  std::vector<PtxVariable> variables_;
  std::vector<PtxRoutine> kernels_;
  std::map<std::string, PtxStream, std::less<>> bodies_;  ///< of functions: where each begins, behind .func
  std::map<std::string, std::optional<PtxRoutine>> functions_;
  bool external_ = false;
};
}  // namespace

PtxModule parse_ptx(std::string_view text, const std::string& file) {
  PtxModule module;
  module.file = file;
  ModuleParser(text, module).read();
  return module;
}
}  // namespace sparsecast::gpu_code
