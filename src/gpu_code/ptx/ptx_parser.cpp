// One pass over the text: the statements of the module are here, those of a kernel in ptx_kernel_parser.cpp.

#include "gpu_code/ptx/ptx_parser.hpp"

#include <fmt/format.h>
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
}  // namespace sparsecast::gpu_code
