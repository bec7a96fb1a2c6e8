// One iteration is a sum of non-negative costs: the slowest rank's local products (of the host's profile or,
// without one and in simulations, of timed blocks: CoreModel), a constant and the messages. For 2du and g1dr the
// messages are the measured curve of just that pattern at just that size (and what is waited for where shares differ);
// for l1dr they are what loads the network most: messages per rank, bytes per rank near and far, bytes into a node,
// less what the own product hides. The coefficients start from what the micro-benchmarks say and are drawn to the
// training runs at the process count that is nearest; so sharing a node's memory, or its cores among more ranks than
// cores, is in them.

#include "cluster/models/sparsecast_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <sparsecast_constants.hpp>
#include <tuple>
#include <utility>

#include "base/median.hpp"
#include "cluster/models/core_model.hpp"
#include "cluster/models/message_curves.hpp"
#include "cluster/models/node_blend.hpp"
#include "cluster/models/nonnegative_fit.hpp"

namespace sparsecast::cluster {
namespace {
class SparsecastModel final : public ClusterModel {
 public:
  explicit SparsecastModel(const ClusterProfile& profile) : SparsecastModel(profile, CoreModel(profile), nullptr) {
    leave_out(profile);
  }

  [[nodiscard]] std::string name() const override { return "sparsecast"; }

  [[nodiscard]] std::optional<ClusterForecast> forecast(const SchemeFeatures& features,
                                                        LocalFormat format) const override {
    std::vector<int> counts;
    for (const int count : counts_)
      if (fits_.contains({features.scheme, format, count})) counts.push_back(count);
    const int nearest = nearest_count(counts, features.processes);
    if (nearest == 0) return std::nullopt;
    const Fit& fit = fits_.at({features.scheme, format, nearest});
    const Terms t = terms(features, format, nearest);
    // Neither blocks were timed nor is the profile of the node here that stood in for them.
    if (!(t.seconds[0] > 0) && features.nonzeros > 0) return std::nullopt;
    ClusterForecast out = forecast_of(features, format, seconds(fit, t), nearest != features.processes);
    // What the products and what the messages take by themselves share the whole, which knows of both together.
    const double core = fit.own_core * t.seconds[0], waiting = waited(fit, t);
    const double both = core + waiting;
    out.core_s = both > 0 && std::isfinite(both) ? out.seconds * (core / both) : out.seconds;
    out.communication_s = out.seconds - out.core_s;
    return out;
  }

  [[nodiscard]] std::vector<LeftOutError> left_out_errors(Scheme scheme, LocalFormat format,
                                                          int processes) const override {
    const auto found = errors_.find({scheme, format, processes});
    return found == errors_.end() ? std::vector<LeftOutError>() : found->second;
  }

 private:
  double stiffness_ = 0;  ///< how hard coefficients leave their priors; simulated times do not scatter
  bool real_;             ///< on a real cluster runs are disturbed; simulated times do not scatter
  CoreModel core_;
  CacheStates states_;
  std::vector<MessageCurves> curves_;  ///< by state; one where there are not two
  std::vector<int> counts_;
  std::map<std::pair<LocalFormat, int>, NodeBlend> blends_;
  // Term 0 is the core, term 1 a constant, the others are the messages. Of the core so many seconds let messages travel
  // meanwhile: what is packed before them and multiplied with them does not.
  struct Terms {
    std::vector<double> seconds;
    double overlap = 0;
  };
  struct Fit {
    std::vector<double> coefficients;  ///< of Terms::seconds
    double hidden = 0;                 ///< share of the overlap during which messages travel unseen (l1dr)
    double error = 0;                  ///< mean absolute logarithm of forecast over run
    double own_core = 1;               ///< measured over forecast seconds of the products, of the median run
    std::vector<double> waiting = {};  ///< of Terms::seconds: what the runs took beside their products
  };
  std::map<std::tuple<Scheme, LocalFormat, int>, Fit> fits_;
  std::map<std::tuple<Scheme, LocalFormat, int>, std::vector<LeftOutError>> errors_;

  // Without blends of its own: those of a model that saw all runs.
  SparsecastModel(const ClusterProfile& profile, CoreModel core, const SparsecastModel* like)
      : ClusterModel(profile.cores_per_node),
        real_(is_measured(profile.source)),
        core_(std::move(core)),
        states_(CacheStates::of(profile)),
        curves_(curves_of(profile, states_)),
        counts_(trained_counts(profile)) {
    if (like != nullptr)
      blends_ = like->blends_;
    else
      blend(profile);
    if (real_) stiffness_ = constants::coefficient_stiffness[blends_.empty() ? 1 : 0];
    for (const Scheme scheme : all_schemes())
      for (const LocalFormat format : all_formats())
        for (const int count : counts_) fit(profile, scheme, format, count);
  }

  // Every fifth matrix in turn is left out, its runs and its blocks: visit(what is left, a core model of it, the runs
  // that were left out).
  template <class Visit>
  void for_each_fold(const ClusterProfile& profile, const Visit& visit) const {
    constexpr std::size_t folds = 5;
    std::map<std::string, std::size_t> fold_of;
    for (const TrainingRun& run : profile.runs)
      if (!run.random) fold_of.try_emplace(run.matrix, fold_of.size() % folds);
    for (std::size_t fold = 0; fold < std::min(folds, fold_of.size()); ++fold) {
      const auto left_out = [&](const std::string& matrix) {
        const auto found = fold_of.find(matrix);
        return found != fold_of.end() && found->second == fold;
      };
      ClusterProfile rest = profile;
      std::vector<TrainingRun> judged;
      for (const TrainingRun& run : profile.runs)
        if (!run.random && left_out(run.matrix)) judged.push_back(run);
      std::erase_if(rest.runs, [&](const TrainingRun& run) { return left_out(run.matrix); });
      std::erase_if(rest.blocks, [&](const TimedBlock& block) { return left_out(block.matrix); });
      visit(rest, CoreModel(rest, core_), judged);
    }
  }

  void blend(const ClusterProfile& profile) {
    if (std::ranges::none_of(profile.runs, [](const TrainingRun& run) { return run.node_seconds() > 0; })) return;
    std::map<std::pair<LocalFormat, int>, std::vector<BlendSample>> samples;
    for_each_fold(profile, [&](const ClusterProfile&, const CoreModel& core, const std::vector<TrainingRun>& judged) {
      for (const TrainingRun& run : judged)
        samples[{run.format, run.features.processes}].push_back(
            {std::min(run.core_s, run.seconds), core.slowest(run.features, run.format), run.node_seconds()});
    });
    for (const auto& [key, some] : samples) blends_[key] = fit_blend(some);
  }

  // Where runs of a single matrix would be left (one, or one in each state of two processes), the fit to it says
  // nothing of the fit to both: their errors stay unknown.
  void leave_out(const ClusterProfile& profile) {
    for_each_fold(profile,
                  [&](const ClusterProfile& rest, const CoreModel& core, const std::vector<TrainingRun>& judged) {
                    const SparsecastModel model(rest, core, this);
                    for (const TrainingRun& run : judged) {
                      const SchemeFeatures& f = run.features;
                      const auto alike = [&](const TrainingRun& other) {
                        return !other.random && other.format == run.format && other.features.scheme == f.scheme &&
                               other.features.processes == f.processes;
                      };
                      const auto first = std::ranges::find_if(rest.runs, alike);
                      if (std::ranges::none_of(first, rest.runs.end(), [&](const TrainingRun& other) {
                            return alike(other) && other.matrix != first->matrix;
                          }))
                        continue;
                      if (const auto forecast = model.forecast(f, run.format);
                          forecast && !forecast->extrapolated && forecast->seconds > 0)
                        errors_[{f.scheme, run.format, f.processes}].push_back(
                            {run.matrix, std::log(run.seconds / forecast->seconds)});
                    }
                  });
  }

  // Seconds of the slowest rank's products; `count`: of the runs that the blend is taken from.
  [[nodiscard]] double core_seconds(const SchemeFeatures& f, LocalFormat format, int count) const {
    const auto found = blends_.find({format, count});
    const double by_blocks = core_.slowest(f, format);
    return found == blends_.end() ? by_blocks
                                  : found->second.seconds(by_blocks, f.node_s[static_cast<std::size_t>(format)]);
  }

  [[nodiscard]] Terms terms(const SchemeFeatures& f, LocalFormat format, int count) const {
    const double core = core_seconds(f, format, count);
    const MessageCurves& curves = curves_[states_.index_of(f.handover_s)];
    const auto curve = [&](MessagePattern pattern, double bytes) {
      return curves.seconds(pattern, f.processes, bytes).value_or(0);
    };
    switch (f.scheme) {
      case Scheme::two_d_uniform: {
        const auto part = static_cast<double>(grid_of(f.processes).block_columns(f.rows));
        return {{core, 1, curve(MessagePattern::grid, value_bytes(f.precision) * part)}, 0};
      }
      case Scheme::global_rows: {
        // A vector of equal shares, and what is waited for beyond that where they are not equal.
        const double total = value_bytes(f.precision) * static_cast<double>(f.rows),
                     equal = total * (f.processes - 1) / f.processes;
        return {{core, 1, curve(MessagePattern::allgatherv, total), std::max(0.0, f.load.gathered_bytes - equal)}, 0};
      }
      case Scheme::local_rows: break;
    }
    // Without messages there is no latency: the parts of a matrix may well have nothing to tell each other, or nothing
    // beyond their node.
    // In units of the first state's: coefficients are the same in both.
    const MessageLoad& load = f.load;
    const auto beside_first = [&](auto of) { return f.handover_s > 0 ? of(curves) / of(curves_[0]) : 1.0; };
    const double latencies = beside_first([&](const MessageCurves&c) { return near_latency(c, f.processes); }),
                 bytes = beside_first([&](const MessageCurves&c) { return near_byte(c, f.processes); });
    return {{core, 1, load.messages > 0 ? latencies : 0.0, load.far_bytes > 0 ? 1.0 : 0.0, latencies * load.messages,
             bytes * load.near_bytes, load.far_bytes, load.node_bytes},
            std::max(0.0, core - core_.slowest_around_messages(f, format))};
  }

  static std::vector<MessageCurves> curves_of(const ClusterProfile& profile, const CacheStates& states) {
    if (!states.met()) return {MessageCurves(profile)};
    std::vector<MessageCurves> curves;
    for (const double handover_s : *states.met()) curves.emplace_back(profile, states, handover_s);
    return curves;
  }
  // Never 0: both are asked for as ratios.
  static constexpr double least_s = std::numeric_limits<double>::min();
  static double near_latency(const MessageCurves& curves, int processes) {
    return std::max(curves.seconds(MessagePattern::ping_pong_near, processes, 8).value_or(0), least_s);
  }
  static double near_byte(const MessageCurves& curves, int processes) {
    constexpr double large = 1 << 20;
    return std::max(curves.seconds(MessagePattern::ping_pong_near, processes, large).value_or(0) -
                        near_latency(curves, processes),
                    least_s) /
           large;
  }

  // What the micro-benchmarks alone say, of two states in the first. l1dr: a message costs the latency, bytes the rate
  // of a large message, and what enters a node comes through one adapter.
  [[nodiscard]] std::vector<double> prior(Scheme scheme, int processes) const {
    if (scheme == Scheme::two_d_uniform) return {1, 0, 1};
    const MessageCurves& curves = curves_.front();
    const auto latency = [&](MessagePattern pattern) { return curves.seconds(pattern, processes, 8).value_or(0); };
    const auto per_byte = [&](MessagePattern pattern) {
      constexpr double large = 1 << 20;
      return std::max(0.0, curves.seconds(pattern, processes, large).value_or(0) - latency(pattern)) / large;
    };
    if (scheme == Scheme::global_rows)
      return {1, 0, 1, std::max(per_byte(MessagePattern::ping_pong_near), per_byte(MessagePattern::ping_pong_far))};
    if (processes == 1) return {1, 0, 0, 0, 0, 0, 0, 0};
    const double near = latency(MessagePattern::ping_pong_near), far = latency(MessagePattern::ping_pong_far);
    // The messages of a rank overlap each other and the local part; only a part of each latency shows.
    const double shown = constants::latency_shown * near;
    return {1,     0,
            near,  std::max(0.0, far - near),
            shown, per_byte(MessagePattern::ping_pong_near),
            0,     per_byte(MessagePattern::ping_pong_far)};
  }

  // The part of the messages that is seen: an overlapped core hides some of them.
  static double visible(const Fit& fit, const Terms& t) {
    double messages = 0;
    for (std::size_t j = 2; j < t.seconds.size(); ++j) messages += fit.coefficients[j] * t.seconds[j];
    return std::max(0.0, messages - fit.hidden * fit.coefficients[0] * t.overlap);
  }
  static double seconds(const Fit& fit, const Terms& t) {
    return fit.coefficients[0] * t.seconds[0] + fit.coefficients[1] + visible(fit, t);
  }
  static double waited(const Fit& fit, const Terms& t) {
    double sum = 0;
    for (std::size_t j = 2; j < fit.waiting.size(); ++j) sum += fit.waiting[j] * t.seconds[j];
    return sum;
  }

  // The parts: what the products took in the training runs, and what the rest is in terms of messages.
  void fit_parts(Fit& fit, const std::vector<Terms>& runs, const std::vector<double>& seconds,
                 const std::vector<double>& products, const std::vector<double>& before) const {
    std::vector<double> ratios, rest;
    std::vector<std::vector<double>> rows;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (products[i] > 0 && runs[i].seconds[0] > 0) ratios.push_back(products[i] / runs[i].seconds[0]);
      // Relative errors: what is next to nothing beside its products must not outweigh the others.
      rest.push_back(std::max(seconds[i] - products[i], constants::near_tie * seconds[i]));
      rows.push_back(runs[i].seconds);
      rows.back()[0] = rows.back()[1] = 0;
    }
    if (!ratios.empty()) fit.own_core = base::median(ratios);
    fit.waiting = fit_nonnegative(rows, rest, before, 1.0, stiffness_);
  }

  // Which runs have messages that show depends on the coefficients, and they on the runs: in turns until both agree.
  [[nodiscard]] Fit fitted(const std::vector<Terms>& runs, const std::vector<double>& y,
                           const std::vector<double>& before, double hidden) const {
    Fit fit{before, hidden, 0};
    for (int turn = 0; turn < (hidden > 0 ? 12 : 1); ++turn) {
      std::vector<std::vector<double>> seen;
      for (const Terms& run : runs) {
        std::vector<double>& row = seen.emplace_back(run.seconds);
        if (hidden > 0 && visible(fit, run) == 0)
          std::fill(row.begin() + 2, row.end(), 0.0);
        else
          row[0] -= hidden * run.overlap;
      }
      fit.coefficients = fit_nonnegative(seen, y, before, 1.0, stiffness_);
    }
    for (std::size_t i = 0; i < runs.size(); ++i)
      fit.error += std::abs(std::log(std::max(seconds(fit, runs[i]), 1e-9) / y[i])) / static_cast<double>(y.size());
    return fit;
  }

  // Whether messages travel while the core is busy is the matter of the MPI and its network; the training runs tell.
  [[nodiscard]] Fit best(Scheme scheme, const std::vector<Terms>& runs, const std::vector<double>& y,
                         const std::vector<double>& before) const {
    Fit least = fitted(runs, y, before, 0);
    if (scheme == Scheme::local_rows)
      for (const double hidden : {0.5, 1.0})
        if (Fit fit = fitted(runs, y, before, hidden); fit.error < least.error) least = std::move(fit);
    return least;
  }

  void fit(const ClusterProfile& profile, Scheme scheme, LocalFormat format, int count) {
    std::vector<Terms> rows;
    std::vector<double> y, products;
    for (const TrainingRun& run : profile.runs)
      if (run.features.scheme == scheme && run.format == format && run.features.processes == count) {
        rows.push_back(terms(run.features, format, count));
        y.push_back(run.seconds);
        products.push_back(std::min(run.core_s, run.seconds));
      }
    if (rows.empty()) return;
    const std::vector<double> before = prior(scheme, count);
    Fit all = best(scheme, rows, y, before);
    // Runs that were disturbed are told by the first fit and left out of the second. On a real cluster what disturbs a
    // run makes it slower: beside the quarter that is fastest against its forecast it stands out.
    const double twice = std::log(2), half_more = std::log(1.5);
    std::vector<double> apart;
    for (std::size_t i = 0; i < rows.size(); ++i)
      apart.push_back(std::log(y[i] / std::max(seconds(all, rows[i]), 1e-9)));
    std::vector<double> sorted = apart;
    const auto quartile = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 4);
    std::ranges::nth_element(sorted, quartile);
    std::vector<Terms> good_rows;
    std::vector<double> good_y;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (std::abs(apart[i]) > twice || (real_ && apart[i] - *quartile > half_more)) continue;
      good_rows.push_back(rows[i]);
      good_y.push_back(y[i]);
    }
    if (good_rows.size() * 2 >= rows.size()) all = best(scheme, good_rows, good_y, before);
    fit_parts(all, rows, y, products, before);
    fits_[{scheme, format, count}] = std::move(all);
  }
};
}  // namespace

std::unique_ptr<ClusterModel> sparsecast_model(const ClusterProfile& profile) {
  return std::make_unique<SparsecastModel>(profile);
}
}  // namespace sparsecast::cluster
