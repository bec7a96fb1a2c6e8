#include "matrix/io/packed/libarchive.hpp"

#ifdef SPARSECAST_HAS_ARCHIVE
#include <dlfcn.h>
#include <type_traits>

namespace sparsecast::matrix {
namespace {
LibArchive opened(bool& complete) {
  LibArchive functions;
  void* const library = dlopen("libarchive.so.13", RTLD_NOW | RTLD_LOCAL);
  complete = library != nullptr;
  const auto find = [&](auto& function, const char* name) {
    if (complete) function = reinterpret_cast<std::decay_t<decltype(function)> >(dlsym(library, name));
    complete = complete && function != nullptr;
  };
#define SPARSECAST_FIND(name) find(functions.name, "archive_" #name);
  SPARSECAST_LIBARCHIVE(SPARSECAST_FIND)
#undef SPARSECAST_FIND
  return functions;
}
}  // namespace

const LibArchive* libarchive() {
  static bool complete = false;
  static const LibArchive functions = opened(complete);
  return complete ? &functions : nullptr;
}
}  // namespace sparsecast::matrix
#endif
