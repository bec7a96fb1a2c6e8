#include "hardware/gpu/opencl/api.hpp"

#include <dlfcn.h>

#include "hardware/gpu/gpu_kernels.hpp"

namespace sparsecast::hardware {
namespace {
struct Loaded {
  OpenClApi api;
  std::string why;
};

Loaded load() {
  Loaded loaded;
  void* library = nullptr;
  for (const char* name : {"libOpenCL.so.1", "libOpenCL.so"})
    if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    loaded.why = "no OpenCL loader (libOpenCL.so.1)";
    return loaded;
  }
#define OPENCL_FUNCTION(name) \
  if (!find_symbol(library, #name, loaded.api.name)) loaded.why = "the OpenCL loader lacks " #name;
#include "hardware/gpu/opencl/opencl_functions.def"
#undef OPENCL_FUNCTION
  find_symbol(library, "clGetKernelSubGroupInfo", loaded.api.clGetKernelSubGroupInfo);
  return loaded;
}
}  // namespace

const OpenClApi* opencl_api(std::string* why) {
  static const Loaded loaded = load();
  if (loaded.why.empty()) return &loaded.api;
  if (why != nullptr) *why = loaded.why;
  return nullptr;
}
}  // namespace sparsecast::hardware
