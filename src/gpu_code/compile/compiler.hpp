#pragma once
// CUDA C++ and OpenCL C through the compilers that are installed, nvcc and clang. Results are kept by content in the
// store, so that a source is compiled once for each set of options. No text of a user's stands on a compiler's command
// line: macros come as a header, the source through a link to its folder.

#include <filesystem>
#include <string>
#include <vector>

namespace sparsecast::gpu_code {
/// Where the tuners' unroll factors are put into a source, a copy of it is compiled under this name, line by line.
inline constexpr const char* unrolled_copy = "unrolled.h";

struct CompileRequest {
  std::filesystem::path source;      ///< .cu, .cl or .hip
  std::vector<std::string> defines;  ///< NAME=VALUE, as source_parameters.hpp has them
  int architecture = 80;             ///< compute capability × 10; the nearest that the compiler has is taken
  std::string processor;             ///< AMD: the target (gfx90a); sources are then read by clang
  bool line_info = false;            ///< .loc in the PTX
};

struct CompiledPtx {
  std::string text;
  std::filesystem::path file;  ///< in the store
  bool cached = false;
};
/// Error unavailable where the compiler is not here; usage for a define that is none; bad_input with the compiler's
/// first message, file and line where it refuses the source.
[[nodiscard]] CompiledPtx compile_to_ptx(const CompileRequest& request);

/// The assembly that clang's AMDGPU back end makes of the same source. Errors as above.
[[nodiscard]] std::string compile_for_amd(const CompileRequest& request);
}  // namespace sparsecast::gpu_code
