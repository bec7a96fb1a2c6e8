#pragma once
// What one arithmetic instruction does to one lane (PTX ISA 9.0, chapter 9.7). Floats follow the host's arithmetic,
// which is IEEE like the device's for +, −, ×, ÷, fma and sqrt; the approximate functions only come close.

#include <cstdint>
#include <string>

#include "gpu_code/ptx/ptx.hpp"

namespace sparsecast::gpu_code {
/// False where the instruction is none of those that compute from registers alone.
[[nodiscard]] bool ptx_computes(const PtxInstruction& in);
/// Result bits of d = op(a, b, c, d); predicates are 0 or 1.
[[nodiscard]] std::uint64_t ptx_compute(const PtxInstruction& in, const std::string& opcode, std::uint64_t a,
                                        std::uint64_t b, std::uint64_t c, std::uint64_t d);
[[nodiscard]] bool ptx_compare(const PtxInstruction& in, const std::string& opcode, std::uint64_t a, std::uint64_t b);
}  // namespace sparsecast::gpu_code
