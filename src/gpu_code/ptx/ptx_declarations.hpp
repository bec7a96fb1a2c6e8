#pragma once
// Declarations of PTX: variables and parameters, and where each lies in its space.

#include <cstdint>
#include <string_view>
#include <vector>

#include "gpu_code/ptx/ptx.hpp"
#include "gpu_code/ptx/ptx_stream.hpp"

namespace sparsecast::gpu_code {
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
}  // namespace sparsecast::gpu_code
