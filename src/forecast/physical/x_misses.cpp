#include "forecast/physical/x_misses.hpp"

#include <algorithm>
#include <cmath>
#include <sparsecast_constants.hpp>

#include "forecast/physical/workload.hpp"

namespace sparsecast::forecast {
namespace {
using formats::Workload;

// The curve of gathers was measured with a stream of entries beside an x of its size: at random, half of the reads
// between two of one line are of lines already read.
const double curve_bytes = 1 + csr_entry_bytes * constants::reads_of_line / cache_line_bytes;

// How caches fill with x while the matrix streams through them, bin by bin of reuse. Between two reads of a line that d
// others lie between, t(d) reads were done, and so many entries of the matrix came by: dt = dd / m(d), m the share of
// reads that miss d lines (footprints and miss ratios: Xiang, Ding, Luo & Bao 2013).
class Filling {
 public:
  struct Shares {
    double missed = 0, followed = 0;
  };

  explicit Filling(const XReuse& reuse) : bins_(std::min(reuse.distance.size(), most_bins)) {
    Shares beyond{reuse.cold, reuse.cold_followed};
    for (std::size_t b = bins_; b-- > 0;) {
      Bin& bin = bin_[b];
      bin.beyond = beyond;
      bin.within = {reuse.distance[b], b < reuse.followed.size() ? reuse.followed[b] : 0.0};
      beyond = {beyond.missed + bin.within.missed, beyond.followed + bin.within.followed};
    }
    double taken = 0;
    for (std::size_t b = 0; b < bins_; ++b) {
      Bin& bin = bin_[b];
      bin.first = b == 0 ? 0.0 : std::ldexp(1.0, static_cast<int>(b));
      const double middle = b == 0 ? 0.5 : std::log2(1.5);  // its reads are spread evenly over the logarithm
      bin.line_bytes = bytes_per_line(bin.beyond.missed + (1 - middle) * bin.within.missed);
      taken += bin.line_bytes * lines_in(b);
      bin.taken = taken;
    }
    cold_ = {reuse.cold, reuse.cold_followed};
  }

  // Of all reads those that miss a cache of so many bytes.
  [[nodiscard]] Shares beyond(double bytes) const {
    std::size_t b = 0;
    while (b < bins_ && bin_[b].taken < bytes) ++b;
    if (b == bins_) return cold_;
    const Bin& bin = bin_[b];
    const double lines = bin.first + std::max(0.0, lines_in(b) - (bin.taken - bytes) / bin.line_bytes);
    const double hit = b == 0 ? lines / 2 : std::log2(lines / bin.first);
    return {bin.beyond.missed + (1 - hit) * bin.within.missed, bin.beyond.followed + (1 - hit) * bin.within.followed};
  }

 private:
  static constexpr std::size_t most_bins = 64;
  struct Bin {
    Shares beyond, within;  // reads at longer distances, and at those of the bin
    double first = 0;       // its least distance in lines
    double line_bytes = 0;  // what a further line takes, with the entries that come by until then
    double taken = 0;       // by all lines up to its end
  };
  static double bytes_per_line(double missed) { return cache_line_bytes + csr_entry_bytes / std::max(missed, 1e-9); }
  static double lines_in(std::size_t b) { return b == 0 ? 2.0 : std::ldexp(1.0, static_cast<int>(b)); }

  std::size_t bins_;
  std::array<Bin, most_bins> bin_;
  Shares cold_;
};

bool counts(const CacheLevel& cache) { return cache.level >= 1 && cache.level <= 3 && cache.size_bytes > 0; }
}  // namespace

double last_cache_bytes(const DeviceProperties& properties) {
  double last = 0;
  for (const CacheLevel& cache : properties.caches) last = std::max(last, static_cast<double>(cache.size_bytes));
  return last;
}

double too_large(double capacity, const Workload& w) {
  const double fill = capacity / std::max(w.format_bytes, 1.0), square = fill * fill;
  return 1 / (1 + square * square);
}

MissShares::MissShares(const XReuse& reuse, const DeviceProperties& properties) {
  const Filling filling(reuse);
  for (const CacheLevel& cache : properties.caches) {
    if (!counts(cache)) continue;
    const Filling::Shares beyond = filling.beyond(static_cast<double>(cache.size_bytes));
    const auto level = static_cast<std::size_t>(cache.level - 1);
    missed[level] = beyond.missed;
    followed[level] = std::min(beyond.missed, beyond.followed);
  }
  if (const double last = last_cache_bytes(properties); last > 0)
    followed_again = std::max(0.0, filling.beyond(last).followed - reuse.cold_followed);
  for (int level = 0; level < Workload::scatter_levels; ++level) {
    const Filling::Shares beyond = filling.beyond(curve_bytes * Workload::scatter_capacity(level));
    scattered[static_cast<std::size_t>(level)] = std::max(0.0, beyond.missed - beyond.followed);
  }
}

void count_misses(const MissShares& shares, double reads, const DeviceProperties& properties, int threads,
                  Workload& w) {
  for (const CacheLevel& cache : properties.caches) {
    if (!counts(cache)) continue;
    const auto capacity = static_cast<double>(cache.size_bytes);
    const double together = cache.level < 3 ? capacity * threads : capacity;  // every core has caches of its own
    const auto level = static_cast<std::size_t>(cache.level - 1);
    const double missing = reads * too_large(together, w);
    w.misses[level] = missing * shares.missed[level];
    w.followed[level] = missing * shares.followed[level];
  }
  w.followed_again = reads * shares.followed_again * too_large(last_cache_bytes(properties), w);
  for (int level = 0; level < Workload::scatter_levels; ++level)
    w.scattered[static_cast<std::size_t>(level)] =
        reads * shares.scattered[static_cast<std::size_t>(level)] * too_large(Workload::scatter_capacity(level), w);
}
}  // namespace sparsecast::forecast
