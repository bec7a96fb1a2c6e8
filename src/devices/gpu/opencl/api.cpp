#include "devices/gpu/opencl/api.hpp"

#include <dlfcn.h>

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
  const auto find = [&](const char* name, auto& function) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
    if (function == nullptr) loaded.why = std::string("the OpenCL loader lacks ") + name;
  };
#define SPARSECAST_FIND(name) find(#name, loaded.api.name);
  SPARSECAST_OPENCL_FUNCTIONS(SPARSECAST_FIND)
#undef SPARSECAST_FIND
  loaded.api.clGetKernelSubGroupInfo =
      reinterpret_cast<decltype(OpenClApi::clGetKernelSubGroupInfo)>(dlsym(library, "clGetKernelSubGroupInfo"));
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
