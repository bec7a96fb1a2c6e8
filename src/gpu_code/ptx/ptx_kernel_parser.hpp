#pragma once
// Reads one kernel of a PTX text: its parameters, then statement by statement its registers, variables, labels and
// instructions. Names are looked up as they are met; labels, which may come later, at the end.

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gpu_code/ptx/ptx.hpp"
#include "gpu_code/ptx/ptx_stream.hpp"

namespace sparsecast::gpu_code {
// Declarations of PTX: variables and parameters, and where each lies in its space.

// The words of PTX: the parts of an opcode, types, special registers (PTX ISA 9.0). Not here: the operations
// (ptx.hpp) and the syntax around them.

/// What the parts of an opcode say; PtxOp::unknown for a name that is not known.
[[nodiscard]] PtxInstruction ptx_shape(const std::string& opcode);
[[nodiscard]] std::optional<PtxType> ptx_type(std::string_view name);
[[nodiscard]] PtxSpecial ptx_special(std::string_view name);

class PtxDeclarations {
 public:
  explicit PtxDeclarations(PtxStream& in) : in_(in) {}

  /// .space [.align n] .type name [dims] [= init]; the space is the current token.
  [[nodiscard]] PtxVariable variable(bool external);
  /// .param .type name [bytes], placed behind the parameters before it.
  [[nodiscard]] PtxParameter parameter(const std::vector<PtxParameter>& before);

  /// A kernel's shared variables follow the module's, its local ones have their own memory.
  void begin_kernel(const std::vector<PtxVariable>& of_module);
  [[nodiscard]] std::int64_t shared_bytes() const { return shared_bytes_; }

 private:
  [[nodiscard]] std::int64_t type_bytes(std::string_view name) const;
  void initializer(PtxVariable& v, std::int64_t element);

  PtxStream& in_;
  std::int64_t constant_bytes_ = 0, global_bytes_ = 0, shared_bytes_ = 0, local_bytes_ = 0;
};

/// Opcodes as written, numbered over the whole module, with what their parts say.
class PtxOpcodes {
 public:
  explicit PtxOpcodes(std::vector<std::string>& names) : names_(names) {}
  [[nodiscard]] std::int32_t number(std::string_view opcode) {
    const auto [found, fresh] = numbers_.emplace(opcode, static_cast<std::int32_t>(names_.size()));
    if (fresh) {
      names_.emplace_back(opcode);
      shapes_.push_back(ptx_shape(names_.back()));
    }
    return found->second;
  }
  [[nodiscard]] const PtxInstruction& shape(std::int32_t number) const {
    return shapes_[static_cast<std::size_t>(number)];
  }

 private:
  std::vector<std::string>& names_;
  std::unordered_map<std::string, std::int32_t> numbers_;
  std::vector<PtxInstruction> shapes_;
};

/// One kernel, from behind .entry to behind the closing brace; none for a prototype.
[[nodiscard]] std::optional<PtxKernel> read_kernel(PtxStream& in, PtxDeclarations& declarations, PtxOpcodes& opcodes,
                                                   PtxModule& module, const std::vector<PtxVariable>& module_variables);
}  // namespace sparsecast::gpu_code
