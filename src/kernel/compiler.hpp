#pragma once
// CUDA C++ and OpenCL C through the compilers that are installed: nvcc (then ptxas, for registers and machine code) and
// clang. Results are kept by content in the store, so that a source is compiled once for each set of options.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "kernel/kernel_times.hpp"

namespace sparsecast::kernel {

/// Folder of the store: $SPARSECAST_HOME, else the XDG data folder.
[[nodiscard]] std::filesystem::path store_folder();

struct CompileRequest {
  std::filesystem::path source;      ///< .cu or .cl
  std::vector<std::string> defines;  ///< NAME=VALUE
  int architecture = 80;             ///< compute capability × 10; the nearest that the compiler has is taken
  bool line_info = false;            ///< .loc in the PTX
};

/// Full paths; empty where not found. nvcc and ptxas: on PATH, then $CUDA_HOME/bin, $CUDA_PATH/bin,
/// /usr/local/cuda/bin.
[[nodiscard]] std::filesystem::path find_cuda_tool(const std::string& name);
[[nodiscard]] std::filesystem::path find_on_path(const std::string& name);

struct CompiledPtx {
  std::string text;
  std::filesystem::path file;  ///< in the store
  bool cached = false;
};
/// Error unavailable where the compiler is not here; bad_input with its first message where it refuses the source.
[[nodiscard]] CompiledPtx compile_to_ptx(const CompileRequest& request);

struct Assembled {
  bool available = false;  ///< false where there is no ptxas, or it refuses
  std::vector<std::uint8_t> cubin;
  std::string log;  ///< what ptxas --verbose said
  int architecture = 0;
};
/// ptxas on PTX text, cached alike. `most_registers` 0: as many as it likes.
[[nodiscard]] Assembled assemble(const std::string& ptx, int architecture, int most_registers = 0);
/// Registers, shared memory and spills of one kernel out of the log.
[[nodiscard]] bool parse_ptxas_log(const std::string& log, const std::string& kernel, KernelResources& resources);

/// Names of a kernel's parameters from CUDA C++ or OpenCL C source; empty where it is not found.
[[nodiscard]] std::vector<std::string> parameter_names(const std::string& source, const std::string& kernel);

}  // namespace sparsecast::kernel
