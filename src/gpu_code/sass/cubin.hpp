#pragma once
// Machine code out of a cubin (an ELF file from ptxas): the instruction words of one kernel and where its parameters
// lie. Not here: what the words do.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpu_code/sass/sass_word.hpp"

namespace sparsecast::gpu_code {
struct CubinKernel {
  std::vector<SassWord> code;
  std::int64_t parameter_offset = 0;            ///< in constant bank 0
  int registers = 0;                            ///< per thread
  std::int64_t shared_bytes = 0;                ///< static
  std::span<const std::uint8_t> own_constants;  ///< bank 2: what the assembler put there; of the file's bytes
};

/// Error bad_input where the file is no cubin or has no such kernel.
[[nodiscard]] CubinKernel read_cubin(std::span<const std::uint8_t> file, const std::string& kernel,
                                     const std::string& file_name);
}  // namespace sparsecast::gpu_code
