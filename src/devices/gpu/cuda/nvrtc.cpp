#include "devices/gpu/cuda/nvrtc.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <sparsecast/error.hpp>

#include "devices/gpu/cuda/api.hpp"

namespace sparsecast::devices {
namespace {

// Declared from the NVRTC reference; results are 0 for success.
using Program = struct _nvrtcProgram*;
struct Nvrtc {
  int (*nvrtcCreateProgram)(Program*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  int (*nvrtcCompileProgram)(Program, int, const char* const*) = nullptr;
  int (*nvrtcGetCUBINSize)(Program, std::size_t*) = nullptr;
  int (*nvrtcGetCUBIN)(Program, char*) = nullptr;
  int (*nvrtcGetProgramLogSize)(Program, std::size_t*) = nullptr;
  int (*nvrtcGetProgramLog)(Program, char*) = nullptr;
  int (*nvrtcDestroyProgram)(Program*) = nullptr;
  bool complete = false;
};

Nvrtc load_nvrtc() {
  constexpr std::array names{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"};
  Nvrtc api;
  void* library = open_cuda_library(names.data(), names.size());
  if (library == nullptr) return api;
  api.complete = true;
  const auto find = [&](const char* name, auto& function) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
    api.complete = api.complete && function != nullptr;
  };
  find("nvrtcCreateProgram", api.nvrtcCreateProgram);
  find("nvrtcCompileProgram", api.nvrtcCompileProgram);
  find("nvrtcGetCUBINSize", api.nvrtcGetCUBINSize);
  find("nvrtcGetCUBIN", api.nvrtcGetCUBIN);
  find("nvrtcGetProgramLogSize", api.nvrtcGetProgramLogSize);
  find("nvrtcGetProgramLog", api.nvrtcGetProgramLog);
  find("nvrtcDestroyProgram", api.nvrtcDestroyProgram);
  return api;
}

}  // namespace

std::string compile_with_nvrtc(const GpuFunction& function, Precision precision, int offset_bits, int capability) {
  static const Nvrtc api = load_nvrtc();
  if (!api.complete)
    throw Error(ErrorCode::unavailable,
                fmt::format("this build has no code for compute capability {}.{}, and no run-time compiler is here",
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
                "its version may not know this GPU; install a toolkit that does");
  return binary;
}

}  // namespace sparsecast::devices
