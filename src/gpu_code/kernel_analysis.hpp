#pragma once
// Time of one kernel launch by all models: from its code (PTX, source through a compiler) and a device's table, or from
// a graph file. This is what the command and other rooms call.

#include "base/progress.hpp"
#include "gpu_code/graph/kernel_graph.hpp"
#include "gpu_code/overlap/overlap_model.hpp"

namespace sparsecast::gpu_code {
/// The answer, and what it was made from.
struct KernelReport : LaunchTime {
  std::optional<Occupancy> fits;
  KernelResources resources;
  KernelGraph graph;
  std::vector<std::int32_t> path;  ///< critical, of the operations model
};

/// "naive", "operations", "serialized", "overlapped".
[[nodiscard]] const std::vector<std::string>& kernel_models();

struct AnalysisOptions {
  std::vector<std::string> models;  ///< empty: all
  bool symbolic = false;
  bool matrix_form = false;      ///< evaluate the paper's models by GraphBLAS
  bool advice = false;           ///< says what to change next, which takes further forecasts
  Voice voice = Voice::library;  ///< of its notes
};

/// A graph file's graph. Error bad_input naming undefined times unless symbolic.
[[nodiscard]] KernelReport analyze_graph(KernelGraph graph, const std::string& file, const AnalysisOptions& options);

/// Code that has been read: from .ptx, or compiled from .cu and .cl for an architecture.
struct KernelCode {
  std::string ptx, file;                     ///< PTX text, and the name used in messages
  std::string assembly;                      ///< AMD devices: what their back end makes of the same source
  std::string source;                        ///< what was compiled; empty where that was PTX
  std::vector<std::string> parameter_names;  ///< of the kernel, from the source
  std::string kernel;
  std::vector<std::string> notes;  ///< what was assumed of the source
};
/// For a device: of an AMD one with its assembly.
[[nodiscard]] KernelCode load_code(const std::filesystem::path& file, const std::string& kernel,
                                   const std::vector<std::string>& defines, const KernelTimes& times, bool line_info);

[[nodiscard]] KernelReport analyze_code(const KernelCode& code, Launch launch, const KernelTimes& times,
                                        const AnalysisOptions& options);

// From a trace to a kernel graph: one node per data state, one arc per operation or access, barriers in series, and
// iterations that the trace leaves out as one composite node (Antonyuk & Mikheev 2022, sections 10 and 11).

struct CodeGraph {
  KernelGraph graph;                                     ///< one instance is one warp
  std::int64_t loads = 0, stores = 0;                    ///< global accesses of one instance
  std::int64_t loads_in_graph = 0, stores_in_graph = 0;  ///< the others are in composite nodes
};

/// The graph of the trace's first warp. Times are named by class (t, T, tau.fma, …) and take their values from the
/// table.
[[nodiscard]] CodeGraph code_graph(const PtxCode& code, const BlockTrace& trace, const KernelTimes& times);

// A tuning space: one kernel in many configurations, each a set of #defines and a launch. Forecasts every row, ranks
// them, and where the table has measured times says how good the forecasts were.

struct TuningRow {
  std::int64_t line = 0;  ///< in the table's file
  std::string kernel;
  Dim3 grid{1, 1, 1}, block{1, 1, 1};
  std::vector<std::string> defines;
  std::map<std::string, std::string> arguments;
  std::map<std::string, std::vector<std::uint8_t>> buffers;
  std::optional<double> seconds;
};

/// Tab-separated with a head: kernel, grid, block (X x Y x Z), defines and args (NAME=VALUE, by spaces), buffers
/// (NAME=FILE, relative to the table), seconds. Columns other than grid and block may be missing. Error bad_input with
/// line; for a define that source_parameters.hpp refuses with line and column.
[[nodiscard]] std::vector<TuningRow> read_tuning_table(const std::filesystem::path& file);
/// The same of a text; buffers lie beside `file`.
[[nodiscard]] std::vector<TuningRow> parse_tuning_table(const std::string& text, const std::filesystem::path& file);

/// One row: compiled and forecast. `shared` gives arguments and buffers that the row does not; `scalars` are passed
/// over where the kernel has no parameter of that name.
[[nodiscard]] KernelReport forecast_row(const std::filesystem::path& file, const TuningRow& row,
                                        const KernelTimes& times, const AnalysisOptions& options,
                                        const Launch* shared = nullptr,
                                        const std::vector<std::pair<std::string, std::string>>& scalars = {});

/// The report with its overlapped forecasts moved by anchors: those given (which are left out of the summary), or
/// `drawn` configurations at a time out of those with measurements, twenty times; the summary is the draws' mean, a
/// case is from the first draw that left it out. Error usage where an anchor names no row, or too few are left.
[[nodiscard]] KernelTable anchored_report(const KernelTable& report, const std::vector<TuningRow>& rows,
                                          const KernelTimes& times, const std::vector<KernelAnchor>& anchors,
                                          int drawn);

/// `file` is the source (or one PTX for all rows). Compiles `jobs` rows at a time. `shared` as for forecast_row().
[[nodiscard]] KernelTable forecast_tuning_space(const std::filesystem::path& file, const std::vector<TuningRow>& rows,
                                                const KernelTimes& times, const AnalysisOptions& options, int jobs,
                                                const base::ProgressFunction& progress, const Launch* shared = nullptr);

/// Spearman's rank correlation; equal values share their mean rank.
[[nodiscard]] double rank_correlation(const std::vector<double>& a, const std::vector<double>& b);
[[nodiscard]] ModelErrors summarize(const std::string& model, const std::vector<double>& forecast,
                                    const std::vector<double>& measured);

/// "X", "XxY" or "XxYxZ" (also with commas). Error usage.
[[nodiscard]] Dim3 parse_dimensions(const std::string& text, const std::string& option);
/// NAME=VALUE. Error usage.
[[nodiscard]] std::pair<std::string, std::string> parse_assignment(const std::string& text, const std::string& option);
[[nodiscard]] std::vector<std::uint8_t> read_buffer(const std::filesystem::path& file);
}  // namespace sparsecast::gpu_code
