#include "gpu_code/kernel_analysis.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <sparsecast/error.hpp>

#include "base/embedded.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "fields/wording.hpp"
#include "gpu_code/amd/amd_model.hpp"
#include "gpu_code/compile/assembler.hpp"
#include "gpu_code/compile/compiler.hpp"
#include "gpu_code/compile/opencl_vectors.hpp"
#include "gpu_code/compile/source_parameters.hpp"
#include "gpu_code/graph/code_graph.hpp"
#include "gpu_code/graph/critical_path.hpp"
#include "gpu_code/graph/longest_path.hpp"
#include "gpu_code/graph/paper_models.hpp"
#include "gpu_code/graph_report.hpp"
#include "gpu_code/launch_options.hpp"
#include "gpu_code/overlap/changed_traces.hpp"
#include "gpu_code/overlap/overlap_model.hpp"
#include "gpu_code/overlap/unlike_blocks.hpp"
#include "gpu_code/ptx/ptx_parser.hpp"
#include "gpu_code/ptx/uncounted.hpp"
#include "gpu_code/times/time_belief.hpp"
#include "gpu_code/trace/warp_run.hpp"

namespace sparsecast::gpu_code {
namespace {
/// Of two blocks the first: the last one in a direction is often filled in part only.
Dim3 middle_block(const Launch& launch) {
  return {(launch.grid[0] - 1) / 2, (launch.grid[1] - 1) / 2, (launch.grid[2] - 1) / 2};
}

/// A line of PTX that a compiler made is no line of the user's file: it is named as what it is.
PtxModule parse_code(const KernelCode& code) {
  if (std::filesystem::path(code.file).extension() == ".ptx") return parse_ptx(code.ptx, code.file);
  try {
    return parse_ptx(code.ptx, code.file);
  } catch (const Error& error) {
    throw Error(error.code(),
                wording::format("line {} of the PTX compiled from it: {}", error.place().line, error.reason_text()),
                {code.file}, error.remedy_text());
  }
}

/// One launch of one kernel on one device, while its report is made.
class CodeAnalysis {
 public:
  CodeAnalysis(const KernelCode& source, const PtxCode& ptx, const Launch& launch, const KernelTimes& times,
               const AnalysisOptions& options)
      : source_(source), ptx_(ptx), launch_(launch), times_(times), options_(options), base_(middle_block(launch)) {
    report_.kernel = ptx.kernel().name;
    report_.device = times.name;
    report_.notes = source.notes;
    add_launch_notes(report_.notes, launch, ptx.kernel());
    if (!times.borrowed_from.empty())
      report_.notes.push_back(
          fmt::format("the instruction times are those of {}, so the interval is wider", times.borrowed_from));
  }

  KernelReport run() {
    find_resources();
    find_occupancy();
    if (wanted(options_, "naive") || wanted(options_, "operations") || wanted(options_, "serialized"))
      try_paper_models();
    if (wanted(options_, "overlapped")) add_overlapped();
    add_doubts(report_.notes, doubts_, shared_bytes_of(launch_, ptx_.kernel(), report_.resources), options_.voice);
    return std::move(report_);
  }

 private:
  [[nodiscard]] BlockTrace trace_block(const Code& code, const Launch& launch, std::int64_t window) const {
    TraceOptions options;
    options.window = window;
    return run_block(code, launch, base_, options);
  }
  [[nodiscard]] BlockTrace trace_block(const Code& code, std::int64_t window) const {
    return trace_block(code, launch_, window);
  }

  /// The launch in every way in which branches on unknown data may be decided, where lanes do not diverge: whichever
  /// takes longest is the one that is asked for. Sides that are longer only together are found by trying all; beyond
  /// `most` ways a branch takes the side with more instructions.
  [[nodiscard]] std::vector<Launch> ways_through(const Code& code, std::int64_t window) {
    if (launch_.lanes_diverge) return {launch_};
    constexpr std::size_t most = 64;
    std::vector<Launch> open{launch_}, ways;
    bool by_work = false;
    while (!open.empty()) {
      Launch launch = std::move(open.back());
      open.pop_back();
      const BlockTrace trace = trace_block(code, launch, window);
      if (trace.undecided.empty()) {
        ways.push_back(std::move(launch));
        continue;
      }
      Launch taken = launch;
      taken.sides[trace.undecided.front()] = true;
      launch.sides[trace.undecided.front()] = false;
      if (ways.size() + open.size() + 2 <= most) {
        open.push_back(std::move(launch));
        open.push_back(std::move(taken));
        continue;
      }
      by_work = true;
      const bool longer = trace_block(code, taken, window).work() > trace.work();
      open.push_back(longer ? std::move(taken) : std::move(launch));
    }
    if (by_work)
      report_.notes.push_back(
          fmt::format("branches on unknown data have more than {} paths: beyond those, the side with more instructions "
                      "was taken as the longer one",
                      most));
    return ways;
  }
  [[nodiscard]] std::int64_t instances() const { return launch_.blocks() * launch_.warps_per_block(); }
  /// Warps that the device runs at once.
  [[nodiscard]] std::int64_t executors() const {
    return std::min<std::int64_t>(instances(), static_cast<std::int64_t>(times_.multiprocessors) *
                                                   report_.fits->blocks * launch_.warps_per_block());
  }

  /// They follow the PTX. Where that cannot be followed (it calls a function), the machine code may be: then what it
  /// gives is the forecast, and where it cannot either, the same error comes again.
  void try_paper_models() {
    try {
      add_paper_models();
    } catch (const Error& error) {
      // Who asks for expressions asks for these models.
      const bool asked = !options_.models.empty() || options_.symbolic;
      if (error.code() == ErrorCode::interrupted || !wanted(options_, "overlapped") || asked) throw;
      report_.notes.push_back("the paper's models are omitted: " + error.reason_text().in(options_.voice));
    }
  }

  /// Of an AMD device: registers and memory as its own back end hands them out.
  void find_amd_resources() {
    amd_ = {read_amd_assembly(source_.assembly, ptx_.kernel().name, source_.file), SourceStatements(source_.source)};
    report_.resources.registers = std::max(amd_.kernel.vector_registers, 1);
    report_.resources.shared_bytes = amd_.kernel.lds_bytes + launch_.dynamic_shared_bytes;
    report_.resources.spill_bytes = amd_.kernel.scratch_bytes;
    report_.resources.from_compiler = true;
    report_.notes.emplace_back("unverified: the model of AMD's devices has been compared with one measured table only");
  }

  bool assemble_for(int most_registers) {
    assembled_ = assemble(source_.ptx, times_.architecture, most_registers);
    return assembled_.available && parse_ptxas_log(assembled_.log, ptx_.kernel().name, report_.resources);
  }

  /// Registers and shared memory, from the compiler where it is here.
  void find_resources() {
    if (!times_.processor.empty()) return find_amd_resources();
    report_.resources.shared_bytes = ptx_.kernel().shared_bytes;
    bool measured = assemble_for(0);
    // A block that would not fit is compiled for fewer registers, as launch bounds make drivers and OpenCL compilers
    // do.
    const auto per_thread =
        static_cast<int>(times_.registers / ((launch_.threads_per_block() + 127) / 128 * 128) / 8 * 8);
    if (measured && report_.resources.registers > per_thread) {
      measured = assemble_for(per_thread);
      report_.notes.push_back(fmt::format("compiled for {} registers a thread, so that a block of {} threads fits",
                                          per_thread, launch_.threads_per_block()));
    }
    if (!measured) {
      // Without ptxas: registers from the PTX's declared ones are far too many; live ones at once are what counts, and
      // a compiler keeps them near 32 where it can.
      report_.resources.registers =
          std::clamp(std::min(static_cast<int>(ptx_.kernel().registers.size() / 4), per_thread), 16, 128);
      report_.notes.emplace_back(
          "ptxas is not found (or refuses this PTX): the registers are estimated and the schedule is that of the PTX");
    }
    report_.resources.shared_bytes += launch_.dynamic_shared_bytes;
  }

  void find_occupancy() {
    report_.fits = occupancy(times_, report_.resources, launch_.threads_per_block());
    report_.fits->blocks = static_cast<int>(std::min<std::int64_t>(
        report_.fits->blocks, (launch_.blocks() + times_.multiprocessors - 1) / times_.multiprocessors));
  }

  /// Times between two accesses in the queues of loads and of stores: the bytes of one, over the bandwidth.
  struct QueueTimes {
    double load = 0, store = 0;
  };
  [[nodiscard]] QueueTimes put_queue_times(KernelGraph& graph, const BlockTrace& trace) const {
    double sectors = 0, accesses = 0, stored = 0, stores = 0;
    for (std::size_t i = 0; i < trace.executed.size(); ++i) {
      const auto op = ptx_.kernel().body[i].op;
      if (trace.sectors[i] == 0) continue;
      const bool store = op == PtxOp::st || op == PtxOp::red;
      (store ? stored : sectors) += static_cast<double>(trace.sectors[i]);
      (store ? stores : accesses) += static_cast<double>(trace.executed[i]);
    }
    const double bandwidth = times_.memory_bandwidth * times_.memory_efficiency;
    const auto put = [&](const char* name, double total, double number) {
      auto& time = graph.names[static_cast<std::size_t>(graph.name_index(name))];
      time.seconds = number > 0 ? total / number * 32 / bandwidth : 0;
      time.defined = true;
      return time.seconds;
    };
    return {put("dt", sectors, accesses), put("dT", stored, stores)};
  }

  /// The paper's models, on the graph of the PTX's trace; of several ways through it each takes its longest, and the
  /// report has the graph that is longest by operations.
  void add_paper_models() {
    constexpr std::int64_t window = 3000;
    PaperEstimates longest;
    for (const Launch& launch : ways_through(ptx_, window)) {
      PaperEstimates way = paper_estimates(trace_block(ptx_, launch, window));
      if (way.estimates.empty()) return;
      if (longest.estimates.empty()) {
        longest = std::move(way);
        continue;
      }
      if (way.operations_s > longest.operations_s) {
        std::swap(longest.graph, way.graph);
        std::swap(longest.path, way.path);
        longest.operations_s = way.operations_s;
      }
      for (std::size_t i = 0; i < way.estimates.size(); ++i)
        if (way.estimates[i].seconds > longest.estimates[i].seconds) longest.estimates[i] = std::move(way.estimates[i]);
    }
    describe_graph(report_, longest.graph, height(longest.graph, true));
    std::ranges::move(longest.estimates, std::back_inserter(report_.estimates));
    report_.path = std::move(longest.path);
    report_.graph = std::move(longest.graph);
  }

  /// Of one way through the code.
  struct PaperEstimates {
    std::vector<LaunchEstimate> estimates;
    KernelGraph graph;
    std::vector<std::int32_t> path;  ///< critical
    double operations_s = 0;
  };

  [[nodiscard]] PaperEstimates paper_estimates(const BlockTrace& trace) {
    auto from_code = code_graph(ptx_, trace, times_);
    auto& graph = from_code.graph;
    graph.instances = instances();
    graph.executors = executors();
    const auto queues = put_queue_times(graph, trace);
    PaperEstimates way;
    doubts_.join({trace.assumed, trace.side_lost, trace.shared_end});
    for (const auto model : paper_models) {
      if (!wanted(options_, to_string(model))) continue;
      const auto result = estimate(graph, model, options_.matrix_form);
      LaunchEstimate e;
      e.model = to_string(model);
      double seconds = result.seconds;
      if (model == PaperModel::serialized)  // accesses inside composite nodes queue, too
        seconds += static_cast<double>(graph.waves() * graph.executors) *
                   (static_cast<double>(from_code.loads - from_code.loads_in_graph) * queues.load +
                    static_cast<double>(from_code.stores - from_code.stores_in_graph) * queues.store);
      e.seconds = seconds;
      e.cycles = seconds * times_.clock_hz;
      e.bound_by = model == PaperModel::serialized ? "critical path with queues" : "critical path";
      if (options_.symbolic) e.expression = expression(graph, model);
      if (options_.powers) add_power(e, graph, model, source_.file);
      if (model == PaperModel::operations || way.path.empty()) {
        way.path = result.path;
        way.operations_s = seconds;
      }
      way.estimates.push_back(std::move(e));
    }
    way.graph = std::move(graph);
    return way;
  }

  /// The longest of all ways through the code.
  [[nodiscard]] Overlap overlapped_by(const Code& code, const TimedCode& timed) {
    std::optional<Overlap> longest;
    for (const Launch& launch : ways_through(code, overlap_window)) {
      Overlap way = overlapped_by(code, timed, launch);
      if (!longest || way.estimate.seconds > longest->estimate.seconds) longest = std::move(way);
    }
    return std::move(*longest);
  }

  [[nodiscard]] Overlap overlapped_by(const Code& code, const TimedCode& timed, const Launch& launch) {
    const BlockTrace trace = trace_block(code, launch, overlap_window);
    doubts_.join({trace.assumed, trace.side_lost, trace.shared_end});
    const auto footprint = launch_footprint(code, launch, base_, trace, times_, report_.fits->blocks);
    const double work = mean_work(code, launch, base_, trace);
    std::optional<BlockTrace> longest;
    if (launch.longest_block) {
      TraceOptions options;
      options.window = overlap_window;
      longest = run_block(code, launch, launch.block_at(*launch.longest_block), options);
    }
    const auto forecast = [&](const BlockTrace& steps, const Occupancy& fits) {
      return overlapped(timed, {launch, base_, steps, footprint, work, longest ? &*longest : nullptr}, times_, fits);
    };
    auto result = forecast(trace, *report_.fits);
    if (options_.advice) report_.advice = advice(trace, result, forecast);
    if (launch.longest_block) return result;
    const auto by = [&](const Dim3& block) {
      const auto other = run_block(code, launch, block, {.window = overlap_window});
      const auto moved = launch_footprint(code, launch, block, other, times_, report_.fits->blocks);
      return overlapped(timed, {launch, block, other, moved}, times_, *report_.fits);
    };
    const auto alone = [&](const Dim3& block) {
      return alone_seconds(timed, run_block(code, launch, block, {.window = overlap_window}), times_, *report_.fits);
    };
    return by_all_blocks(code, launch, trace, work, std::move(result), {by, alone});
  }

  /// What the block in the middle says, or where others differ from it, what they say together.
  [[nodiscard]] Overlap by_all_blocks(const Code& code, const Launch& launch, const BlockTrace& trace, double work,
                                      Overlap middle, const BlockForecasts& forecasts) const {
    const auto followed = follow_blocks(code, launch, base_, trace, work);
    return followed.alike ? std::move(middle) : mixed(followed, middle, forecasts, launch);
  }

  [[nodiscard]] static double seconds_of(const Overlap& one) { return one.estimate.seconds.value(); }

  /// One line: which model to believe, what binds, and the change that is forecast to gain the most.
  template <class Forecast>
  [[nodiscard]] std::string advice(const BlockTrace& run, const Overlap& now, const Forecast& forecast) const {
    struct Change {
      const char* what;
      double seconds;
    };
    const auto& fits = *report_.fits;
    std::vector<Change> changes{
        {"remove the bank conflicts in shared memory", seconds_of(forecast(without_bank_conflicts(run), fits))},
        {"let neighbouring threads access neighbouring addresses", seconds_of(forecast(coalesced(run), fits))}};
    if (report_.resources.spill_bytes > 0)
      changes.push_back({"avoid spilling registers", seconds_of(forecast(without_local_memory(run), fits))});
    if (fits.limited_by == "registers" || fits.limited_by == "shared memory") {
      auto more = fits;
      const auto warps = static_cast<int>((launch_.threads_per_block() + 31) / 32);
      more.blocks = std::min(2 * fits.blocks, std::min(times_.max_blocks, times_.max_warps / warps));
      if (more.blocks > fits.blocks)
        changes.push_back({fits.limited_by == "registers" ? "halve the registers, for twice the blocks at once"
                                                          : "halve the shared memory, for twice the blocks at once",
                           seconds_of(forecast(run, more))});
    }
    const auto best = std::ranges::min_element(changes, {}, &Change::seconds);
    const double gain = 1 - best->seconds / seconds_of(now);
    constexpr double worth_saying = 0.03;
    return fmt::format(
        "rely on overlapped: bound by the {}; {}", now.estimate.bound_by,
        gain < worth_saying
            ? std::string("no conflict, stride, spill or occupancy limit costs 3 %: only less work makes it faster")
            : fmt::format("{} next, forecast to save {}", best->what, base::format_percent(gain)));
  }

  /// From the machine code; Error where it cannot be followed, or hides addresses which the PTX gives.
  [[nodiscard]] Overlap overlapped_by_machine_code() {
    const auto cubin = read_cubin(assembled_.cubin, ptx_.kernel().name, source_.file);
    const SassCode sass(cubin, ptx_, launch_, assembled_.architecture);
    const auto timed = timed_sass(sass, times_);
    const auto trace = trace_block(sass, overlap_window);
    if (trace.unknown_addresses != 0 &&
        trace_block(ptx_, overlap_window).unknown_addresses < trace.unknown_addresses / 2)
      throw Error(ErrorCode::failed, "it computes addresses by operations that are not modelled");
    return overlapped_by(sass, timed);
  }

  [[nodiscard]] Overlap amd_overlapped() {
    const auto of = [&](const Launch& launch, const Dim3& block, const BlockTrace& trace, double work) {
      const auto footprint = launch_footprint(ptx_, launch, block, trace, times_, report_.fits->blocks);
      return amd_time(amd_, ptx_, {launch, block, trace, footprint, work}, times_, *report_.fits);
    };
    const auto trace = trace_block(ptx_, overlap_window);
    doubts_.join({trace.assumed, trace.side_lost, trace.shared_end});
    const double work = mean_work(ptx_, launch_, base_, trace);
    const auto other = [&](const Dim3& block) { return run_block(ptx_, launch_, block, {.window = overlap_window}); };
    const auto by = [&](const Dim3& block) { return of(launch_, block, other(block), 1); };
    const auto alone = [&](const Dim3& block) {
      return amd_alone_s(amd_, ptx_, launch_, block, other(block), times_, *report_.fits);
    };
    return by_all_blocks(ptx_, launch_, trace, work, of(launch_, base_, trace, work), {by, alone});
  }

  void add_overlapped() {
    std::optional<Overlap> result;
    const auto of_paper_models = doubts_;
    if (times_.processor.empty() && assembled_.available && report_.resources.from_compiler && launch_.trips.empty()) {
      try {
        result = overlapped_by_machine_code();
      } catch (const Error& error) {
        if (error.code() == ErrorCode::interrupted) throw;
        doubts_ = of_paper_models;
        report_.notes.push_back(fmt::format("the machine code could not be followed ({}); the PTX was used instead",
                                            error.reason_text().in(options_.voice)));
      }
    }
    if (!times_.processor.empty()) result = amd_overlapped();
    if (!result) result = overlapped_by(ptx_, timed_ptx(ptx_, times_));
    report_.instances = instances();
    report_.executors = executors();
    const auto within = TimeBelief(times_).interval(seconds_of(*result), bound_by_memory(result->estimate.bound_by));
    result->estimate.low_s = within.low_s * result->low;
    result->estimate.high_s = within.high_s * result->high;
    std::ranges::copy(result->notes, std::back_inserter(report_.notes));
    if (const auto note = uncounted_note(ptx_.module(), ptx_.kernel())) {
      *result->estimate.high_s *= uncounted_factor;
      report_.notes.push_back(*note);
    }
    if (const auto note = large_angles_note(ptx_.kernel())) report_.notes.push_back(*note);
    report_.estimates.push_back(result->estimate);
    report_.overlap = result->details;
  }

  static constexpr std::int64_t overlap_window = 1200;
  const KernelCode& source_;
  const PtxCode& ptx_;
  const Launch& launch_;
  const KernelTimes& times_;
  const AnalysisOptions& options_;
  const Dim3 base_;  ///< the block that stands for all
  Assembled assembled_;
  AmdCode amd_;         ///< AMD devices
  TraceDoubts doubts_;  ///< of all that was followed for the report
  KernelReport report_;
};
}  // namespace

const std::vector<std::string>& kernel_models() {
  static const std::vector<std::string> names = {"naive", "operations", "serialized", "overlapped"};
  return names;
}

KernelReport analyze_code(const KernelCode& code, Launch launch, const KernelTimes& times,
                          const AnalysisOptions& options) {
  const auto module = parse_code(code);
  const auto& kernel = find_kernel(module, code.kernel);
  launch.parameter_names = code.parameter_names;
  if (launch.parameter_names.empty()) launch.parameter_names = parameter_names(code.source, source_name(kernel.name));
  if (launch.parameter_names.size() != kernel.parameters.size()) launch.parameter_names.clear();
  check_launch(launch, kernel, times);
  const PtxCode ptx(module, kernel, launch);
  check_trips(launch, ptx);
  return CodeAnalysis(code, ptx, launch, times, options).run();
}
}  // namespace sparsecast::gpu_code
