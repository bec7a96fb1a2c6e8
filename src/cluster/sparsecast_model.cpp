// Our model. One iteration is a sum of non-negative costs: the slowest rank's local products (CoreModel), the messages,
// and a constant. For 2du and g1dr the messages are the measured curve of just that pattern at just that size; for l1dr
// they are what loads the network most: messages per rank, bytes per rank near and far, bytes into a node. The
// coefficients start from what the micro-benchmarks say and are drawn to the training runs at the process count that is
// nearest; so sharing a node's memory, or its cores among more ranks than cores, is in them.

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "cluster/core_model.hpp"
#include "cluster/forecast.hpp"
#include "cluster/message_curves.hpp"
#include "cluster/nonnegative_fit.hpp"

namespace sparsecast::cluster {
namespace {

class SparsecastModel final : public ClusterModel {
 public:
  explicit SparsecastModel(const ClusterProfile& profile)
      : cores_per_node_(profile.cores_per_node), core_(profile), curves_(profile), counts_(trained_counts(profile)) {
    for (const Way way : all_ways())
      for (const LocalFormat format : all_formats())
        for (const int count : counts_) fit(profile, way, format, count);
  }

  [[nodiscard]] std::string name() const override { return "sparsecast"; }

  [[nodiscard]] std::optional<ClusterForecast> forecast(const WayFeatures& features,
                                                        LocalFormat format) const override {
    std::vector<int> counts;
    for (const int count : counts_)
      if (coefficients_.contains({features.way, format, count})) counts.push_back(count);
    const int nearest = nearest_count(counts, features.processes);
    if (nearest == 0) return std::nullopt;
    const auto& c = coefficients_.at({features.way, format, nearest});
    const std::vector<double> t = terms(features, format);
    ClusterForecast out{features.way,
                        format,
                        name(),
                        features.processes,
                        nodes(features.processes),
                        0,
                        c[0] * t[0],
                        0,
                        nearest != features.processes};
    for (std::size_t j = 1; j < t.size(); ++j) out.communication_s += c[j] * t[j];
    out.seconds = out.core_s + out.communication_s;
    return out;
  }

 private:
  int cores_per_node_;
  CoreModel core_;
  MessageCurves curves_;
  std::vector<int> counts_;
  std::map<std::tuple<Way, LocalFormat, int>, std::vector<double>> coefficients_;

  [[nodiscard]] int nodes(int processes) const { return (processes + cores_per_node_ - 1) / cores_per_node_; }

  // Term 0 is the core, the last one the constant.
  [[nodiscard]] std::vector<double> terms(const WayFeatures& f, LocalFormat format) const {
    const double core = core_.slowest(f, format);
    const auto curve = [&](const char* pattern, double bytes) {
      return curves_.seconds(pattern, f.processes, bytes).value_or(0);
    };
    switch (f.way) {
      case Way::two_d_uniform: {
        const double side = std::ceil(static_cast<double>(f.rows) / std::max(1, grid_side(f.processes)));
        return {core, curve("grid", 8 * side), 1};
      }
      case Way::global_rows:
        return {core, curve("allgatherv", 8 * static_cast<double>(f.rows)), 1};
      case Way::local_rows:
        break;
    }
    return {core, f.load.messages, f.load.near_bytes, f.load.far_bytes, f.load.node_bytes, 1};
  }

  // What the micro-benchmarks alone say. l1dr: a message costs the latency, bytes the rate of a large message.
  [[nodiscard]] std::vector<double> prior(Way way, int processes) const {
    if (way != Way::local_rows) return {1, 1, 0};
    const auto latency = [&](const char* pattern) { return curves_.seconds(pattern, processes, 8).value_or(0); };
    const auto per_byte = [&](const char* pattern) {
      constexpr double large = 1 << 20;
      return std::max(0.0, curves_.seconds(pattern, processes, large).value_or(0) - latency(pattern)) / large;
    };
    if (processes == 1) return {1, 0, 0, 0, 0, 0};
    // The messages of a rank overlap each other and the local part; only a part of each latency shows.
    return {1, 0.2 * latency("ping_pong_far"), per_byte("ping_pong_near"), per_byte("ping_pong_far"),
            0, latency("ping_pong_far")};
  }

  void fit(const ClusterProfile& profile, Way way, LocalFormat format, int count) {
    std::vector<std::vector<double>> rows;
    std::vector<double> y;
    for (const TrainingRun& run : profile.runs)
      if (run.features.way == way && run.format == format && run.features.processes == count) {
        rows.push_back(terms(run.features, format));
        y.push_back(run.seconds);
      }
    if (rows.empty()) return;
    const std::vector<double> before = prior(way, count);
    auto c = fit_nonnegative(rows, y, before, 1.0);
    // Runs that were disturbed are told by the first fit and left out of the second.
    std::vector<std::vector<double>> good_rows;
    std::vector<double> good_y;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < c.size(); ++j) sum += c[j] * rows[i][j];
      if (std::abs(std::log(std::max(sum, 1e-12) / y[i])) > 0.7) continue;
      good_rows.push_back(rows[i]);
      good_y.push_back(y[i]);
    }
    if (good_rows.size() * 2 >= rows.size()) c = fit_nonnegative(good_rows, good_y, before, 1.0);
    coefficients_[{way, format, count}] = std::move(c);
  }
};

}  // namespace

std::unique_ptr<ClusterModel> sparsecast_model(const ClusterProfile& profile) {
  return std::make_unique<SparsecastModel>(profile);
}

}  // namespace sparsecast::cluster
