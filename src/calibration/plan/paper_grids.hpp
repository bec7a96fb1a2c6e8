#pragma once
// The designed grids of the papers whose models are lines through them (Guo, Wang & Chen 2014, section 3.2.2; Wang, Gu
// & Li 2017, section 3.1): a kind of matrix, so many strips of rows, so many non-zeros a row.

#include <sparsecast/device.hpp>

#include "calibration/plan/plan_step.hpp"

namespace sparsecast::calibration {
/// How much of the grids a plan takes.
enum class GridExtent {
  quick,  ///< as full, of a coarse grid of small matrices
  full,  ///< of the CSR kernels a cross, all P at one I and all I at one P, on each side of the break: enough for their
         ///< lines, and a tenth of the work
  whole  ///< every point
};

/// The grids of a device as far as its memory and a bound on the non-zeros of a matrix allow; small matrices of all
/// kinds first.
std::vector<PlanStep> grid_steps(const DeviceProperties& properties, const std::vector<std::string>& kernels,
                                 Precision precision, std::int64_t max_nonzeros, GridExtent extent);

/// The papers' grids alone and whole, as far as the device's memory and a bound on the work of a matrix allow.
std::vector<PlanStep> paper_grids(const DeviceProperties& properties, const std::vector<std::string>& kernels,
                                  Precision precision);

/// Bounds the time and memory of one benchmark matrix: 8 million non-zeros are 96 MB of CSR, beyond the last cache of
/// most hosts, so that larger ones would tell only more of the same line. A large GPU handles 270,000 rows at once: its
/// bound grows with its strip, or the grids of one thread per row would hold no matrix at all (quick: two strips of 16
/// a row; full: ten strips of 32).
[[nodiscard]] std::int64_t most_nonzeros(const DeviceProperties& properties, bool quick);

/// The largest P that fits a device with G bytes of memory at R rows (Guo et al. 2014, equations 2–4; Wang et al.
/// 2017): CSR (G − offset·(R + 1)) / ((value + 4)·R), ELL G / ((value + 4)·R), COO G / ((value + 8)·R).
std::int64_t largest_row_length(std::string_view format, std::int64_t memory_bytes, std::int64_t rows,
                                Precision precision);
}  // namespace sparsecast::calibration
