#include "support/parts.hpp"

#include <cstdlib>

namespace sparsecast::test {

std::span<const Part> all_parts() {
  using namespace parts;
  static constexpr Part all[] = {schemas,  opencl, opencl_headers, mpi,      simgrid, metis,  petsc,
                                 hypre,    svm,    graphblas,      curl,     archive, octave, octave_dev,
                                 gfortran, clang,  shellcheck,     chromium, nvcc};
  return all;
}

bool parts_are_required() {
  const char* const required = std::getenv("SPARSECAST_REQUIRE_PARTS");
  if (required != nullptr && *required != '\0') return std::string_view(required) != "0";
  const char* const ci = std::getenv("CI");
  return ci != nullptr && (std::string_view(ci) == "true" || std::string_view(ci) == "1");
}

std::string without(const Part& part) {
  std::string text(part.name);
  text += " is not here";
  if (part.source.empty()) return text;
  text += part.source.find("==") == std::string_view::npos
              ? ": scripts/install installs " + std::string(part.source) + ", then build again"
              : ": scripts/make-venv installs " + std::string(part.source);
  return text;
}

}  // namespace sparsecast::test
