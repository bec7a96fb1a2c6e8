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
      if (fits_.contains({features.way, format, count})) counts.push_back(count);
    const int nearest = nearest_count(counts, features.processes);
    if (nearest == 0) return std::nullopt;
    const Fit& fit = fits_.at({features.way, format, nearest});
    const std::vector<double> t = terms(features, format);
    ClusterForecast out{features.way,
                        format,
                        name(),
                        features.processes,
                        nodes_for(features.processes, cores_per_node_),
                        0,
                        fit.coefficients[0] * t[0],
                        visible(fit, t),
                        nearest != features.processes};
    out.seconds = out.core_s + out.communication_s;
    return out;
  }

 private:
  int cores_per_node_;
  CoreModel core_;
  MessageCurves curves_;
  std::vector<int> counts_;
  using Rows = std::vector<std::vector<double>>;
  struct Fit {
    std::vector<double> coefficients;  ///< of terms()
    double hidden = 0;                 ///< share of the core's time during which messages travel unseen (l1dr)
    double error = 0;                  ///< mean absolute logarithm of forecast over run
  };
  std::map<std::tuple<Way, LocalFormat, int>, Fit> fits_;

  // Term 0 is the core, the last one the constant (l1dr: where there are messages at all).
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
      case Way::global_rows: {
        // A vector of equal shares, and how much longer one would take whose shares were all as large as the largest:
        // in a ring every step waits for the largest share under way.
        const double even = curve("allgatherv", 8 * static_cast<double>(f.rows)),
                     largest = curve("allgatherv", f.load.share_bytes * f.processes);
        return {core, even, std::max(0.0, largest - even), 1};
      }
      case Way::local_rows:
        break;
    }
    // Without messages there is no latency: the parts of a matrix may well have nothing to tell each other.
    return {
        core, f.load.messages, f.load.near_bytes, f.load.far_bytes, f.load.node_bytes, f.load.messages > 0 ? 1.0 : 0.0};
  }

  // What the micro-benchmarks alone say. l1dr: a message costs the latency, bytes the rate of a large message.
  [[nodiscard]] std::vector<double> prior(Way way, int processes) const {
    if (way == Way::two_d_uniform) return {1, 1, 0};
    if (way == Way::global_rows) return {1, 1, 1, 0};
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

  // The part of the messages that is seen: an overlapped core hides some of them.
  static double visible(const Fit& fit, const std::vector<double>& t) {
    double messages = 0;
    for (std::size_t j = 1; j < t.size(); ++j) messages += fit.coefficients[j] * t[j];
    return std::max(0.0, messages - fit.hidden * fit.coefficients[0] * t[0]);
  }
  static double seconds(const Fit& fit, const std::vector<double>& t) {
    return fit.coefficients[0] * t[0] + visible(fit, t);
  }

  // Which runs have messages that show depends on the coefficients, and they on the runs: in turns until both agree.
  static Fit fitted(const Rows& rows, const std::vector<double>& y, const std::vector<double>& before, double hidden) {
    Fit fit{before, hidden, 0};
    for (int turn = 0; turn < (hidden > 0 ? 12 : 1); ++turn) {
      Rows seen = rows;
      for (std::vector<double>& row : seen) {
        if (hidden > 0 && visible(fit, row) == 0)
          std::fill(row.begin() + 1, row.end(), 0.0);
        else
          row[0] *= 1 - hidden;
      }
      fit.coefficients = fit_nonnegative(seen, y, before, 1.0);
    }
    for (std::size_t i = 0; i < rows.size(); ++i)
      fit.error += std::abs(std::log(std::max(seconds(fit, rows[i]), 1e-12) / y[i])) / static_cast<double>(y.size());
    return fit;
  }

  // Whether messages travel while the core is busy is the matter of the MPI and its network; the training runs tell.
  static Fit best(Way way, const Rows& rows, const std::vector<double>& y, const std::vector<double>& before) {
    Fit least = fitted(rows, y, before, 0);
    if (way == Way::local_rows)
      for (const double hidden : {0.5, 1.0})
        if (Fit fit = fitted(rows, y, before, hidden); fit.error < least.error) least = std::move(fit);
    return least;
  }

  void fit(const ClusterProfile& profile, Way way, LocalFormat format, int count) {
    Rows rows;
    std::vector<double> y;
    for (const TrainingRun& run : profile.runs)
      if (run.features.way == way && run.format == format && run.features.processes == count) {
        rows.push_back(terms(run.features, format));
        y.push_back(run.seconds);
      }
    if (rows.empty()) return;
    const std::vector<double> before = prior(way, count);
    Fit all = best(way, rows, y, before);
    // Runs that were disturbed are told by the first fit and left out of the second.
    Rows good_rows;
    std::vector<double> good_y;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (std::abs(std::log(std::max(seconds(all, rows[i]), 1e-12) / y[i])) > 0.7) continue;
      good_rows.push_back(rows[i]);
      good_y.push_back(y[i]);
    }
    if (good_rows.size() * 2 >= rows.size()) all = best(way, good_rows, good_y, before);
    fits_[{way, format, count}] = std::move(all);
  }
};

}  // namespace

std::unique_ptr<ClusterModel> sparsecast_model(const ClusterProfile& profile) {
  return std::make_unique<SparsecastModel>(profile);
}

}  // namespace sparsecast::cluster
