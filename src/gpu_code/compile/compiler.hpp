#pragma once
// CUDA C++ and OpenCL C through the compilers that are installed: nvcc (then ptxas, for registers and machine code) and
// clang. Results are kept by content in the store, so that a source is compiled once for each set of options. No text
// of a user's stands on a compiler's command line: macros come as a header, the source through a link to its folder.

#include <set>

#include "base/temporary_folder.hpp"
#include "gpu_code/times/kernel_times.hpp"

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

// Compilers run in a private folder of their own, with names of our own making relative to it: nvcc writes what stands
// on its command line, its working folder and its temporary files into commands for a shell.

/// Full path of nvcc or ptxas: on PATH, then in $CUDA_HOME/bin, $CUDA_PATH/bin, /usr/local/cuda/bin; empty where it is
/// not found.
[[nodiscard]] std::filesystem::path find_cuda_tool(const std::string& name);

/// Whether a shell takes the path for nothing but one word, quoted or not.
[[nodiscard]] bool plain_path(const std::filesystem::path& path);

/// Made for one run of a tool, open to its owner alone, removed with its contents at the end.
class ToolFolder {
 public:
  /// In $TMPDIR, or where that is no plain path in /tmp. Error failed.
  ToolFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }
  void write(const std::string& name, std::string_view text) const;
  /// A fixed name for another folder, so that what is in it is found under a relative path.
  void link(const std::string& name, const std::filesystem::path& folder) const;

  /// Runs the tool there; returns the exit status. No argument may come from a user. Error unavailable where it does
  /// not start or its own path is not plain; interrupted.
  [[nodiscard]] int run(const std::filesystem::path& tool, const std::vector<std::string>& arguments);
  /// Output and messages of the last run.
  [[nodiscard]] const std::string& log() const { return log_; }

 private:
  base::TemporaryFolder folder_;
  std::string log_;
};

// Compiled kernels by content: a source is compiled once for each set of compiler, options and macros.

/// A folder of the store (base/files.hpp), made where it is missing. Error failed.
[[nodiscard]] std::filesystem::path store_folder(const std::string& name);

/// 128 bits of FNV-1a: enough to tell sources apart; nobody gains by a collision in their own cache.
class Digest {
 public:
  void add(std::string_view text);
  /// A tool's path, size and time; variables that change what it makes.
  void add_tool(const std::filesystem::path& tool);
  /// The source and, as far as they are found beside it, what it includes with quotes.
  void add_source(const std::filesystem::path& file);
  /// 32 hexadecimal digits.
  [[nodiscard]] std::string text() const;

 private:
  std::uint64_t a_ = 0xcbf29ce484222325u, b_ = 0x84222325cbf29ce4u;
  std::set<std::filesystem::path> seen_;
};
}  // namespace sparsecast::gpu_code
