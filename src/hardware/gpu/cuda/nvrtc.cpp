#include "hardware/gpu/cuda/nvrtc.hpp"

#include <fmt/format.h>
#include <array>
#include <sparsecast/error.hpp>
#include <vector>

#include "hardware/gpu/cuda/api.hpp"

namespace sparsecast::hardware {
namespace {
// Declared from the NVRTC reference; results are 0 for success.
using Program = struct _nvrtcProgram*;
struct Nvrtc {
// NOLINTNEXTLINE(bugprone-macro-parentheses): declarations
#define NVRTC_FUNCTION(name, arguments) int(*name) arguments = nullptr;
#include "hardware/gpu/cuda/nvrtc_functions.def"
#undef NVRTC_FUNCTION
  bool complete = false;
};

Nvrtc load_nvrtc() {
  constexpr std::array names{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"};
  Nvrtc api;
  void* library = open_cuda_library(names.data(), names.size());
  api.complete = library != nullptr;
#define NVRTC_FUNCTION(name, arguments) api.complete = api.complete && find_symbol(library, #name, api.name);
#include "hardware/gpu/cuda/nvrtc_functions.def"
#undef NVRTC_FUNCTION
  return api;
}
}  // namespace

std::string compile_with_nvrtc(const GpuFunction& function, Precision precision, int offset_bits, int capability) {
  static const Nvrtc api = load_nvrtc();
  if (!api.complete)
    throw Error(ErrorCode::unavailable,
                fmt::format("this build has no code for compute capability {}.{}, and no run-time compiler is found",
                            capability / 10, capability % 10),
                {}, "install the CUDA toolkit's libnvrtc, or build with nvcc in PATH");
  constexpr int warp_size = 32;
  const GpuSource source = gpu_source(function, "cuda.h", precision, offset_bits, warp_size);
  const std::string symbol = cuda_symbol(function, precision, offset_bits);
  std::vector<std::string> options{fmt::format("--gpu-architecture=sm_{}", capability), "--std=c++14",
                                   "-DSUFFIX=" + symbol.substr(function.name.size() + 1)};
  for (const std::string& macro : source.macros) options.push_back("-D" + macro);
  std::vector<const char*> words;
  for (const std::string& option : options) words.push_back(option.c_str());

  Program program = nullptr;
  int status = api.nvrtcCreateProgram(&program, source.text.c_str(), "kernel.cu", 0, nullptr, nullptr);
  if (status == 0) status = api.nvrtcCompileProgram(program, static_cast<int>(words.size()), words.data());
  std::string binary, log;
  std::size_t size = 0;
  if (status == 0 && (status = api.nvrtcGetCUBINSize(program, &size)) == 0) {
    binary.resize(size);
    status = api.nvrtcGetCUBIN(program, binary.data());
  }
  if (status != 0 && program != nullptr && api.nvrtcGetProgramLogSize(program, &size) == 0 && size > 1) {
    log.resize(size);
    api.nvrtcGetProgramLog(program, log.data());
    log.resize(log.find_first_of(std::string_view("\n\0", 2)));
  }
  if (program != nullptr) api.nvrtcDestroyProgram(&program);
  if (status != 0)
    throw Error(ErrorCode::failed,
                fmt::format("CUDA's run-time compiler refuses {} (error {}): {}", symbol, status, log), {},
                "this version may be too old for the GPU; install a newer toolkit");
  return binary;
}
}  // namespace sparsecast::hardware
