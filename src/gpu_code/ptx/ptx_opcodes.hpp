#pragma once
// Opcodes as written, numbered over a whole module, with what their parts say.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gpu_code/ptx/ptx_words.hpp"

namespace sparsecast::gpu_code {
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
}  // namespace sparsecast::gpu_code
