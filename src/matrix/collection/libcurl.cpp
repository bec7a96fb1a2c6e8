#ifdef SPARSECAST_HAS_CURL
#include "matrix/collection/libcurl.hpp"

#include <dlfcn.h>
#include <initializer_list>
#include <type_traits>

namespace sparsecast::matrix {
namespace {
LibCurl opened_curl(bool& complete) {
  LibCurl functions;
  void* library = nullptr;
  for (const char* name : {"libcurl.so.4", "libcurl-gnutls.so.4"})
    if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  complete = library != nullptr;
  const auto find = [&](auto& function, const char* name) {
    if (complete) function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
    complete = complete && function != nullptr;
  };
#define SPARSECAST_FIND(name) find(functions.name, "curl_" #name);
  SPARSECAST_LIBCURL(SPARSECAST_FIND)
#undef SPARSECAST_FIND
  complete = complete && functions.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  return functions;
}
}  // namespace

const LibCurl* libcurl() {
  static bool complete = false;
  static const LibCurl functions = opened_curl(complete);
  return complete ? &functions : nullptr;
}
}  // namespace sparsecast::matrix
#endif
