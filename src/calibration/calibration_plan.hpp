#pragma once
// The benchmark matrices on which a device is measured, and which kernels each of them is for. Most informative first,
// so that a calibration that is cut short is already good.

#include <sparsecast/profile.hpp>
#include <string>
#include <vector>

namespace sparsecast::calibration {

/// Which rounds a step takes part in (rounds.hpp).
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

/// The largest P that fits a device with G bytes of memory at R rows (Guo et al. 2014, equations 2–4; Wang et al.
/// 2017): CSR (G − offset·(R + 1)) / ((value + 4)·R), ELL G / ((value + 4)·R), COO G / ((value + 8)·R).
std::int64_t largest_row_length(std::string_view format, std::int64_t memory_bytes, std::int64_t rows,
                                Precision precision);

}  // namespace sparsecast::calibration
