#pragma once
// What one product asks of a GPU, counted from the Structure: one function for each kernel text of
// hardware/gpu/kernels, which stands in the kernel's row of the table (KernelInfo::gpu).
// tests/forecast/gpu_work_test.cpp holds them against the converted arrays and the launches.
//
// Exact: slots, launches, groups, and the sectors of ELL, HYB, JAD, COO and SELL (whose last slice counts full, as it
// is stored). Of the kernels on CSR a Structure does not tell which row lies where: rows are taken to come in any
// order, and to begin at any entry of a sector that their lengths allow.

#include "formats/workload.hpp"

namespace sparsecast::formats {
struct Workload;

/// The device, as far as its workload depends on it. 0: not known.
struct GpuContext {
  int value_bytes = 8;
  int compute_units = 1;
  int warp_size = 32;
  int warps_per_unit = 0;  ///< most resident ones
  double registers_per_unit = 0, shared_bytes_per_unit = 0;
  bool processor = false;  ///< an OpenCL device that is a CPU: a core takes the threads of a group one after the other
};

/// What is built on a GPU and multiplied there (hardware/gpu/gpu_product).
enum class GpuForm {
  none,
  csr_scalar,
  csr_vector,
  csr_half,
  csr_stream,
  csr_tiles,
  csr_merge,
  ell,
  coo,
  hyb,
  jad,
  sell,
  sell_compact
};

/// A kernel's text on GPUs: what is built, its bytes (the format's arrays and what the kernel needs beside them,
/// without x and y), what a product counts, registers of a thread as nvcc compiles it for sm_80 (docs/results-gpu.md),
/// entries of shared memory of a group (a value and a 32-bit number each).
struct GpuText {
  GpuForm form = GpuForm::none;  ///< none: its code is not ours, or it has none
  std::int64_t (*bytes)(const Structure& structure, int value_bytes) = nullptr;
  void (*count)(const Structure& structure, const GpuContext& context, Workload& workload) = nullptr;
  int registers = 32;
  int shared_entries = 0;
  bool blocks = false;         ///< it multiplies several vectors at once
  bool longest_first = false;  ///< rows are taken sorted by length over the whole matrix
};

/// Warps that a compute unit keeps at once: as many groups as its registers, its shared memory and its warps hold.
[[nodiscard]] double resident_warps(const GpuText& text, const GpuContext& context);

void count_csr_scalar_on_gpu(const Structure& structure, const GpuContext& context, Workload& workload);
void count_csr_vector_on_gpu(const Structure& structure, const GpuContext& context, Workload& workload);
void count_csr_half_on_gpu(const Structure& structure, const GpuContext& context, Workload& workload);
void count_csr_merge_on_gpu(const Structure& structure, const GpuContext& context, Workload& workload);
void count_csr_stream_on_gpu(const Structure& structure, const GpuContext& context, Workload& workload);
void count_csr_tiles_on_gpu(const Structure& structure, const GpuContext& context, Workload& workload);
void count_ell_on_gpu(const Structure& structure, const GpuContext& context, Workload& workload);
void count_coo_on_gpu(const Structure& structure, const GpuContext& context, Workload& workload);
void count_hyb_on_gpu(const Structure& structure, const GpuContext& context, Workload& workload);
void count_jad_on_gpu(const Structure& structure, const GpuContext& context, Workload& workload);
void count_sell_on_gpu(const Structure& structure, const GpuContext& context, Workload& workload);
/// Its sectors to within what gpu_sell_compact_bytes() knows.
void count_sell_compact_on_gpu(const Structure& structure, const GpuContext& context, Workload& workload);

/// Of ell and of hyb's regular part, `width` columns of all rows. Adds to what is there.
void count_ell_part_on_gpu(const Structure& structure, std::int64_t width, const GpuContext& context,
                           Workload& workload);
}  // namespace sparsecast::formats

namespace sparsecast::formats::gpu {
// What the counts of several GPU kernels have in common (gpu_counts.hpp).

inline double real(std::int64_t value) { return static_cast<double>(value); }

/// Ends of rows that a branch predictor does not know, on a processor; a GPU has none, and waits in `idle` instead.
void count_rows_ends(const Structure& structure, double mispredicted, const GpuContext& context, Workload& workload);

/// On a processor: slots of rows that walk from one line to another at every step, two arrays each, beyond what the
/// first cache holds of such lines until the next row comes by.
[[nodiscard]] double walked_slots(double length, double rows);
[[nodiscard]] double walked_slots(const Structure& structure);
}  // namespace sparsecast::formats::gpu
