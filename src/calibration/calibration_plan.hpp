#pragma once
// The benchmark matrices on which a device is measured, and which kernels each of them is for. Most informative first,
// so that a calibration that is cut short is already good.

#include <sparsecast/profile.hpp>

#include "formats/kernels.hpp"

namespace sparsecast::calibration {
// Benchmark matrices beyond the papers' grids: samples of the space of real matrices, for models that see more of a
// matrix than its rows and row length. Sizes from the smallest cache to several times the last, row lengths from
// constant to a few very long ones, columns from banded to anywhere, plus meshes, stencils and graphs.

/// The first `count` samples of a sequence that fills the space evenly at any length (so the first are the most
/// informative). The same on every machine for the same largest size.
std::vector<MatrixSpec> survey_matrices(int count, std::int64_t most_nonzeros);

/// The first `count` (≤ 8) of stencil, band, graphs, mesh, power law and random columns, of one to two times so many
/// non-zeros: matrices beyond the last cache, whose terms no smaller one tells.
std::vector<MatrixSpec> large_matrices(int count, std::int64_t nonzeros);
/// One for kernels made for a structure, and which structures it has.
struct FormMatrix {
  MatrixSpec spec;
  std::vector<formats::MadeFor> suits;
};
/// `count` matrices with such structures: stencils and bands, meshes of blocks, graphs, repeated values.
std::vector<FormMatrix> form_matrices(int count, std::int64_t most_nonzeros);

/// Which rounds a step takes part in (timing.hpp).
enum class Again {
  where_disturbed,  ///< those of every step, and further ones where it was disturbed
  every_round,      ///< those of every step: a large matrix takes long, and its time moves with what others do in the
                    ///< memory for minutes, which its spread does not tell
  never             ///< the first alone: the papers' grids, whose lines many matrices share
};

struct PlanStep {
  MatrixSpec spec;
  std::vector<std::string> kernels;
  double work = 0;  ///< non-zeros × kernels, for the estimate of the time left
  Again again = Again::where_disturbed;
};

/// The whole plan of a device for its strips (properties.strips()).
/// `quick`: a coarse grid of small matrices, for a first look within a minute.
std::vector<PlanStep> calibration_plan(const DeviceProperties& properties, const std::vector<std::string>& kernels,
                                       Precision precision, bool quick);

/// The papers' grids alone and whole, as far as the device's memory and a bound on the work of a matrix allow.
std::vector<PlanStep> paper_grids(const DeviceProperties& properties, const std::vector<std::string>& kernels,
                                  Precision precision);

/// The largest P that fits a device with G bytes of memory at R rows (Guo et al. 2014, equations 2–4; Wang et al.
/// 2017): CSR (G − offset·(R + 1)) / ((value + 4)·R), ELL G / ((value + 4)·R), COO G / ((value + 8)·R).
std::int64_t largest_row_length(std::string_view format, std::int64_t memory_bytes, std::int64_t rows,
                                Precision precision);
}  // namespace sparsecast::calibration
