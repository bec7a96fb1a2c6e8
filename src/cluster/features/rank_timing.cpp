#include "cluster/features/rank_timing.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <sparsecast/error.hpp>
#include <sstream>

#include "base/clock.hpp"
#include "base/interrupt.hpp"

namespace sparsecast::cluster {
double repeated_seconds(const std::function<void()>& work, const BlockTiming& timing) {
  double once = INFINITY;
  const double first = base::now_s();
  for (int k = 0; k < std::max(2, timing.warm_ups) && (k < 2 || base::now_s() - first < timing.warm_up_s); ++k) {
    const double start = base::now_s();
    work();
    once = std::clamp(base::now_s() - start, 1e-9, once);
  }
  const int repetitions = std::max(1, static_cast<int>(std::lround(timing.batch_s / once)));
  std::vector<double> batches;
  for (int batch = 0; batch < timing.batches; ++batch) {
    const double begin = base::now_s();
    for (int k = 0; k < repetitions; ++k) work();
    batches.push_back((base::now_s() - begin) / repetitions);
  }
  const auto quartile = batches.begin() + static_cast<std::ptrdiff_t>(batches.size() / 4);
  std::ranges::nth_element(batches, quartile);
  return *quartile;
}

Array<double> start_vector(std::int64_t columns) {
  Array<double> x(static_cast<std::size_t>(std::max<std::int64_t>(1, columns)));
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = start_value(static_cast<std::int64_t>(k));
  return x;
}

double product_seconds(const LocalBlock& block, std::span<const double> x, std::span<double> y, bool add,
                       const BlockTiming& timing) {
  if (block.nonzeros() == 0 && (add || y.empty())) return 0;
  return repeated_seconds([&] { block.apply(x, y, add); }, timing);
}

double pack_seconds(std::int64_t rows, std::int64_t entries, const BlockTiming& timing) {
  if (entries == 0 || rows == 0) return 0;
  std::vector<std::int32_t> indices(static_cast<std::size_t>(entries));
  for (std::int64_t k = 0; k < entries; ++k)
    indices[static_cast<std::size_t>(k)] =
        static_cast<std::int32_t>(static_cast<double>(k) / static_cast<double>(entries) * static_cast<double>(rows));
  Array<double> x(static_cast<std::size_t>(rows), 1.0), outgoing(static_cast<std::size_t>(entries));
  return repeated_seconds(
      [&] {
        for (std::size_t k = 0; k < indices.size(); ++k) outgoing[k] = x[static_cast<std::size_t>(indices[k])];
        asm volatile("" : : "r"(outgoing.data()) : "memory");  // the copy must not be left out
      },
      timing);
}

namespace {
double total(const SimulatedLoad& load) { return load.pack_s + load.own_s + load.remote_s; }

std::int64_t entries_sent(const SimulatedLoad& load) {
  std::int64_t sent = 0;
  for (const Message& message : load.sends) sent += message.count;
  return sent;
}

// Zero: not timed yet.
void lower(double& least, double seconds) { least = least == 0 ? seconds : std::min(least, seconds); }

double along(const BandwidthCurve& curve, double footprint) {
  const auto above = std::ranges::lower_bound(curve.bytes, footprint);
  if (above == curve.bytes.begin()) return curve.rate.front();
  if (above == curve.bytes.end()) return curve.rate.back();
  const auto k = static_cast<std::size_t>(above - curve.bytes.begin());
  const double share = std::log(footprint / curve.bytes[k - 1]) / std::log(curve.bytes[k] / curve.bytes[k - 1]);
  return std::lerp(curve.rate[k - 1], curve.rate[k], share);
}

using Visit = std::function<void(const RankPart&)>;

template <class Csr>
void grid_parts(const Csr& csr, const Placement& placement, const Visit& visit) {
  const Grid grid = grid_of(placement.processes);
  const std::int64_t height = grid.block_rows(csr.rows), width = grid.block_columns(csr.rows);
  const IndexPermutation permute(csr.rows, placement.seed);
  std::vector<std::int64_t> position(static_cast<std::size_t>(csr.rows));
  for (std::int64_t r = 0; r < csr.rows; ++r) position[static_cast<std::size_t>(r)] = permute(r);
  for (int i = 0; i < grid.rows; ++i) {
    base::throw_if_interrupted();
    std::vector<std::vector<LocalEntry>> blocks(static_cast<std::size_t>(grid.columns));
    for (std::int64_t at = i * height; at < std::min(csr.rows, (i + 1) * height); ++at) {
      const std::int64_t r = permute.inverse(at);
      for (auto k = csr.row_pointers[r]; k < csr.row_pointers[r + 1]; ++k) {
        const std::int64_t column = position[static_cast<std::size_t>(csr.column_indices[k])];
        blocks[static_cast<std::size_t>(column / width)].push_back(
            {static_cast<std::int32_t>(at - i * height), static_cast<std::int32_t>(column % width), csr.values[k]});
      }
    }
    for (int j = 0; j < grid.columns; ++j)
      visit({i * grid.columns + j,
             grid.piece_length(csr.rows),
             csr_block(height, width, blocks[static_cast<std::size_t>(j)]),
             {},
             {},
             {}});
  }
}

template <class Csr>
void row_parts(const Csr& csr, Scheme scheme, const RowOrder& order, const Visit& visit) {
  constexpr std::int32_t unseen = -1;
  std::vector<std::int32_t> index(scheme == Scheme::local_rows ? static_cast<std::size_t>(csr.cols) : 0,
                                  unseen);  // by position
  for (int q = 0; q < order.processes(); ++q) {
    base::throw_if_interrupted();
    RankPart part{
        q, order.first[static_cast<std::size_t>(q) + 1] - order.first[static_cast<std::size_t>(q)], {}, {}, {}, {}};
    const std::int64_t begin = order.first[static_cast<std::size_t>(q)], end = begin + part.rows;
    std::vector<LocalEntry> own, remote;
    for (std::int64_t at = begin; at < end; ++at) {
      const std::int64_t r = order.row[static_cast<std::size_t>(at)];
      for (auto k = csr.row_pointers[r]; k < csr.row_pointers[r + 1]; ++k) {
        const std::int64_t column = order.position[static_cast<std::size_t>(csr.column_indices[k])];
        const auto row = static_cast<std::int32_t>(at - begin);
        if (scheme == Scheme::global_rows) {
          own.push_back({row, static_cast<std::int32_t>(column), csr.values[k]});
        } else if (column >= begin && column < end) {
          own.push_back({row, static_cast<std::int32_t>(column - begin), csr.values[k]});
        } else {
          if (std::exchange(index[static_cast<std::size_t>(column)], 0) == unseen) part.received.push_back(column);
          remote.push_back({row, static_cast<std::int32_t>(column), csr.values[k]});
        }
      }
    }
    std::ranges::sort(part.received);
    for (std::size_t k = 0; k < part.received.size(); ++k) {
      index[static_cast<std::size_t>(part.received[k])] = static_cast<std::int32_t>(k);
      const int owner = order.owner(part.received[k]);
      if (part.receives.empty() || part.receives.back().rank != owner) part.receives.push_back({owner, 0});
      ++part.receives.back().count;
    }
    for (LocalEntry& entry : remote) entry.column = index[static_cast<std::size_t>(entry.column)];
    for (const std::int64_t position : part.received) index[static_cast<std::size_t>(position)] = unseen;
    part.own = csr_block(part.rows, scheme == Scheme::global_rows ? csr.cols : part.rows, own);
    if (scheme == Scheme::local_rows) {
      part.remote = csr_block(part.rows, static_cast<std::int64_t>(part.received.size()), remote);
      list_filled_rows(part.remote);
    }
    visit(part);
  }
}
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

NodeRates::NodeRates(const NodeCurves& node) {
  for (const BandwidthCurve& curve : node.bandwidth)
    if (curve.value_bytes == 8 && !curve.bytes.empty()) curves_.push_back(curve);
  std::ranges::sort(curves_, {}, &BandwidthCurve::busy);
}

double NodeRates::rate(int busy, double footprint) const {
  if (curves_.empty()) return 0;
  const auto above = std::ranges::lower_bound(curves_, busy, {}, &BandwidthCurve::busy);
  if (above == curves_.end()) return along(curves_.back(), footprint) * curves_.back().busy / busy;
  if (above == curves_.begin() || above->busy == busy) return along(*above, footprint);
  const auto below = std::prev(above);
  const double share = static_cast<double>(busy - below->busy) / (above->busy - below->busy);
  return 1 / std::lerp(1 / along(*below, footprint), 1 / along(*above, footprint), share);
}

double sharing_seconds(const BlockFeatures& block, LocalFormat format, const NodeRates& rates, const CacheShare& caches,
                       int busy) {
  const double footprint = footprint_bytes(block, format);
  const double shared = share_beyond(footprint, static_cast<double>(caches.bytes[1]));
  const double alone = rates.rate(1, footprint), together = rates.rate(busy, footprint);
  if (busy <= 1 || shared <= 0 || together <= 0 || together >= alone) return 0;
  return shared * (stored_bytes(block, format) + block.value_bytes * block.rows) * (1 / together - 1 / alone);
}

Placement place(const Matrix& matrix, int processes, std::uint64_t seed, bool with_partition) {
  Placement placement{processes, seed, {}};
  if (with_partition) placement.order = order_rows(partition_rows(matrix, processes), processes);
  return placement;
}

void for_each_part(const Matrix& matrix, Scheme scheme, const Placement& placement, const Visit& visit) {
  matrix.visit([&](const auto& csr) {
    if (scheme == Scheme::two_d_uniform)
      grid_parts(csr, placement, visit);
    else
      row_parts(csr, scheme, placement.order, visit);
  });
}

std::string to_line(const SimulatedLoad& load) {
  std::string line = fmt::format("{} {} {} {}", load.rows, load.pack_s, load.own_s, load.remote_s);
  for (const auto* messages : {&load.receives, &load.sends}) {
    line += fmt::format(" {}", messages->size());
    for (const Message& message : *messages) line += fmt::format(" {} {}", message.rank, message.count);
  }
  return line + '\n';
}

SimulatedLoad parse_load(std::string_view line) {
  std::istringstream stream{std::string(line)};
  SimulatedLoad load;
  stream >> load.rows >> load.pack_s >> load.own_s >> load.remote_s;
  for (auto* messages : {&load.receives, &load.sends}) {
    std::size_t count = 0;
    stream >> count;
    for (Message message; messages->size() < count && stream >> message.rank >> message.count;)
      messages->push_back(message);
  }
  if (!stream) throw Error(ErrorCode::bad_input, "not the load of a rank");
  return load;
}
}  // namespace sparsecast::cluster
