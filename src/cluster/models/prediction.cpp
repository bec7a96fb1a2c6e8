#include "cluster/models/prediction.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <sparsecast/error.hpp>

#include "base/interrupt.hpp"
#include "cluster/cache_states.hpp"
#include "cluster/models/model_table.hpp"
#include "cluster/models/physical_floor.hpp"
#include "cluster/node/own_node.hpp"

namespace sparsecast::cluster {
std::string for_each_case(const Matrix& matrix, const PredictOptions& options, const CacheShare& caches,
                          int cores_per_node, const CaseVisit& visit) {
  std::string missing;
  for (std::size_t k = 0; k < options.processes.size(); ++k) {
    const int count = options.processes[k];
    if (options.progress)
      options.progress({static_cast<double>(k) / static_cast<double>(options.processes.size()), -1,
                        fmt::format("{} processes", count)});
    const bool partition =
        std::ranges::any_of(options.schemes, [](Scheme scheme) { return scheme != Scheme::two_d_uniform; });
    const bool rows_too = partition && (count == 1 || has_partitioner());
    if (partition && !rows_too)
      missing = "g1dr and l1dr cannot be forecast without METIS; install libmetis-dev and build again";
    const Placement placement = place(matrix, count, options.seed, rows_too);
    for (const Scheme scheme : options.schemes) {
      base::throw_if_interrupted();
      if (!admissible(scheme, count) || (scheme != Scheme::two_d_uniform && !rows_too)) continue;
      visit(scheme_features(matrix, scheme, placement, caches, cores_per_node, options.precision), placement);
    }
  }
  return missing;
}

namespace {
// A profile's runs are in double precision: of single nothing was measured.
void widen(ClusterForecast& forecast) {
  constexpr double further = 1.5;
  forecast.low_s = forecast.seconds * std::pow(forecast.low_s / forecast.seconds, further);
  forecast.high_s = forecast.seconds * std::pow(forecast.high_s / forecast.seconds, further);
}

// The forecast in one of two states, with both in its interval unless the state was told.
ClusterForecast put_together(const std::vector<ClusterForecast>& by_state, const std::array<double, 2>& handovers,
                             std::size_t state, bool told) {
  ClusterForecast forecast = by_state[state];
  for (std::size_t k = 0; k < by_state.size(); ++k) {
    const ClusterForecast& f = by_state[k];
    forecast.states.push_back({handovers[k], f.seconds, f.low_s, f.high_s});
    if (told) continue;
    forecast.low_s = std::min(forecast.low_s, f.low_s);
    forecast.high_s = std::max(forecast.high_s, f.high_s);
  }
  return forecast;
}
}  // namespace

namespace {
// The node's own forecasts are asked for only where the training runs have them too, and this host is the one that made
// them: another host's profile says nothing of this cluster. Without it the runs' are left out too, so that the model
// is fitted to what it will be asked with. Returns why, or nothing.
std::string take_own_node(ClusterProfile& profile, const PredictOptions& options, std::optional<OwnNode>& node) {
  if (std::ranges::none_of(profile.runs, [](const TrainingRun& run) { return run.node_seconds() > 0; })) return {};
  OwnNode here(profile.cores_per_node, profile.threads);
  const double ratio = here.ratio_to(profile);
  if (here.is_known() && (ratio == 0 || is_same_host(ratio))) {
    node.emplace(profile.cores_per_node, profile.threads, options.precision);
    return {};
  }
  for (TrainingRun& run : profile.runs) run.features.node_s = {};
  return fmt::format(
      "{}: the cluster's products are forecast without it, and less is known of them; ask on the host where the "
      "cluster "
      "was calibrated, or calibrate the cluster again",
      here.is_known()
          ? fmt::format("by this host's profile a product takes {:.2g} times as long as when the cluster was "
                        "calibrated, so it is another host's or has changed",
                        ratio)
          : "the cluster was calibrated beside a host's profile, and this host has none");
}

// Nodes of the largest count that was measured.
int known_nodes(const ClusterProfile& profile) {
  int most = 0;
  for (const MessageTime& m : profile.messages) most = std::max(most, m.nodes);
  for (const TrainingRun& run : profile.runs) most = std::max(most, run.nodes);
  return most;
}

// The shortest run in a scheme, alone or in company.
double shortest_run(const ClusterProfile& profile, const ClusterForecast& like) {
  double shortest = INFINITY;
  for (const TrainingRun& run : profile.runs)
    if (run.features.scheme == like.scheme && (run.features.processes > 1) == (like.processes > 1))
      shortest = std::min(shortest, run.seconds);
  return std::isfinite(shortest) ? shortest : 0;
}
}  // namespace

Prediction predict_cluster(const Matrix& matrix, const ClusterProfile& measured, const PredictOptions& options) {
  ClusterProfile profile = measured;
  std::optional<OwnNode> node;
  const std::string without_node = take_own_node(profile, options, node);
  const auto models = cluster_models(profile, options.model, options.full);
  const std::vector<int> counts = calibrated_counts(profile);
  const PhysicalFloor floor(profile);
  const CacheStates states = CacheStates::of(profile);
  const Tier tier = is_measured(profile.source) ? Tier::measured : Tier::simulated;
  const int nodes_met = known_nodes(profile);
  Prediction prediction;
  std::string unsound;
  const auto forecast_of = [&](const ClusterModel& model, const SchemeFeatures& features, LocalFormat format) {
    std::optional<ClusterForecast> forecast = model.forecast(features, format);
    if (!forecast) return forecast;
    if (forecast->nodes > 1 && nodes_met == 1 && sends_anything(features)) {
      unsound = fmt::format(
          "{} processes and more need several nodes, and the calibration met one: nothing is known of messages between "
          "nodes, and there is no forecast; calibrate on as many processes",
          profile.cores_per_node + 1);
      return std::optional<ClusterForecast>();
    }
    if (!std::isfinite(forecast->seconds)) {
      forecast.reset();
      unsound = fmt::format("{} has no finite time for {} on {} processes and is omitted there", model.name(),
                            to_string(features.scheme), features.processes);
      return forecast;
    }
    set_interval(*forecast, model, counts, shortest_run(profile, *forecast));
    if (options.precision != Precision::double_) widen(*forecast);
    floor.hold(*forecast, features);
    forecast->tier = tier;
    return forecast;
  };
  const auto add = [&](const ClusterModel& model, SchemeFeatures& features, LocalFormat format) {
    if (!states.met() || features.processes != 2) {
      if (auto forecast = forecast_of(model, features, format)) prediction.forecasts.push_back(std::move(*forecast));
      return;
    }
    std::vector<ClusterForecast> by_state;
    for (const double handover_s : *states.met()) {
      features.handover_s = handover_s;
      if (auto forecast = forecast_of(model, features, format)) by_state.push_back(std::move(*forecast));
    }
    if (by_state.size() == 2)
      prediction.forecasts.push_back(
          put_together(by_state, *states.met(), states.index_of(options.handover_s), options.state_told));
  };
  prediction.missing = for_each_case(matrix, options, profile.caches, profile.cores_per_node,
                                     [&](SchemeFeatures features, const Placement& placement) {
                                       if (node) node->tell(features, matrix, placement);
                                       for (const LocalFormat format : options.formats)
                                         for (const auto& model : models) add(*model, features, format);
                                     });
  for (const std::string& also : {unsound, without_node})
    if (!also.empty()) prediction.missing += (prediction.missing.empty() ? "" : "; ") + also;
  if (prediction.forecasts.empty() && measured.runs.empty())
    prediction.missing = "the calibration holds no training run, and nothing is forecast by what it holds";
  return prediction;
}
}  // namespace sparsecast::cluster
