#pragma once
// kernel: the time of a GPU kernel from its code (PTX, CUDA, HIP or OpenCL C source) or its graph, of one launch, of
// the configurations of a table, or of those of a whole space.
//
// Thread safety: requests and answers are values; the functions are safe from several threads at once.

#include <array>
#include <map>
#include <optional>
#include <sparsecast/answers/request.hpp>
#include <sparsecast/kernel_forecast.hpp>
#include <utility>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// The kernel, the device, the models, and the launch.
struct KernelRequest {
  /// .ptx, .cu, .cl, .hip, a graph (.json), or the name of a benchmark kernel that ships.
  std::filesystem::path file = {};
  std::string own = {};  ///< instead of a file: a kernel that measure() times, on `matrix`
  std::optional<MatrixInput> matrix = {};
  Precision precision = Precision::double_;  ///< precision of the own kernel
  std::string kernel = {};                   ///< which kernel, if the file has several
  /// One with a table of kernel times, such a table's file, a calibrated device ("cuda:0") or its profile's file.
  std::string device = "nvidia-h100";
  std::string clock = {};                             ///< clock: base, boost, or Hz; empty: boost
  std::vector<std::string> models = {};               ///< models: naive, operations, serialized, overlapped; empty: all
  std::array<std::int64_t, 3> grid{}, block{};        ///< of one launch: blocks, and threads of each; 0: not given
  std::vector<std::string> defines = {};              ///< macros for the compiler, as NAME=VALUE
  std::map<std::string, std::string> arguments = {};  ///< values of parameters, by name or position from 0
  /// Contents that decide addresses or branches, by parameter.
  std::map<std::string, std::vector<std::uint8_t>> buffers = {};
  /// Turns of loops whose length depends on data, by label.
  std::map<std::string, std::vector<std::int64_t>> trips = {};
  std::int64_t shared_bytes = 0;  ///< dynamic shared memory per block, in bytes
  /// A branch on unknown data costs the sum of both sides; otherwise the side that falls through.
  bool lanes_diverge = true;
  bool matrix_form = false;  ///< compute the paper's models by max-plus matrices instead of the longest path
  bool symbolic = false;     ///< give times as expressions; times may stay undefined
  bool powers = false;       ///< also give heights and powers of the paper's matrices, for graphs of up to 200 nodes
  /// Where the kernel graph of the launch is written (.json, .dot or .svg); empty: nowhere.
  std::filesystem::path graph = {};
  bool drawing = false;  ///< draw the graph for the answer
  /// Start no compiler and no assembler: accept only graphs, and PTX with its own register counts.
  bool no_run = false;
  int threads = 0;  ///< number of configurations of a table or space compiled at a time; 0: available_cores()
  Listener listener = {};
};

/// A kernel in every configuration of a table.
struct KernelTableRequest {
  KernelRequest kernel = {};
  std::filesystem::path table = {};        ///< a tuning table (.tsv), every configuration of which is forecast
  std::vector<KernelAnchor> anchors = {};  ///< measured configurations, which correct the forecasts of the others
  /// Number of measured rows, drawn at random, that correct the forecasts of the rest (the mean of twenty draws).
  int drawn_anchors = 0;
};

/// A kernel over a tuning space.
struct KernelSpaceRequest {
  KernelRequest kernel = {};
  /// A tuning problem (T1, .json) whose fastest configurations are looked for; kernel.defines pins a parameter.
  std::filesystem::path space = {};
  std::string grid = {}, block = {};       ///< comma-separated expressions that replace those of the file
  std::vector<KernelAnchor> anchors = {};  ///< measured configurations, which correct the forecasts of the others
  std::int64_t forecasts = 240;            ///< full forecasts to make at most
  double within_s = 900;                   ///< after which no further forecast is begun
  std::size_t top = 10;                    ///< configurations to name
  /// With a space: file that keeps forecasts so that a search can resume; empty: in the store.
  std::filesystem::path journal = {};
  std::filesystem::path results = {};  ///< where the ranking is written as a results file (T4, .json); empty: nowhere
  std::filesystem::path cache = {};    ///< where it is written as a Kernel Tuner cache (.json); empty: nowhere
};

/// A number or a word of a tuning space.
using ParameterValue = std::variant<std::int64_t, double, std::string>;

/// A configuration among the fastest.
struct RankedKernel {
  std::vector<std::pair<std::string, ParameterValue>> configuration = {};  ///< the value of every parameter
  std::vector<std::int64_t> grid = {};                                     ///< number of blocks
  std::vector<std::int64_t> block = {};                                    ///< threads of a block
  double seconds = 0;                                                      ///< forecast time
  double low_s = 0, high_s = 0;                                            ///< 90 % interval
  std::string bound_by = {};                                               ///< resource that limits the time
  std::string beats_next_by = {};  ///< the resource that it needs less of than the next one; empty for the last
};

/// The fastest configurations of a tuning space.
struct KernelSpace {
  std::string kernel = {};          ///< name of the kernel in the problem
  std::string device = {};          ///< device of the table of kernel times
  std::int64_t configurations = 0;  ///< number of configurations that the restrictions allow
  std::int64_t bounded = 0;         ///< how many of them have a lower bound
  std::int64_t forecast = 0;        ///< of them, those forecast in full, with what the journal held
  std::int64_t refused = 0;         ///< of them, those that could not be forecast
  std::int64_t resumed = 0;         ///< of them, those that the journal held
  bool settled = false;  ///< true: no configuration without a forecast has a bound below the last one of the ranking
  double clock_hz = 0;   ///< that the forecasts assume
  std::vector<RankedKernel> ranking = {};  ///< configurations, fastest first

  // In no document:
  std::vector<std::string> varied = {};  ///< parameters with several values
  std::string first_refusal = {};
};

/// One launch, or a graph. Error usage for an unknown device, model or kernel, and where the launch is not given;
/// bad_input for what cannot be read or followed, with the file and line; unavailable without a compiler that the
/// source needs; failed where a file cannot be written. The kernel itself never runs.
[[nodiscard]] LaunchTime kernel(const KernelRequest& request);
/// Every configuration of a table. Errors as kernel()'s; usage where an anchor names no row.
[[nodiscard]] KernelTable kernel_table(const KernelTableRequest& request);
/// The fastest configurations of a space, by full forecasts of those that may be in front. Errors as kernel()'s;
/// interrupted, the journal then holds what was made.
[[nodiscard]] KernelSpace kernel_space(const KernelSpaceRequest& request);

}  // namespace sparsecast
#pragma GCC visibility pop
