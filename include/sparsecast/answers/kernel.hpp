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

/// Which kernel, on which device, by which models, launched how.
struct KernelRequest {
  /// .ptx, .cu, .cl, .hip, a graph (.json), or the name of a benchmark kernel that ships.
  std::filesystem::path file = {};
  std::string own = {};  ///< instead of a file: a kernel that measure() times, on `matrix`
  std::optional<MatrixInput> matrix = {};
  Precision precision = Precision::double_;  ///< of `own`
  std::string kernel = {};                   ///< which one, where the file has several
  /// One with a table of kernel times, such a table's file, a calibrated device ("cuda:0") or its profile's file.
  std::string device = "nvidia-h100";
  std::string clock = {};                             ///< "base", "boost", or Hz; empty: boost
  std::vector<std::string> models = {};               ///< "naive", "operations", "serialized", "overlapped"; empty: all
  std::array<std::int64_t, 3> grid{}, block{};        ///< of one launch: blocks, and threads of each; 0: not given
  std::vector<std::string> defines = {};              ///< NAME=VALUE, for the compiler
  std::map<std::string, std::string> arguments = {};  ///< values of parameters, by name or position from 0
  /// Contents that decide addresses or branches, by parameter.
  std::map<std::string, std::vector<std::uint8_t>> buffers = {};
  /// Turns of loops whose length depends on data, by label.
  std::map<std::string, std::vector<std::int64_t>> trips = {};
  std::int64_t shared_bytes = 0;  ///< dynamic shared memory of a block
  bool lanes_diverge = true;      ///< a branch on unknown data costs both sides; else the side that falls through
  bool matrix_form = false;       ///< the paper's models by max-plus matrices instead of the longest path
  bool symbolic = false;          ///< with expressions; times may stay undefined
  bool powers = false;            ///< with heights and powers of the paper's matrices; of graphs up to 200 nodes
  /// Where the kernel graph of the launch is written (.json, .dot or .svg); empty: nowhere.
  std::filesystem::path graph = {};
  bool drawing = false;  ///< draw the graph for the answer
  bool no_run = false;   ///< start no compiler and no assembler: graphs, and PTX with its own registers, alone
  int threads = 0;       ///< compilations at a time, of tables and spaces; 0: available_cores()
  Listener listener = {};
};

/// A kernel in every configuration of a table.
struct KernelTableRequest {
  KernelRequest kernel = {};
  std::filesystem::path table = {};        ///< a tuning table (.tsv), every configuration of which is forecast
  std::vector<KernelAnchor> anchors = {};  ///< their times move the forecasts of the others
  /// So many measured rows, drawn at random, move the forecasts of the rest (the mean of twenty draws).
  int drawn_anchors = 0;
};

/// A kernel over a tuning space.
struct KernelSpaceRequest {
  KernelRequest kernel = {};
  /// A tuning problem (T1, .json) whose fastest configurations are looked for; kernel.defines pins a parameter.
  std::filesystem::path space = {};
  std::string grid = {}, block = {};       ///< expressions separated by commas, instead of the file's
  std::vector<KernelAnchor> anchors = {};  ///< their times move the forecasts of the others
  std::int64_t forecasts = 240;            ///< full forecasts to make at most
  double within_s = 900;                   ///< after which no further forecast is begun
  std::size_t top = 10;                    ///< configurations to name
  std::filesystem::path journal = {};      ///< where forecasts are kept, to go on from; empty: in the store
  std::filesystem::path results = {};  ///< where the ranking is written as a results file (T4, .json); empty: nowhere
  std::filesystem::path cache = {};    ///< where it is written as a Kernel Tuner cache (.json); empty: nowhere
};

/// A number or a word of a tuning space.
using ParameterValue = std::variant<std::int64_t, double, std::string>;

/// A configuration among the fastest.
struct RankedKernel {
  std::vector<std::pair<std::string, ParameterValue>> configuration = {};  ///< the value of every parameter
  std::vector<std::int64_t> grid = {};                                     ///< blocks
  std::vector<std::int64_t> block = {};                                    ///< threads of a block
  double seconds = 0;                                                      ///< forecast
  double low_s = 0, high_s = 0;                                            ///< 90 % interval
  std::string bound_by = {};                                               ///< what binds
  std::string beats_next_by = {};  ///< what it has less of than the next; empty for the last
};

/// The fastest configurations of a tuning space.
struct KernelSpace {
  std::string kernel = {};                 ///< as the problem names it
  std::string device = {};                 ///< of the table of kernel times
  std::int64_t configurations = 0;         ///< that the restrictions allow
  std::int64_t bounded = 0;                ///< of them, those that got a bound
  std::int64_t forecast = 0;               ///< of them, those forecast in full, with what the journal held
  std::int64_t refused = 0;                ///< of them, those that could not be forecast
  std::int64_t resumed = 0;                ///< of them, those that the journal held
  bool settled = false;                    ///< no bound of what was not forecast lies below the last of the ranking
  double clock_hz = 0;                     ///< that the forecasts assume
  std::vector<RankedKernel> ranking = {};  ///< fastest first

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
