#include "hardware/gpu/cuda/api.hpp"

#include <fmt/format.h>
#include <cstdlib>
#include <sparsecast/error.hpp>

namespace sparsecast::hardware {
namespace {
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
}  // namespace sparsecast::hardware
