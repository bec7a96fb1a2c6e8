#pragma once
// Parts that a machine may lack and tests need. A test without its part shows nothing: it is skipped, and said to be.
// Where everything promised is installed (CI=true or SPARSECAST_REQUIRE_PARTS=1, which .ci/run sets) it fails instead.

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>

namespace sparsecast::test {

struct Part {
  std::string_view name;
  std::string_view source;  ///< the line of scripts/packages.txt or scripts/requirements.txt that brings it; "": none
};

namespace parts {
inline constexpr Part schemas{"jsonschema in .venv (scripts/make-venv)", "jsonschema==4.23.0"};
inline constexpr Part opencl{"an OpenCL device", "pocl-opencl-icd"};
inline constexpr Part opencl_headers{"a build with OpenCL", "opencl-headers"};
inline constexpr Part mpi{"MPI", "libopenmpi-dev"};
inline constexpr Part simgrid{"SimGrid", "libsimgrid-dev"};
inline constexpr Part metis{"METIS", "libmetis-dev"};
inline constexpr Part petsc{"PETSc", "petsc-dev"};
inline constexpr Part hypre{"hypre", "libhypre-dev"};
inline constexpr Part ginkgo{"Ginkgo", ""};  // not in Debian; found by find_package(Ginkgo)
inline constexpr Part svm{"libsvm", "libsvm-dev"};
inline constexpr Part graphblas{"GraphBLAS", "libgraphblas-dev"};
inline constexpr Part curl{"libcurl", "libcurl4-openssl-dev"};
inline constexpr Part archive{"libarchive", "libarchive-dev"};
inline constexpr Part octave{"GNU Octave", "octave"};
inline constexpr Part octave_dev{"mkoctfile", "octave-dev"};
inline constexpr Part gfortran{"gfortran", "gfortran"};
inline constexpr Part clang{"clang", "clang"};
inline constexpr Part chromium{"Chromium", "chromium"};
inline constexpr Part shellcheck{"shellcheck", "shellcheck"};
inline constexpr Part nvcc{"CUDA's compilers (nvcc, ptxas)", ""};  // of NVIDIA, not of Debian
}  // namespace parts

std::span<const Part> all_parts();
/// Whether the environment says that every part with a source is here.
bool parts_are_required();
/// What a test without the part says.
std::string without(const Part& part);

}  // namespace sparsecast::test

/// Ends the test that needs `part`: failed where the part is promised and required, else skipped.
#define SKIP_OR_FAIL(part)                                                                                           \
  do {                                                                                                               \
    if (!(part).source.empty() && sparsecast::test::parts_are_required()) FAIL() << sparsecast::test::without(part); \
    GTEST_SKIP() << sparsecast::test::without(part);                                                                 \
  } while (false)
