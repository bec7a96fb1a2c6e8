#include "cluster/models/microbench_model.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "cluster/models/message_curves.hpp"
#include "cluster/models/message_polynomials.hpp"

namespace sparsecast::cluster {
namespace {
constexpr double index_bytes = 4;

// The paper's model from micro-benchmarks (Hossain & Saule, section III-C):
//   core = L_FMA · NNZ + sequential bytes / BW(footprint) + irregular misses · latency
// with the accesses of its table I: CSR reads 2·rpp row pointers, nnz columns, nnz values and writes rpp of y in
// sequence; COO reads nnz rows, columns and values in sequence; x (and, for COO, y: nnz elements) is irregular: hits
// count as sequential, misses cost memory. Communication: one polynomial per pattern (message_polynomials.hpp), added
// to the core whole: the paper hides none of it.
class MicrobenchModel final : public ClusterModel {
 public:
  explicit MicrobenchModel(const ClusterProfile& profile)
      : ClusterModel(profile.cores_per_node), profile_(profile), polynomials_(profile), curves_(profile) {}

  [[nodiscard]] std::string name() const override { return "microbench"; }

  [[nodiscard]] std::optional<ClusterForecast> forecast(const SchemeFeatures& f, LocalFormat format) const override {
    if (profile_.node.bandwidth.empty() || profile_.messages.empty()) return std::nullopt;
    ClusterForecast out = forecast_of(f, format, 0, false);
    for (const RankFeatures& rank : f.ranks)
      out.core_s =
          std::max(out.core_s, block_seconds(rank.own, format, f.processes) +
                                   (rank.remote.nonzeros > 0 ? block_seconds(rank.remote, format, f.processes) : 0));
    const std::optional<double> communication_s = communication(f);
    if (!communication_s) return std::nullopt;
    out.communication_s = *communication_s;
    const auto counts = curves_.counts(f.scheme == Scheme::local_rows    ? MessagePattern::ping_pong_near
                                       : f.scheme == Scheme::global_rows ? MessagePattern::allgatherv
                                                                         : MessagePattern::grid);
    out.extrapolated = f.processes > 1 && std::ranges::find(counts, f.processes) == counts.end();
    out.seconds = out.core_s + out.communication_s;
    return out;
  }

  // Fitted to no run at all.
  [[nodiscard]] std::vector<LeftOutError> left_out_errors(Scheme scheme, LocalFormat format,
                                                          int processes) const override {
    return errors_of(*this, profile_.runs, scheme, format, processes);
  }

 private:
  ClusterProfile profile_;
  MessagePolynomials polynomials_;
  MessageCurves curves_;

  // Processes on a node that compete for its memory, and how many of them share one core.
  [[nodiscard]] int busy(int processes) const { return std::clamp(processes, 1, profile_.cores_per_node); }
  [[nodiscard]] double per_core(int processes) const {
    return std::ceil(static_cast<double>(processes) / profile_.nodes(processes) / profile_.cores_per_node);
  }

  [[nodiscard]] double bandwidth(double footprint, double value_bytes, int processes) const {
    // The curve of this precision with that many busy processes, or the nearest below it (simulated ranks have a node
    // to themselves).
    const BandwidthCurve* curve = nullptr;
    for (const BandwidthCurve& c : profile_.node.bandwidth)
      if (c.value_bytes == value_bytes && c.busy <= busy(processes) && (curve == nullptr || c.busy > curve->busy))
        curve = &c;
    if (curve == nullptr) curve = &profile_.node.bandwidth.front();
    // The paper takes the mean of the two neighbouring points; so do we.
    const auto above = std::ranges::lower_bound(curve->bytes, footprint);
    const auto k = static_cast<std::size_t>(above - curve->bytes.begin());
    if (k == 0) return curve->rate.front();
    if (k == curve->bytes.size()) return curve->rate.back();
    return 0.5 * (curve->rate[k - 1] + curve->rate[k]);
  }

  [[nodiscard]] double latency(double footprint) const {
    const LatencyCurve& curve = profile_.node.latency;
    const auto above = std::ranges::lower_bound(curve.bytes, footprint);
    const auto k = std::min(static_cast<std::size_t>(above - curve.bytes.begin()), curve.bytes.size() - 1);
    return curve.seconds[k];
  }

  [[nodiscard]] double block_seconds(const BlockFeatures& block, LocalFormat format, int processes) const {
    const double nnz = block.nonzeros, misses = block.misses[2], value_bytes = block.value_bytes;
    double sequential = format == LocalFormat::csr ? 2 * block.rows * index_bytes + nnz * (index_bytes + value_bytes) +
                                                         block.rows * value_bytes
                                                   : nnz * (2 * index_bytes + value_bytes);
    sequential += (nnz - misses) * value_bytes;  // hits of x
    if (format == LocalFormat::coo)
      sequential += nnz * value_bytes;  // y, once per non-zero as the table counts it, and hit: rows ascend
    const double pointers = format == LocalFormat::csr ? block.rows + 1 : nnz;
    const double footprint = nnz * (index_bytes + value_bytes) + pointers * index_bytes + block.rows * value_bytes +
                             std::min(block.columns, nnz) * value_bytes;
    const double seconds = profile_.node.fma_s * nnz + sequential / bandwidth(footprint, value_bytes, processes) +
                           misses * latency(footprint);
    return seconds * per_core(processes);
  }

  // nullopt where messages are sent that were never measured.
  [[nodiscard]] std::optional<double> communication(const SchemeFeatures& f) const {
    const int nodes = profile_.nodes(f.processes);
    const double entry = value_bytes(f.precision);
    const auto time = [&](MessagePattern pattern, double bytes, double neighbours = 1) {
      const auto seconds = polynomials_.seconds(pattern, nodes, f.processes, bytes, neighbours);
      // One process has nobody to send to: where its copies were not timed either they are not missed.
      return seconds || f.processes > 1 ? seconds : std::optional<double>(0);
    };
    switch (f.scheme) {
      case Scheme::two_d_uniform: {
        const auto part = static_cast<double>(grid_of(f.processes).block_columns(f.rows));
        const auto reduce = time(MessagePattern::grid_reduce, entry * part),
                   broadcast = time(MessagePattern::grid_bcast, entry * part);
        if (!reduce || !broadcast) return std::nullopt;
        return *reduce + *broadcast;
      }
      case Scheme::global_rows: return time(MessagePattern::allgatherv, entry * static_cast<double>(f.rows));
      case Scheme::local_rows: break;
    }
    if (f.load.messages == 0) return 0;
    const double bytes = (f.load.near_bytes + f.load.far_bytes) / f.load.messages;
    return time(MessagePattern::halo, std::max(entry, bytes), f.load.messages);
  }
};
}  // namespace

std::unique_ptr<ClusterModel> microbench_model(const ClusterProfile& profile) {
  return std::make_unique<MicrobenchModel>(profile);
}
}  // namespace sparsecast::cluster
