#include "cluster/features/rank_timing.hpp"

#include <algorithm>
#include <utility>

#include "base/interrupt.hpp"
#include "cluster/node_sharing.hpp"

namespace sparsecast::cluster {
namespace {
double total(const SimulatedLoad& load) { return load.pack_s + load.own_s + load.remote_s; }

std::int64_t entries_sent(const SimulatedLoad& load) {
  std::int64_t sent = 0;
  for (const Message& message : load.sends) sent += message.count;
  return sent;
}

// Zero: not timed yet.
void lower(double& least, double seconds) { least = least == 0 ? seconds : std::min(least, seconds); }
}  // namespace

RankTiming::RankTiming(const Matrix& matrix, Scheme scheme, const Placement& placement,
                       const std::vector<LocalFormat>& formats, const SimulateOptions& how)
    : how_(how), processes_(placement.processes), every_(1) {
  if (scheme == Scheme::two_d_uniform && processes_ > how.most_timed_blocks)
    every_ = (processes_ + how.most_timed_blocks - 1) / how.most_timed_blocks;
  for (const LocalFormat format : formats) alone_[format].resize(static_cast<std::size_t>(processes_));
  std::int64_t width = 0, height = 0;
  for_each_part(matrix, scheme, placement, [&](const RankPart& part) {
    for (auto& [format, ranks] : alone_) {
      SimulatedLoad& load = ranks[static_cast<std::size_t>(part.rank)];
      load.rows = part.rows;
      load.receives = part.receives;
      for (const Message& message : part.receives)
        ranks[static_cast<std::size_t>(message.rank)].sends.push_back({part.rank, message.count});
    }
    if (part.rank % every_ != 0) return;
    timed_.push_back({part.rank, part.own, part.remote});
    width = std::max({width, part.own.columns, part.remote.columns});
    height = std::max({height, part.own.rows, part.remote.rows});
  });
  x_ = start_vector(width);
  y_.resize(static_cast<std::size_t>(height));
  std::ranges::fill(y_, 0.0);
}

void RankTiming::time_rank(const Timed& timed, LocalFormat format, SimulatedLoad& load) {
  base::throw_if_interrupted();
  BlockTiming timing = how_.timing;
  if (format == LocalFormat::coo) timing.warm_ups = 2;  // it has no branch that depends on a row
  const auto product = [&](const CsrBlock& csr, bool add) {
    const std::span<double> y(y_.data(), static_cast<std::size_t>(csr.rows));
    return product_seconds(LocalBlock(csr, format), x_, y, add, timing);
  };
  lower(load.own_s, product(timed.own, false));
  lower(load.remote_s, product(timed.remote, true));
  timing.warm_ups = 2;
  lower(load.pack_s, pack_seconds(load.rows, entries_sent(load), timing));
}

const std::map<LocalFormat, std::vector<SimulatedLoad>>& RankTiming::loads() {
  if (std::exchange(done_, true)) return loads_;
  for (int pass = 0; pass < how_.passes; ++pass)
    for (auto& [format, loads] : alone_)
      for (const Timed& timed : timed_) time_rank(timed, format, loads[static_cast<std::size_t>(timed.rank)]);
  for (auto& [format, loads] : alone_) settle_slowest(format, loads);
  loads_ = alone_;
  share_nodes();
  for (auto& [format, loads] : loads_)
    for (int rank = 0; rank < processes_; ++rank) {
      const int timed_before = rank - rank % every_;
      loads[static_cast<std::size_t>(rank)].own_s = loads[static_cast<std::size_t>(timed_before)].own_s;
    }
  return loads_;
}

void RankTiming::share_nodes() {
  const NodeRates rates(how_.node);
  for (const Timed& timed : timed_) {
    const int first = timed.rank - timed.rank % how_.ranks_per_node;
    const int busy = std::min(how_.ranks_per_node, processes_ - first);
    const BlockFeatures own = block_features(timed.own, how_.caches, false),
                        remote = block_features(timed.remote, how_.caches, false);
    for (auto& [format, loads] : loads_) {
      SimulatedLoad& load = loads[static_cast<std::size_t>(timed.rank)];
      if (load.own_s > 0) load.own_s += sharing_seconds(own, format, rates, how_.caches, busy);
      if (load.remote_s > 0) load.remote_s += sharing_seconds(remote, format, rates, how_.caches, busy);
    }
  }
}

void RankTiming::settle_slowest(LocalFormat format, std::vector<SimulatedLoad>& loads) {
  std::vector<int> passes(timed_.size(), how_.passes);
  const auto load_of = [&](std::size_t k) -> SimulatedLoad& { return loads[static_cast<std::size_t>(timed_[k].rank)]; };
  for (;;) {
    std::size_t slowest = 0;
    for (std::size_t k = 1; k < timed_.size(); ++k)
      if (total(load_of(k)) > total(load_of(slowest))) slowest = k;
    if (passes[slowest]++ >= how_.slowest_passes) return;
    time_rank(timed_[slowest], format, load_of(slowest));
  }
}

std::vector<TimedBlock> RankTiming::kept_blocks() const {
  std::vector<TimedBlock> blocks;
  if (how_.kept_blocks <= 0) return blocks;
  const int step = std::max(1, processes_ / how_.kept_blocks);
  for (const Timed& timed : timed_) {
    if (timed.rank % step != 0) continue;
    const BlockFeatures own = block_features(timed.own, how_.caches),
                        remote = block_features(timed.remote, how_.caches);
    for (const auto& [format, loads] : alone_) {
      const SimulatedLoad& load = loads[static_cast<std::size_t>(timed.rank)];
      if (load.own_s > 0) blocks.push_back({format, own, load.own_s, {}});
      if (load.remote_s > 0) blocks.push_back({format, remote, load.remote_s, {}});
    }
  }
  return blocks;
}
}  // namespace sparsecast::cluster
