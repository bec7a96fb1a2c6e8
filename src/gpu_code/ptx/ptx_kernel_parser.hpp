#pragma once
// Reads one kernel of a PTX text: its parameters, then statement by statement its registers, variables, labels and
// instructions. Names are looked up as they are met; labels, which may come later, at the end.

#include <string>
#include <unordered_map>
#include <vector>

#include "gpu_code/ptx/ptx.hpp"
#include "gpu_code/ptx/ptx_declarations.hpp"
#include "gpu_code/ptx/ptx_stream.hpp"

namespace sparsecast::gpu_code {
/// Opcodes as written, numbered over the whole module, with what their parts say.
class PtxOpcodes {
 public:
  explicit PtxOpcodes(std::vector<std::string>& names) : names_(names) {}
  [[nodiscard]] std::int32_t number(std::string_view opcode);
  [[nodiscard]] const PtxInstruction& shape(std::int32_t number) const {
    return shapes_[static_cast<std::size_t>(number)];
  }

 private:
  std::vector<std::string>& names_;
  std::unordered_map<std::string, std::int32_t> numbers_;
  std::vector<PtxInstruction> shapes_;
};

class PtxKernelParser {
 public:
  PtxKernelParser(PtxStream& in, PtxDeclarations& declarations, PtxOpcodes& opcodes, PtxModule& module,
                  const std::vector<PtxVariable>& module_variables);

  /// From behind .entry to behind the closing brace; false for a prototype.
  bool read();
  [[nodiscard]] PtxKernel&& result() { return std::move(kernel_); }

 private:
  void statement();
  void registers();
  void label();
  void instruction();
  PtxOperand operand(std::size_t position, int depth = 0);
  PtxOperand in_brackets(std::size_t position, int depth);
  PtxOperand in_braces(std::size_t position, int depth);
  PtxOperand in_parentheses();
  PtxOperand named(std::size_t position);
  [[nodiscard]] PtxOperand symbol(std::int32_t index);
  void check_operands(const PtxInstruction& in, std::string_view opcode) const;
  void resolve_jumps();
  [[nodiscard]] std::int32_t find_register(std::string_view name);

  struct Jump {
    std::int32_t instruction;
    std::size_t operand;
    PtxToken where;
  };
  PtxStream& in_;
  PtxDeclarations& declarations_;
  PtxOpcodes& opcodes_;
  PtxModule& module_;
  PtxKernel kernel_;
  std::vector<std::unordered_map<std::string, std::int32_t>> scopes_;  ///< registers by name, per pair of braces
  std::unordered_map<std::string, std::int32_t> symbols_;
  std::unordered_map<std::string_view, std::int32_t> labels_;
  std::vector<Jump> jumps_;
  std::string key_;
  std::int32_t loc_file_ = 0, loc_line_ = 0;
};
}  // namespace sparsecast::gpu_code
