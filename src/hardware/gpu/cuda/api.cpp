#include "hardware/gpu/cuda/api.hpp"

#include <fmt/format.h>
#include <cstdlib>
#include <sparsecast/error.hpp>

namespace sparsecast::hardware {
namespace {
// From NVML's reference; the names are stable since CUDA 4.2.
constexpr int nvml_success = 0, nvml_clock_sm = 1;

struct Loaded {
  CudaApi api;
  std::string why;
};

Loaded load_driver() {
  Loaded loaded;
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    loaded.why = "no NVIDIA driver (libcuda.so.1)";
    return loaded;
  }
#define CUDA_FUNCTION(name, arguments) \
  if (!find_symbol(library, #name, loaded.api.name)) loaded.why = "the NVIDIA driver lacks " #name;
#include "hardware/gpu/cuda/cuda_functions.def"
#undef CUDA_FUNCTION
  if (!loaded.why.empty()) return loaded;
  if (const CuStatus status = loaded.api.cuInit(0); status != 0) {
    const char* name = nullptr;
    loaded.api.cuGetErrorName(status, &name);
    loaded.why = std::string("the NVIDIA driver does not start (") + (name != nullptr ? name : "unknown error") + ")";
  }
  return loaded;
}

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

const CudaApi* cuda_api(std::string* why) {
  static const Loaded loaded = load_driver();
  if (loaded.why.empty()) return &loaded.api;
  if (why != nullptr) *why = loaded.why;
  return nullptr;
}

void* open_cuda_library(const char* const* names, std::size_t count) {
  std::vector<std::string> folders{""};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* folder = std::getenv(variable)) folders.push_back(std::string(folder) + "/lib64/");
  folders.emplace_back("/usr/local/cuda/lib64/");
  for (std::size_t i = 0; i < count; ++i)
    for (const std::string& folder : folders)
      if (void* library = dlopen((folder + names[i]).c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  return nullptr;
}

NvmlClock::NvmlClock(const std::string& bus, const char* library) {
  void* opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) return;
  int (*start)() = nullptr;
  int (*find)(const char*, void**) = nullptr;
  int (*clock)(void*, int, unsigned*) = nullptr;
  if (!find_symbol(opened, "nvmlInit_v2", start) || !find_symbol(opened, "nvmlDeviceGetHandleByPciBusId_v2", find) ||
      !find_symbol(opened, "nvmlDeviceGetClockInfo", clock))
    return;
  if (start() == nvml_success && find(bus.c_str(), &device_) == nvml_success) clock_ = clock;
}

double NvmlClock::hz() const {
  unsigned mhz = 0;
  return clock_ != nullptr && clock_(device_, nvml_clock_sm, &mhz) == nvml_success ? 1e6 * mhz : 0;
}

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
}  // namespace sparsecast::hardware
