#pragma once
// Forecasts of launches of a GPU kernel: of one launch, and of the rows of a tuning table.
//
// Thread safety: values.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// A configuration of which a time is known: a row of the table, or parameters of the space.
struct KernelAnchor {
  std::int64_t row = 0;                                              ///< from 1; 0: by parameters
  std::vector<std::pair<std::string, std::string>> parameters = {};  ///< name, value
  double seconds = 0;
};

/// What a model says of a launch.
struct LaunchEstimate {
  std::string model = {};
  double seconds = 0;
  std::optional<double> low_s = {}, high_s = {};
  std::optional<double> cycles = {};
  std::string bound_by = {};
  std::optional<std::string> expression = {};
};

/// What a multiprocessor holds of a launch.
struct LaunchOccupancy {
  int blocks = 0, warps = 0;
  std::string limited_by = {};
  int registers = 0;
  std::int64_t shared_bytes = 0, spill_bytes = 0;
};

/// The overlapped model's parts: time = launch + start-up + waves · wave.
struct LaunchParts {
  double launch_s = 0, transient_s = 0, wave_s = 0;
  std::int64_t waves = 0;
  std::vector<std::pair<std::string, double>> cycles_per_block = {};
  int resident_warps = 0, warps_to_hide = 0;
  std::string schedule = {};
  double memory_bytes = 0, l2_bytes = 0, l1_hit_share = 0;
  std::int64_t warp_instructions = 0;
  double clock_hz = 0;
};

/// One launch of one kernel.
struct LaunchTime {
  std::string kernel = {}, device = {};
  std::int64_t nodes = 0, arcs = 0, height = 0, instances = 0, executors = 0;
  std::vector<LaunchEstimate> estimates = {};
  std::optional<LaunchOccupancy> occupancy = {};
  std::optional<LaunchParts> overlap = {};
  std::string advice = {};
  std::vector<std::string> notes = {};

  // In no document:
  std::string symbols = {};        ///< what the symbols of the expressions stand for, a line each
  std::string critical_path = {};  ///< of the operations model, in words
  std::string drawing = {};        ///< where it was asked for, the graph as an SVG, reduced to what an eye can follow
};

/// What a model says of a row.
struct RowEstimate {
  std::string model = {};
  double seconds = 0;
  std::optional<double> low_s = {}, high_s = {};
  std::string bound_by = {};
};

/// A row of a tuning table.
struct RowForecast {
  std::int64_t row = 1;
  std::vector<RowEstimate> estimates = {};
  std::optional<double> measured_s = {};
  std::vector<std::string> defines = {};  ///< in no document
};

/// A row by the model to believe, moved by the anchors, beside its measurement.
struct RowCase {
  std::int64_t row = 1;
  std::optional<double> measured_s = {};
  double seconds = 0, low_s = 0, high_s = 0;
};

/// What moved the forecasts.
struct AnchorCount {
  std::size_t number = 0;
  int draws = 0;
};

/// How good a model's forecasts of the rows with measured times are; errors are |forecast − measured| / measured.
struct ModelErrors {
  std::string model = {};
  std::int64_t cases = 0;
  double mean_error = 0, median_error = 0, p90_error = 0, max_error = 0, rank_correlation = 0, top1_regret = 0,
         top5_regret = 0;
};

/// The configurations of a tuning table.
struct KernelTable {
  std::string kernel = {}, device = {};
  std::vector<RowForecast> configurations = {};
  std::vector<RowCase> cases = {};
  std::optional<AnchorCount> anchors = {};
  std::vector<ModelErrors> summary = {};
};

}  // namespace sparsecast
#pragma GCC visibility pop
