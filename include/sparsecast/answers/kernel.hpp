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
  std::filesystem::path file = {};
  std::string own = {};
  std::optional<MatrixInput> matrix = {};
  Precision precision = Precision::double_;
  std::string kernel = {};
  std::string device = "nvidia-h100";
  std::string clock = {};
  std::vector<std::string> models = {};
  std::array<std::int64_t, 3> grid{}, block{};
  std::vector<std::string> defines = {};
  std::map<std::string, std::string> arguments = {};
  std::map<std::string, std::vector<std::uint8_t>> buffers = {};
  std::map<std::string, std::vector<std::int64_t>> trips = {};
  std::int64_t shared_bytes = 0;
  bool lanes_diverge = true;
  bool matrix_form = false;
  bool symbolic = false;
  std::filesystem::path graph = {};
  bool drawing = false;
  bool no_run = false;
  int threads = 0;
  Listener listener = {};
};
template <>
struct Fields<KernelRequest> {
  static constexpr std::string_view about = "Which GPU source kernel, on which device.";
  static constexpr auto table = std::tuple(
      field<&KernelRequest::file>(".ptx, .cu, .cl, .hip, a graph (.json), or the name of a benchmark kernel of ours"),
      field<&KernelRequest::own>("instead of a file: a kernel of `measure`, as the kernel table names it, on a matrix"),
      field<&KernelRequest::matrix>(""), field<&KernelRequest::precision>("of `own`"),
      field<&KernelRequest::kernel>("which kernel, where the file has several"),
      field<&KernelRequest::device>(
          "one with a table of kernel times, such a table's file, a calibrated device (cuda:0) or its profile's file"),
      field<&KernelRequest::clock>("base, boost, or Hz; empty: boost"),
      field<&KernelRequest::models>("naive, operations, serialized, overlapped; empty: all"),
      field<&KernelRequest::grid>("of one launch: blocks, and threads of each; 0: not given"),
      field<&KernelRequest::block>("of one launch: blocks, and threads of each; 0: not given"),
      field<&KernelRequest::defines>("NAME=VALUE for the compiler"),
      field<&KernelRequest::arguments>("of a parameter, by name or position from 0"),
      field<&KernelRequest::buffers>("content that decides addresses or branches"),
      field<&KernelRequest::trips>("of loops whose length depends on data, by label"),
      field<&KernelRequest::shared_bytes>("dynamic shared memory of a block", at_least(0)),
      field<&KernelRequest::lanes_diverge>(
          "a branch on unknown data costs both sides, else the one that falls through"),
      field<&KernelRequest::matrix_form>("the paper's models by max-plus matrices instead of the longest path"),
      field<&KernelRequest::symbolic>("with expressions; times may stay undefined"),
      field<&KernelRequest::graph>("writes the kernel graph, of one launch: .json, .dot or .svg"),
      field<&KernelRequest::drawing>("draw the graph for the answer"),
      field<&KernelRequest::no_run>("start no compiler and no assembler: graphs, and PTX with its own registers"),
      field<&KernelRequest::threads>("compiled at a time, of tables and spaces; 0: available_cores()", at_least(0)));
};

struct KernelTableRequest {
  KernelRequest kernel = {};
  std::filesystem::path table = {};
  std::vector<KernelAnchor> anchors = {};
  int drawn_anchors = 0;
};
template <>
struct Fields<KernelTableRequest> {
  static constexpr std::string_view about = "A table of configurations of a kernel.";
  static constexpr auto table =
      std::tuple(field<&KernelTableRequest::kernel>("").in_its_place(),
                 field<&KernelTableRequest::table>("forecasts every configuration of a tuning table (.tsv)"),
                 field<&KernelTableRequest::anchors>("move the forecasts of the others"),
                 field<&KernelTableRequest::drawn_anchors>(
                     "with a table: so many measured rows, drawn at random, move the forecasts of the rest (the "
                     "mean of twenty draws)",
                     at_least(0)));
};

struct KernelSpaceRequest {
  KernelRequest kernel = {};
  std::filesystem::path space = {};
  std::string grid = {}, block = {};
  std::vector<KernelAnchor> anchors = {};
  std::int64_t forecasts = 240;
  double within_s = 900;
  std::size_t top = 10;
  std::filesystem::path journal = {};
  std::filesystem::path results = {};
  std::filesystem::path cache = {};
};
template <>
struct Fields<KernelSpaceRequest> {
  static constexpr std::string_view about = "A tuning space of a kernel.";
  static constexpr auto table = std::tuple(
      field<&KernelSpaceRequest::kernel>("").in_its_place(),
      field<&KernelSpaceRequest::space>(
          "searches a tuning problem (T1, .json) for its fastest configurations; --define of a parameter "
          "pins it, --grid and --block may then be expressions"),
      field<&KernelSpaceRequest::grid>("expressions by commas, instead of the file's"),
      field<&KernelSpaceRequest::anchors>("move the forecasts of the others"),
      field<&KernelSpaceRequest::forecasts>("of a space: full forecasts to make at most", at_least(0)),
      field<&KernelSpaceRequest::within_s>("of a space: seconds after which no further one is begun"),
      field<&KernelSpaceRequest::top>("of a space: configurations to name", at_least(0)),
      field<&KernelSpaceRequest::journal>("of a space: where forecasts are kept, to go on from; empty: in the store"),
      field<&KernelSpaceRequest::results>("of a space: where the ranking is written as a results file (T4, .json)"),
      field<&KernelSpaceRequest::cache>("the same as a Kernel Tuner cache (.json)"));
};

template <>
struct Fields<LaunchEstimate> {
  static constexpr std::string_view about = "What a model says of a launch.";
  static constexpr auto table =
      std::tuple(field<&LaunchEstimate::model>("naive, operations, serialized (the paper's), overlapped"),
                 field<&LaunchEstimate::seconds>("the whole launch", at_least(0)),
                 field<&LaunchEstimate::low_s>("least of the 90 % interval", at_least(0)).where_known(),
                 field<&LaunchEstimate::high_s>("most of the 90 % interval", at_least(0)).where_known(),
                 field<&LaunchEstimate::cycles>("of the device's clock; null of a graph", at_least(0)),
                 field<&LaunchEstimate::bound_by>("what binds"),
                 field<&LaunchEstimate::expression>("the time in symbols, where they were asked for").where_known());
};

template <>
struct Fields<LaunchOccupancy> {
  static constexpr std::string_view about = "What a multiprocessor holds of a launch.";
  static constexpr auto table =
      std::tuple(field<&LaunchOccupancy::blocks>("resident at once", at_least(0)),
                 field<&LaunchOccupancy::warps>("resident at once", at_least(0)),
                 field<&LaunchOccupancy::limited_by>("warps, blocks, registers, shared memory or grid"),
                 field<&LaunchOccupancy::registers>("of a thread", at_least(0)),
                 field<&LaunchOccupancy::shared_bytes>("of a block, static and dynamic", at_least(0)),
                 field<&LaunchOccupancy::spill_bytes>("of a thread's registers, in local memory", at_least(0)));
};

template <>
struct Fields<LaunchParts> {
  static constexpr std::string_view about = "The overlapped model's parts: time = launch + start-up + waves · wave.";
  static constexpr auto table = std::tuple(
      field<&LaunchParts::launch_s>("until the first block runs", at_least(0)),
      field<&LaunchParts::transient_s>("start-up", at_least(0)),
      field<&LaunchParts::wave_s>("one wave of blocks", at_least(0)), field<&LaunchParts::waves>("", at_least(0)),
      field<&LaunchParts::cycles_per_block>("that a block keeps each resource busy, longest first", at_least(0)),
      field<&LaunchParts::resident_warps>("of a multiprocessor", at_least(0)),
      field<&LaunchParts::warps_to_hide>("that would hide the latency of all else", at_least(0)),
      field<&LaunchParts::schedule>("machine code or PTX: where the order of instructions is from"),
      field<&LaunchParts::memory_bytes>("moved through memory by the whole launch", at_least(0)).as_whole(),
      field<&LaunchParts::l2_bytes>("moved through the second-level cache", at_least(0)).as_whole(),
      field<&LaunchParts::l1_hit_share>("of the loads that hit the first level", at_least(0)),
      field<&LaunchParts::warp_instructions>("of the whole launch", at_least(0)),
      field<&LaunchParts::clock_hz>("that the forecast took", at_least(0)));
};

template <>
struct Fields<LaunchTime> {
  static constexpr std::string_view about = "One launch of one kernel.";
  static constexpr auto table = std::tuple(
      field<&LaunchTime::kernel>("its name in the binary"), field<&LaunchTime::device>("of the table").where_known(),
      field<&LaunchTime::nodes>("of the kernel graph", at_least(0)), field<&LaunchTime::arcs>("", at_least(0)),
      field<&LaunchTime::height>("nodes of its longest path", at_least(0)),
      field<&LaunchTime::instances>("of the graph: warps", at_least(0)),
      field<&LaunchTime::executors>("of them at once", at_least(0)),
      field<&LaunchTime::estimates>("by each model, the one to believe last"),
      field<&LaunchTime::occupancy>("of a multiprocessor").where_known(),
      field<&LaunchTime::overlap>("of the overlapped model").where_known(),
      field<&LaunchTime::advice>("one line: which model to believe, and what to change next").where_known(),
      field<&LaunchTime::notes>("what was assumed"));
};

template <>
struct Fields<RowEstimate> {
  static constexpr std::string_view about = "What a model says of a row.";
  static constexpr auto table =
      std::tuple(field<&RowEstimate::model>("naive, operations, serialized (the paper's), overlapped"),
                 field<&RowEstimate::seconds>("the whole launch", at_least(0)),
                 field<&RowEstimate::low_s>("least of the 90 % interval", at_least(0)).where_known(),
                 field<&RowEstimate::high_s>("most of the 90 % interval", at_least(0)).where_known(),
                 field<&RowEstimate::bound_by>("what binds").where_known());
};

template <>
struct Fields<RowForecast> {
  static constexpr std::string_view about = "A row of a tuning table.";
  static constexpr auto table =
      std::tuple(field<&RowForecast::row>("from 1", at_least(1)),
                 field<&RowForecast::estimates>("by each model, the one to believe last"),
                 field<&RowForecast::measured_s>("as the table has it", above(0)).where_known());
};

template <>
struct Fields<RowCase> {
  static constexpr std::string_view about = "A row by the model to believe, moved by the anchors.";
  static constexpr auto table = std::tuple(
      field<&RowCase::row>("from 1", at_least(1)),
      field<&RowCase::measured_s>("as the table has it", above(0)).where_known(),
      field<&RowCase::seconds>("forecast", above(0)), field<&RowCase::low_s>("least of its 90 % interval", at_least(0)),
      field<&RowCase::high_s>("most of its 90 % interval; 0: it has none", at_least(0)));
};

template <>
struct Fields<AnchorCount> {
  static constexpr std::string_view about = "What moved the forecasts.";
  static constexpr auto table =
      std::tuple(field<&AnchorCount::number>("measured configurations at a time", at_least(1)),
                 field<&AnchorCount::draws>("times that they were drawn; 0: they were given", at_least(0)));
};

template <>
struct Fields<ModelErrors> {
  static constexpr std::string_view about = "How good a model's forecasts are; |forecast − measured| / measured.";
  static constexpr auto table = std::tuple(
      field<&ModelErrors::model>(""), field<&ModelErrors::cases>("rows with measured times", at_least(0)),
      field<&ModelErrors::mean_error>(""), field<&ModelErrors::median_error>(""), field<&ModelErrors::p90_error>(""),
      field<&ModelErrors::max_error>(""), field<&ModelErrors::rank_correlation>("Spearman's"),
      field<&ModelErrors::top1_regret>("measured time of the best forecast over the fastest, minus 1"),
      field<&ModelErrors::top5_regret>("the same of the best of the first five"));
};

template <>
struct Fields<KernelTable> {
  static constexpr std::string_view about = "The configurations of a tuning table.";
  static constexpr auto table = std::tuple(
      field<&KernelTable::kernel>("as the table names it"), field<&KernelTable::device>("of the table of times"),
      field<&KernelTable::configurations>("in the order of the table"),
      field<&KernelTable::cases>("by the model to believe"), field<&KernelTable::anchors>("").where_known(),
      field<&KernelTable::summary>("of each model; empty without measured times"));
};

/// A number or a word of a tuning space.
using ParameterValue = std::variant<std::int64_t, double, std::string>;

/// A configuration among the fastest.
struct RankedKernel {
  std::vector<std::pair<std::string, ParameterValue>> configuration = {};
  std::vector<std::int64_t> grid = {}, block = {};
  double seconds = 0, low_s = 0, high_s = 0;
  std::string bound_by = {}, beats_next_by = {};
};
template <>
struct Fields<RankedKernel> {
  static constexpr std::string_view about = "A configuration among the fastest.";
  static constexpr auto table = std::tuple(
      field<&RankedKernel::configuration>("the value of every parameter"), field<&RankedKernel::grid>("blocks"),
      field<&RankedKernel::block>("threads"), field<&RankedKernel::seconds>("forecast", above(0)),
      field<&RankedKernel::low_s>("least of its 90 % interval", above(0)),
      field<&RankedKernel::high_s>("most of its 90 % interval", above(0)), field<&RankedKernel::bound_by>("what binds"),
      field<&RankedKernel::beats_next_by>("what it has less of than the next; absent of the last").where_known());
};

/// The fastest configurations of a tuning space.
struct KernelSpace {
  std::string kernel = {}, device = {};
  std::int64_t configurations = 0, bounded = 0, forecast = 0, refused = 0, resumed = 0;
  bool settled = false;
  double clock_hz = 0;
  std::vector<RankedKernel> ranking = {};

  // In no document:
  std::vector<std::string> varied = {};  ///< parameters with several values
  std::string first_refusal = {};
};
template <>
struct Fields<KernelSpace> {
  static constexpr std::string_view about = "The fastest configurations of a tuning space.";
  static constexpr auto table = std::tuple(
      field<&KernelSpace::kernel>("as the problem names it"), field<&KernelSpace::device>("of the table of times"),
      field<&KernelSpace::configurations>("that the restrictions allow", at_least(1)),
      field<&KernelSpace::bounded>("of them, that got a bound", at_least(0)),
      field<&KernelSpace::forecast>("in full, with what the journal held", at_least(0)),
      field<&KernelSpace::refused>("that could not be forecast", at_least(0)),
      field<&KernelSpace::resumed>("that the journal held", at_least(0)),
      field<&KernelSpace::settled>("no bound of what was not forecast lies below the last of the ranking"),
      field<&KernelSpace::clock_hz>("that the forecasts took"), field<&KernelSpace::ranking>("fastest first"));
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
