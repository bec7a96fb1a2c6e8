#pragma once
// Kernels written in OpenCL and read as CUDA C++ through a header (CLTune's and CLBlast's do so): OpenCL's wide vector
// types, which CUDA does not have, are plain structures there, and a compiler may not load them as vectors.

#include <string>
#include <vector>

namespace sparsecast::gpu_code {
struct OpenclVectorType {
  std::string name;  ///< float8 …
  int bytes = 0;     ///< its size, and so its alignment (OpenCL C specification, Alignment of Types)
};
/// The vector types of 8 and 16 elements that a source with OpenCL's keyword `__kernel` declares as structures.
[[nodiscard]] std::vector<OpenclVectorType> opencl_vector_structures(const std::string& source);
/// NAME=VALUE for the compiler's -D that gives such a type OpenCL's alignment.
[[nodiscard]] std::string aligned_definition(const OpenclVectorType& type);
}  // namespace sparsecast::gpu_code
