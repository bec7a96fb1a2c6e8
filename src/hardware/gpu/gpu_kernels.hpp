#pragma once
// The functions of the kernel texts (src/hardware/gpu/kernels/): which texts make up each, and what they depend on. One
// row each; a new GPU kernel is a text, a row here, a row in gpu_product.cpp and its inclusion for CUDA.

#include <dlfcn.h>
#include <span>
#include <sparsecast/precision.hpp>
#include <vector>

namespace sparsecast::hardware {
/// A function of a library that was opened, by its name; false where it has none of that name.
template <class Function>
bool find_symbol(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

struct GpuFunction {
  std::string_view name;
  std::vector<std::string_view> texts;        ///< files of src/hardware/gpu/kernels/, in order
  bool reads_offsets = false;                 ///< has a version per width of row pointers
  std::string_view lanes_name = {};           ///< csr_lanes.cl: the macro's value; empty for other texts
  int lanes_divisor = 1;                      ///< threads per row = warp / divisor
  bool reads_values = true;                   ///< has a version per precision; else only that of single
  std::vector<std::string_view> macros = {};  ///< NAME=VALUE of a text that several functions share
};

/// Error failed for an unknown name (a mistake in the product).
const GpuFunction& gpu_function(std::string_view name);
std::span<const GpuFunction> gpu_functions();

/// The name of a function's version in the CUDA binary: "csr_vector_f64_o32", "ell_f32", "chase_f32".
std::string cuda_symbol(const GpuFunction& function, Precision precision, int offset_bits);

/// The source of one function's version: `header` (opencl.h, cuda.h), the sizes as macros, the texts.
struct GpuSource {
  std::string text;
  std::vector<std::string> macros;  ///< NAME=VALUE
};
GpuSource gpu_source(const GpuFunction& function, std::string_view header, Precision precision, int offset_bits,
                     int warp_size);

/// By compute capability; that of the nearest known one before it where it is not in the table.
int nvidia_threads_per_unit(int major, int minor);
/// Wavefronts per compute unit by the driver's name of the chip ("gfx90a"); 40, GCN's, where it is unknown.
int amd_wavefronts_per_unit(std::string_view chip);
}  // namespace sparsecast::hardware
