#pragma once
// Forecasts of launches of a GPU kernel: of one launch, and of the rows of a tuning table.
//
// Thread safety: values.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// A configuration with a known time, given by its row in the table or by its parameters.
struct KernelAnchor {
  std::int64_t row = 0;  ///< number of the row, from 1; 0: given by parameters
  std::vector<std::pair<std::string, std::string>> parameters = {};  ///< name, value
  double seconds = 0;
};

/// A model's forecast of a launch.
struct LaunchEstimate {
  std::string model = {};              ///< model: naive, operations or serialized (from the paper), or overlapped
  std::optional<double> seconds = {};  ///< time of the whole launch; nothing: a time that the model needs is undefined
  std::optional<double> low_s = {}, high_s = {};  ///< 90 % interval
  std::optional<double> cycles = {};              ///< cycles of the device's clock; nothing for a graph
  std::string bound_by = {};                      ///< resource that limits the time
  std::optional<std::string> expression = {};     ///< the time as an expression, if expressions were requested
  /// Where powers were asked for, of the paper's models: the height of the model's matrix Z, and Z to that power, whose
  /// row i and column j is the longest path from node j to node i of so many arcs and loops; nothing: there is none.
  std::optional<std::int64_t> height = {};
  std::optional<std::vector<std::vector<std::optional<double>>>> power = {};
};

/// The part of a launch that is resident on one multiprocessor.
struct LaunchOccupancy {
  int blocks = 0, warps = 0;      ///< numbers of blocks and warps resident at the same time
  std::string limited_by = {};    ///< what limits the number: warps, blocks, registers, shared memory or grid
  int registers = 0;              ///< registers per thread
  std::int64_t shared_bytes = 0;  ///< shared memory per block, static and dynamic, in bytes
  std::int64_t spill_bytes = 0;   ///< bytes per thread that registers spill into local memory
};

/// The overlapped model's parts: time = launch + start-up + waves · wave.
struct LaunchParts {
  double launch_s = 0;     ///< time until the first block runs
  double transient_s = 0;  ///< time of the start-up
  double wave_s = 0;       ///< time of one wave of blocks
  std::int64_t waves = 0;
  /// Cycles for which a block keeps each resource busy, longest first.
  std::vector<std::pair<std::string, double>> cycles_per_block = {};
  int resident_warps = 0;              ///< warps resident on a multiprocessor
  int warps_to_hide = 0;               ///< number of warps that would hide the latency of everything else
  std::string schedule = {};           ///< where the order of instructions is from: "machine code", "PTX", …
  double memory_bytes = 0;             ///< bytes moved through memory by the whole launch
  double l2_bytes = 0;                 ///< bytes moved through the second-level cache
  double l1_hit_share = 0;             ///< share of the loads that hit the first-level cache
  std::int64_t warp_instructions = 0;  ///< instructions of the whole launch, counted per warp
  double clock_hz = 0;                 ///< clock that the forecast assumes
};

/// One launch of one kernel.
struct LaunchTime {
  std::string kernel = {};  ///< name of the kernel in the binary
  std::string device = {};  ///< device of the table of kernel times
  std::int64_t nodes = 0;   ///< number of nodes of the kernel graph
  std::int64_t arcs = 0;
  std::int64_t height = 0;                     ///< number of nodes on its longest path
  std::int64_t instances = 0;                  ///< number of instances of the graph: warps
  std::int64_t executors = 0;                  ///< instances at once
  std::vector<LaunchEstimate> estimates = {};  ///< estimates of each model; the last one is the most reliable
  std::optional<LaunchOccupancy> occupancy = {};
  std::optional<LaunchParts> overlap = {};  ///< the overlapped model's parts
  std::string advice = {};                  ///< in one line: which model to rely on, and what to change next
  std::vector<std::string> notes = {};      ///< what was assumed

  // In no document:
  std::string symbols = {};        ///< what the symbols of the expressions stand for, a line each
  std::string critical_path = {};  ///< of the operations model, in words
  std::string drawing = {};        ///< where it was asked for, the graph as an SVG, reduced to what an eye can follow
};

/// A model's forecast of a row.
struct RowEstimate {
  std::string model = {};                         ///< as LaunchEstimate::model
  double seconds = 0;                             ///< time of the whole launch
  std::optional<double> low_s = {}, high_s = {};  ///< 90 % interval
  std::string bound_by = {};                      ///< resource that limits the time
};

/// A row of a tuning table.
struct RowForecast {
  std::int64_t row = 1;                     ///< number of the row, from 1
  std::vector<RowEstimate> estimates = {};  ///< estimates of each model; the last one is the most reliable
  std::optional<double> measured_s = {};    ///< measured time, from the table
  std::vector<std::string> defines = {};    ///< in no document
};

/// A row's forecast by the most reliable model, corrected by the anchors, and its measured time.
struct RowCase {
  std::int64_t row = 1;                   ///< number of the row, from 1
  std::optional<double> measured_s = {};  ///< measured time, from the table
  double seconds = 0;                     ///< forecast time
  double low_s = 0, high_s = 0;           ///< 90 % interval; 0: it has none
};

/// What moved the forecasts.
struct AnchorCount {
  std::size_t number = 0;  ///< number of measured configurations used at a time
  int draws = 0;           ///< number of random draws; 0: the configurations were given
};

/// How good a model's forecasts of the rows with measured times are; errors are |forecast − measured| / measured.
struct ModelErrors {
  std::string model = {};
  std::int64_t cases = 0;  ///< number of rows with measured times
  double mean_error = 0, median_error = 0, p90_error = 0, max_error = 0;
  double rank_correlation = 0;  ///< Spearman's rank correlation
  double top1_regret = 0;       ///< measured time of the best forecast over the fastest time, minus 1
  double top5_regret = 0;       ///< the same for the best of the first five forecasts
};

/// The configurations of a tuning table.
struct KernelTable {
  std::string kernel = {};                       ///< name of the kernel in the table
  std::string device = {};                       ///< device of the table of kernel times
  std::vector<RowForecast> configurations = {};  ///< configurations in the order of the table
  std::vector<RowCase> cases = {};               ///< rows forecast by the most reliable model
  std::optional<AnchorCount> anchors = {};
  std::vector<ModelErrors> summary = {};  ///< errors of each model; empty without measured times
};

}  // namespace sparsecast
#pragma GCC visibility pop
