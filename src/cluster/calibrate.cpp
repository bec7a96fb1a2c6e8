#include "cluster/calibrate.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>
#include <sparsecast/version.hpp>
#include <tuple>

#include "base/clock.hpp"
#include "base/interrupt.hpp"
#include "base/median.hpp"
#include "base/temporary_folder.hpp"
#include "base/threads.hpp"
#include "cluster/cache_states.hpp"
#include "cluster/features/rank_timing.hpp"
#include "cluster/launch/measure.hpp"
#include "cluster/models/svr_model.hpp"
#include "cluster/node/node_time.hpp"
#include "cluster/node/own_node.hpp"
#include "cluster/scheme/iterates.hpp"
#include "cluster/simulate/simulate.hpp"
#include "cluster/training_matrices.hpp"
#include "fields/wording.hpp"
#include "hardware/device.hpp"

namespace sparsecast::cluster {
namespace {
// Seconds left from the share that is done: every step counts as much as it is weighed.
class Progress {
 public:
  Progress(const base::ProgressFunction& tell, double weight) : tell_(tell), total_(weight) {}
  void step(double weight, const std::string& what) {
    base::throw_if_interrupted();
    if (tell_) {
      const double spent = base::now_s() - start_;
      tell_({done_ / total_, done_ > 0 ? spent * (total_ - done_) / done_ : -1, what});
    }
    done_ += weight;
  }

 private:
  const base::ProgressFunction& tell_;
  double total_, done_ = 0;
  double start_ = base::now_s();
};

class Calibration {
 public:
  explicit Calibration(const CalibrateOptions& options)
      : options_(options), limit_s_(options.limit_s), simulated_(!options.launch.platform.empty()) {
    if (simulated_) {
      const Platform platform = read_platform(options.launch.platform);
      profile_.source = simulated_origin(platform.name);
      profile_.cores_per_node = platform.cores_per_host;
      profile_.launcher = "smpirun";
    } else {
      profile_.threads = options.launch.threads;
      profile_.cores_per_node = std::max(1, base::available_cores() / profile_.threads);
      profile_.launcher = options.launch.launcher;
    }
    if (options.cores_per_node > 0) profile_.cores_per_node = options.cores_per_node;
    if (options.begun) resume(*options.begun);
    if (!simulated_) own_node_.emplace(profile_.cores_per_node, profile_.threads);
    if (options.begun && own_node_)
      if (const double ratio = own_node_->ratio_to(*options.begun); ratio > 0 && !is_same_host(ratio))
        throw Error(ErrorCode::usage,
                    fmt::format("the profile was begun on another host, or this one has changed: by its own profile a "
                                "product takes {:.2g} times as long",
                                ratio),
                    {options.begun->name},
                    wording::format("write to another file, or omit {}", wording::option("resume", true)));
    if (own_node_ && own_node_->is_known()) limit_s_ = options.limit_beside_profile_s;
    if (simulated_ && options.launch.threads > 1)
      throw Error(
          ErrorCode::usage, "simulated ranks have one thread each", {},
          wording::format("give {} or {}, not both", wording::option("platform"), wording::option("rank_threads")));
    profile_.complete = false;
    profile_.name = options.name;
    profile_.software = fmt::format("sparsecast {}", version_text);
    // Simulated ranks have a core of their own; real ones share this machine's.
    profile_.caches = cache_share(hardware::open_device("host")->properties(), simulated_ ? 1 : base::available_cores(),
                                  profile_.threads);
    for (const int count : options.processes)
      if (count < 1) throw Error(ErrorCode::usage, fmt::format("the number of processes cannot be {}", count));
  }

  ClusterProfile run() {
    // The launcher is tried first: where it is missing, that is said before minutes are spent.
    Progress progress(options_.progress, total_weight());
    for (const int count : options_.processes) {
      progress.step(2, fmt::format("message patterns on {} processes", count));
      if (!has_messages(count) && !in_time([&] { messages(count); })) set_cut(count, true);
    }
    progress.step(4, "bandwidth and latency of a node");
    if (profile_.node.bandwidth.empty()) {
      profile_.node = known_node(simulated_ ? 1 : base::available_cores(), options_.quick ? 2 : 8);
      profile_.node.bandwidth = of_ranks(profile_.node.bandwidth, profile_.threads);
      if (simulated_) profile_.node = node_on(read_platform(options_.launch.platform), std::move(profile_.node));
    }
    kept();
    profile_.complete = training(progress) && profile_.cut_messages.empty();
    if (options_.full) {
      progress.step(1, "the regression's parameters");
      profile_.regressions = search_regressions(profile_);
    }
    kept();
    return profile_;
  }

 private:
  const CalibrateOptions& options_;
  double limit_s_;
  bool simulated_;
  double begin_s_ = base::now_s();
  ClusterProfile profile_;
  std::optional<OwnNode> own_node_;  ///< real processes only: simulated ones are timed here

  // False where the time was over before all was done.
  bool training(Progress& progress) {
    for (const MatrixSpec& spec : trained()) {
      std::optional<Matrix> matrix;
      for (const int count : outermost_first(options_.processes)) {
        if (remaining_s() <= 0) return false;
        progress.step(1, fmt::format("{} on {} processes", generated_name(spec), count));
        if (taken(spec, count)) continue;
        if (!matrix) matrix = generate(spec);
        if (!trained_in_time(*matrix, count, false)) return false;
      }
    }
    for (const int count : options_.processes)
      for (const MatrixSpec& spec : linear(count)) {
        if (remaining_s() <= 0) return false;
        progress.step(0.6, fmt::format("{} on {} processes", generated_name(spec), count));
        if (!taken(spec, count) && !trained_in_time(generate(spec), count, true)) return false;
      }
    return true;
  }

  bool trained_in_time(const Matrix& matrix, int count, bool random) {
    if (!in_time([&] { train(matrix, count, random); })) return false;
    kept();
    return true;
  }

  // False where the ranks were ended because the time was over.
  template <class Work>
  bool in_time(const Work& work) {
    try {
      work();
    } catch (const OutOfTime&) {
      return false;
    }
    return true;
  }

  // Of the time that --quick allows itself.
  [[nodiscard]] double remaining_s() const {
    return options_.quick && !simulated_ ? begin_s_ + limit_s_ - base::now_s() : INFINITY;
  }

  // Curves, messages and runs of a profile of this cluster stay; only what is missing will be measured.
  void resume(const ClusterProfile& begun) {
    if (begun.source != profile_.source || begun.cores_per_node != profile_.cores_per_node ||
        begun.threads != profile_.threads)
      throw Error(
          ErrorCode::usage,
          fmt::format("the profile that was begun is for another cluster: {}, {} processes per node, {} threads each",
                      begun.source, begun.cores_per_node, begun.threads),
          {begun.name}, wording::format("write to another file, or omit {}", wording::option("resume", true)));
    profile_ = begun;
  }

  [[nodiscard]] bool taken(const MatrixSpec& spec, int processes) const {
    return std::ranges::any_of(profile_.runs, [&](const TrainingRun& run) {
      return run.features.processes == processes && run.matrix == generated_name(spec);
    });
  }

  void kept() {
    profile_.taken = base::utc_now();
    if (options_.keep) options_.keep(profile_);
  }

  [[nodiscard]] std::vector<MatrixSpec> trained() const {
    if (options_.full) return ninety_matrices(simulated_);
    if (!options_.quick) return training_matrices(simulated_);
    std::vector<MatrixSpec> some = quick_matrices(simulated_);
    // The first is the largest. A call that goes on takes it last: an earlier one may have had no time for it, and one
    // that began with it again would get no further.
    if (options_.begun) std::rotate(some.begin(), some.begin() + 1, some.end());
    return some;
  }

  [[nodiscard]] std::vector<MatrixSpec> linear(int processes) const {
    const int side = grid_side(processes);
    if (side == 0) return {};
    std::vector<MatrixSpec> specs = linear_matrices(side, simulated_);
    if (options_.quick)
      std::erase_if(specs, [](const MatrixSpec& s) { return s.row_length != 1 && s.row_length != 16; });
    return specs;
  }

  [[nodiscard]] double total_weight() const {
    double weight = 5;
    for (const int count : options_.processes)
      weight += 2 + static_cast<double>(trained().size()) + 0.6 * static_cast<double>(linear(count).size());
    return weight;
  }

  [[nodiscard]] Launch launch(int processes) const {
    Launch l = options_.launch;
    l.processes = processes;
    // One simulated gathering of megabytes among hundreds of ranks takes a busy machine minutes, without a sign of
    // life.
    if (simulated_) l.patience_s = std::max(l.patience_s, 900.0);
    l.limit_s = std::max(0.1, remaining_s());
    return l;
  }

  // The launcher may put them elsewhere than profile_.nodes() has them: more than there are cores on the only node.
  void placed(int processes, int nodes) {
    if (simulated_) return;
    std::erase_if(profile_.placed, [&](const Placed& one) { return one.processes == processes; });
    if (nodes == profile_.nodes(processes)) return;
    profile_.placed.push_back({processes, nodes});
    std::ranges::sort(profile_.placed, {}, &Placed::processes);
  }

  // All of them: what a limit cut off is taken again.
  [[nodiscard]] bool has_messages(int processes) const {
    return std::ranges::find(profile_.cut_messages, processes) == profile_.cut_messages.end() &&
           std::ranges::find(profile_.messages, processes, &MessageTime::processes) != profile_.messages.end();
  }
  void set_cut(int processes, bool cut) {
    std::erase(profile_.cut_messages, processes);
    if (cut) profile_.cut_messages.push_back(processes);
    std::ranges::sort(profile_.cut_messages);
  }

  // Of two processes several times: their host moves them between cores with a cache in common and cores apart.
  void messages(int processes) {
    const int passes = processes == 2 && !simulated_ ? (options_.quick ? 3 : 8) : 1;
    std::vector<MessageTime> taken;
    bool whole = message_pass(processes, passes, taken);
    for (int pass = 1; pass < passes; ++pass)
      if (!in_time([&] { whole = message_pass(processes, passes, taken) && whole; })) {
        whole = false;
        break;
      }
    std::erase_if(profile_.messages, [&](const MessageTime& m) { return m.processes == processes; });
    set_cut(processes, !whole);
    std::ranges::move(once_in_each_state(taken), std::back_inserter(profile_.messages));
  }

  // The median of all passes; times of no known state say nothing where two states were met.
  static std::vector<MessageTime> once_in_each_state(const std::vector<MessageTime>& taken) {
    std::vector<double> handovers;
    for (const MessageTime& m : taken) handovers.push_back(m.handover_s);
    const CacheStates states(handovers);
    std::map<std::tuple<MessagePattern, int, double, std::size_t>, std::vector<MessageTime>> alike;
    for (const MessageTime& m : taken)
      if (!states.met() || m.handover_s > 0)
        alike[{m.pattern, m.neighbours, m.bytes, states.index_of(m.handover_s)}].push_back(m);
    std::vector<MessageTime> out;
    for (auto& [key, times] : alike) {
      std::vector<double> seconds, handover;
      for (const MessageTime& m : times) {
        seconds.push_back(m.seconds);
        handover.push_back(m.handover_s);
      }
      out.push_back(times.front());
      out.back().seconds = base::median(seconds);
      out.back().handover_s = base::median(handover);
    }
    return out;
  }

  // False where the limit of the pass left messages out.
  bool message_pass(int processes, int passes, std::vector<MessageTime>& taken) {
    const base::TemporaryFolder folder(job_place(options_.scratch));
    Job job;
    job.task = Task::benchmark;
    job.budget_s = options_.quick ? 0.005 : 0.02;
    // The messages may take half the time.
    if (options_.quick && !simulated_)
      job.limit_s = 0.5 * limit_s_ / static_cast<double>(options_.processes.size()) / passes;
    const auto outcome = nlohmann::json::parse(run_ranks(launch(processes), job, folder.path()));
    placed(processes, outcome.at("nodes"));
    for (const auto& m : outcome.at("benchmarks")) {
      const auto time_of = [&](double seconds, double handover_s) {
        return MessageTime{message_pattern(m.at("pattern").get<std::string>()),
                           m.at("processes"),
                           profile_.nodes(processes),
                           m.at("bytes"),
                           m.at("neighbours"),
                           std::max(1e-9, seconds),
                           handover_s};
      };
      const std::vector<StateTime> states = states_of(m);
      for (const StateTime& state : states) taken.push_back(time_of(state.seconds, state.handover_s));
      if (states.empty()) taken.push_back(time_of(m.at("seconds"), 0));
    }
    return !outcome.at("cut").get<bool>();
  }

  void train(const Matrix& matrix, int processes, bool random) {
    MeasureOptions measure;
    measure.launch = launch(processes);
    measure.scratch = options_.scratch;
    measure.iterations = simulated_ ? 2 : batch_of(matrix, processes);
    measure.seed = options_.seed;
    measure.budget_s = options_.quick ? 0.03 : 0.1;
    measure.check = false;
    for (const Scheme scheme : all_schemes()) {
      if (!admissible(scheme, processes) || (random && scheme != Scheme::two_d_uniform)) continue;
      if (scheme != Scheme::two_d_uniform && processes > 1 && !has_partitioner()) continue;
      for (const LocalFormat format : all_formats()) measure.cases.push_back({scheme, format});
    }
    if (measure.cases.empty()) return;
    std::vector<ClusterMeasurement> cases;
    std::vector<SchemeFeatures> features;
    if (simulated_) {
      SimulateOptions how;
      how.kept_blocks = 8;                     // hundreds of ranks have blocks that are much alike
      if (random) how.most_timed_blocks = 16;  // one block of a random matrix is like another
      how.caches = profile_.caches;
      how.node = profile_.node;
      Simulation simulation = simulate_matrix(matrix, measure, how);
      cases = std::move(simulation.cases);
      features = std::move(simulation.features);
      for (TimedBlock& block : simulation.blocks) block.matrix = matrix.name();
      std::ranges::move(simulation.blocks, std::back_inserter(profile_.blocks));
    } else {
      cases = measure_matrix(matrix, measure).cases;
      placed(processes, cases.front().nodes);
      const bool rows_too =
          std::ranges::any_of(measure.cases, [](const Case& c) { return c.scheme != Scheme::two_d_uniform; });
      const Placement placement = place(matrix, processes, options_.seed, rows_too);
      std::vector<WaitingBlock> blocks;
      for (const Scheme scheme : all_schemes())
        if (admissible(scheme, processes) && (scheme == Scheme::two_d_uniform || rows_too)) {
          features.push_back(scheme_features(matrix, scheme, placement, profile_.caches, profile_.cores_per_node));
          if (!random) own_node_->tell(features.back(), matrix, placement);
          // Alone, a rank of l1dr has the block of g1dr. A node that is known forecasts them all.
          if (options_.quick && own_node_->is_known()) continue;
          if (processes > 1 || scheme != Scheme::local_rows) add_blocks(matrix, scheme, placement, blocks);
        }
      time_blocks(std::move(blocks), matrix.name());
    }
    for (const ClusterMeasurement& m : cases) {
      const auto of_way = std::ranges::find(features, m.what.scheme, &SchemeFeatures::scheme);
      TrainingRun run{matrix.name(),
                      random,
                      m.what.format,
                      profile_.nodes(processes),
                      m.seconds,
                      m.core_s,
                      of_way->thinned(most_kept_ranks)};
      if (m.states.empty()) profile_.runs.push_back(run);
      for (const StateTime& state : m.states) {
        run.seconds = state.seconds;
        run.features.handover_s = state.handover_s;
        profile_.runs.push_back(run);
      }
    }
  }

  // Iterations of a timed batch: long against the clock and the barrier, short against a scheduler's time slice, so
  // that on a machine with other work some batches are undisturbed.
  static int batch_of(const Matrix& matrix, int processes) {
    constexpr double batch_s = 5e-4, entry_s = 1e-9;
    const double once = entry_s * static_cast<double>(matrix.nonzeros()) / processes;
    return std::clamp(static_cast<int>(batch_s / std::max(once, 1e-9)), 2, 10);
  }

  struct WaitingBlock {
    CsrBlock csr;
    bool add = false;
  };

  static void add_blocks(const Matrix& matrix, Scheme scheme, const Placement& placement,
                         std::vector<WaitingBlock>& blocks) {
    for_each_part(matrix, scheme, placement, [&](const RankPart& part) {
      if (part.rank > 1) return;
      for (const bool remote : {false, true})
        if (const CsrBlock& csr = remote ? part.remote : part.own; csr.nonzeros() > 0) blocks.push_back({csr, remote});
    });
  }

  // What one rank's product takes while nothing else runs: the base on which the runs show what sharing a node costs.
  // In passes of which the least counts: what disturbs one is over in the next, and a branch predictor knows a block
  // that it has seen before.
  void time_blocks(std::vector<WaitingBlock> blocks, const std::string& name) {
    constexpr int passes = 3;
    for (const LocalFormat format : all_formats()) {
      std::vector<double> least(blocks.size(), 0.0);
      for (int pass = 0; pass < passes; ++pass)
        for (std::size_t k = 0; k < blocks.size(); ++k) {
          base::throw_if_interrupted();
          const CsrBlock& csr = blocks[k].csr;
          Array<double> y(static_cast<std::size_t>(csr.rows), 0.0);
          const double seconds =
              product_seconds(LocalBlock(csr, format, profile_.threads), start_vector(csr.columns), y, blocks[k].add);
          if (seconds > 0 && (least[k] == 0 || seconds < least[k])) least[k] = seconds;
        }
      for (std::size_t k = 0; k < blocks.size(); ++k)
        if (least[k] > 0)
          profile_.blocks.push_back({format, block_features(blocks[k].csr, profile_.caches), least[k], name});
    }
  }
};
}  // namespace

ClusterProfile calibrate_cluster(const CalibrateOptions& options) { return Calibration(options).run(); }
}  // namespace sparsecast::cluster
