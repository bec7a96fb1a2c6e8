#include "cluster/node_curves.hpp"

#include <algorithm>
#include <barrier>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>
#include <sparsecast/error.hpp>
#include <sparsecast/profile.hpp>
#include <thread>

#include "base/clock.hpp"
#include "base/curve.hpp"
#include "base/interrupt.hpp"
#include "base/random.hpp"

namespace sparsecast::cluster {
namespace {
constexpr double least_bytes = 16 << 10, most_bytes = 64 << 20;

// STREAM's triad a = b + s·c, repeated for `seconds`; bytes/s of the calling thread.
template <class Value>
double triad_rate(std::int64_t bytes, double seconds, std::barrier<>& together) {
  const auto n =
      static_cast<std::size_t>(std::max<std::int64_t>(8, bytes / (3 * static_cast<std::int64_t>(sizeof(Value)))));
  Array<Value> a(n, Value(0)), b(n, Value(1)), c(n, Value(2));
  const int repetitions = std::max(1, static_cast<int>(1e-4 * 1e10 / static_cast<double>(bytes)));
  double best = 0;
  together.arrive_and_wait();
  for (const double end = base::now_s() + seconds; base::now_s() < end;) {
    const double begin = base::now_s();
    for (int k = 0; k < repetitions; ++k) {
      for (std::size_t i = 0; i < n; ++i) a[i] = b[i] + Value(0.5) * c[i];
      asm volatile("" : : "r"(a.data()) : "memory");
    }
    // The best of the batches: what disturbs the others is not this machine's bandwidth.
    best = std::max(best, 3.0 * static_cast<double>(n * sizeof(Value)) * repetitions / (base::now_s() - begin));
  }
  together.arrive_and_wait();
  return best;
}

template <class Value>
BandwidthCurve bandwidth(int busy, double seconds_per_point) {
  BandwidthCurve curve{static_cast<int>(sizeof(Value)), busy, {}, {}};
  for (double bytes = least_bytes; bytes <= most_bytes; bytes *= 2) {
    base::throw_if_interrupted();
    std::barrier together(busy);
    std::vector<double> rates(static_cast<std::size_t>(busy));
    std::vector<std::jthread> threads;
    for (int t = 0; t < busy; ++t)
      threads.emplace_back([&, t] {
        rates[static_cast<std::size_t>(t)] =
            triad_rate<Value>(static_cast<std::int64_t>(bytes), seconds_per_point, together);
      });
    threads.clear();
    curve.bytes.push_back(bytes);
    curve.rate.push_back(std::accumulate(rates.begin(), rates.end(), 0.0) / busy);
  }
  return curve;
}

// A ring of cache lines in random order: every load waits for the one before.
double load_latency(std::int64_t bytes, double seconds) {
  const auto lines = static_cast<std::size_t>(std::max<std::int64_t>(2, bytes / 64));
  std::vector<std::size_t> order(lines);
  std::iota(order.begin(), order.end(), std::size_t{0});
  base::Random random(lines);
  for (std::size_t k = lines - 1; k > 0; --k) std::swap(order[k], order[random.below(k + 1)]);
  struct alignas(64) Line {
    Line* next;
  };
  Array<Line> ring(lines);
  for (std::size_t k = 0; k < lines; ++k) ring[order[k]].next = &ring[order[(k + 1) % lines]];
  const Line* at = ring.data();
  double best = 1;
  const std::size_t loads = std::clamp<std::size_t>(lines, 4096, 1 << 20);
  for (const double end = base::now_s() + seconds; base::now_s() < end;) {
    const double begin = base::now_s();
    for (std::size_t k = 0; k < loads; ++k) at = at->next;
    asm volatile("" : : "r"(at));
    best = std::min(best, (base::now_s() - begin) / static_cast<double>(loads));
  }
  return best;
}

// Eight sums in flight fill the pipeline of two units with four cycles each (the paper's section III-C).
double fma_seconds(double seconds) {
  double sums[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  double best = 1;
  constexpr int rounds = 100000;
  for (const double end = base::now_s() + seconds; base::now_s() < end;) {
    const double begin = base::now_s();
    for (int k = 0; k < rounds; ++k)
      for (double& sum : sums) {
        sum = sum * 0.999 + 0.001;
        asm volatile("" : "+x"(sum));
      }
    best = std::min(best, (base::now_s() - begin) / (8.0 * rounds));
  }
  return best;
}

// Takes about `seconds` altogether. Threads stand for processes: they share caches and memory in the same way.
NodeCurves measure_node(int cores, double seconds) {
  NodeCurves curves;
  const double points = std::log2(most_bytes / least_bytes) + 1;
  const double each = seconds / (points * (1 + 2.0 * cores));
  for (int busy = 1; busy <= cores; ++busy) {
    curves.bandwidth.push_back(bandwidth<double>(busy, each));
    curves.bandwidth.push_back(bandwidth<float>(busy, each));
  }
  for (double bytes = least_bytes; bytes <= most_bytes; bytes *= 2) {
    base::throw_if_interrupted();
    curves.latency.bytes.push_back(bytes);
    curves.latency.seconds.push_back(load_latency(static_cast<std::int64_t>(bytes), each));
  }
  curves.fma_s = fma_seconds(each);
  return curves;
}

// The same from what `sparsecast calibrate` measured on this host: read_bandwidth with one and with all threads, whose
// shares stand for processes, and latency; the triad in single precision and the multiply-add are timed now, in about
// `seconds`. nullopt where the host was never
// calibrated or another number of threads was.
std::optional<NodeCurves> calibrated_node(int cores, double seconds) {
  Profile host;
  try {
    host = calibrated_profile("host");
  } catch (const Error&) {
    return std::nullopt;
  }
  if (!host.shipped.empty()) return std::nullopt;  // what ships stands in: nothing was measured
  const Curve* const latency = host.curve("latency", 1);
  if (latency == nullptr || !base::usable(*latency)) return std::nullopt;
  NodeCurves node;
  const double each = seconds / ((std::log2(most_bytes / least_bytes) + 1) * cores);
  for (int busy = 1; busy <= cores; ++busy) {
    const Curve* const rate = host.curve("read_bandwidth", busy);
    if (rate == nullptr || !base::usable(*rate)) {
      if (busy == 1 || busy == cores) return std::nullopt;
      continue;
    }
    BandwidthCurve curve{8, busy, rate->x, rate->y};
    for (double& bytes : curve.bytes) bytes /= busy;
    for (double& bytes_per_s : curve.rate) bytes_per_s /= busy;
    node.bandwidth.push_back(std::move(curve));
    node.bandwidth.push_back(bandwidth<float>(busy, each));
  }
  node.latency = {latency->x, latency->y};
  node.fma_s = fma_seconds(0.05);
  return node;
}
}  // namespace

NodeCurves node_on(const Platform& platform, NodeCurves host) {
  const auto alone = std::ranges::find_if(
      host.bandwidth, [](const BandwidthCurve& curve) { return curve.busy == 1 && curve.value_bytes == 8; });
  if (platform.memory_bandwidth <= 0 || alone == host.bandwidth.end()) return host;
  const BandwidthCurve one = *alone;
  std::vector<BandwidthCurve> curves;
  for (int busy = 2; busy < 2 * platform.cores_per_host; busy *= 2) {
    BandwidthCurve curve = one;
    curve.busy = std::min(busy, platform.cores_per_host);
    const double in_cache = std::max(
        1.0, static_cast<double>(curve.busy) * platform.cache_cores / static_cast<double>(platform.cores_per_host));
    const double share = static_cast<double>(platform.cache_bytes) / in_cache;
    for (std::size_t k = 0; k < curve.bytes.size(); ++k) {
      const double beyond = share > 0 ? share_beyond(curve.bytes[k], share) : 1;
      const double memory = std::min(one.rate[k], platform.memory_bandwidth / curve.busy);
      curve.rate[k] = 1 / std::lerp(1 / one.rate[k], 1 / memory, beyond);
    }
    curves.push_back(curve);
    curve.value_bytes = 4;
    curves.push_back(std::move(curve));
  }
  std::ranges::move(curves, std::back_inserter(host.bandwidth));
  return host;
}

std::vector<BandwidthCurve> of_ranks(const std::vector<BandwidthCurve>& of_cores, int threads) {
  std::vector<BandwidthCurve> curves;
  for (BandwidthCurve curve : of_cores) {
    if (curve.busy % threads != 0) continue;
    curve.busy /= threads;
    for (double& bytes : curve.bytes) bytes *= threads;
    for (double& rate : curve.rate) rate *= threads;
    curves.push_back(std::move(curve));
  }
  return curves.empty() ? of_cores : curves;
}

NodeCurves known_node(int cores, double seconds) {
  auto known = calibrated_node(cores, seconds / 2);
  return known ? std::move(*known) : measure_node(cores, seconds);
}

CacheShare cache_share(const DeviceProperties& node, int cores, int threads) {
  CacheShare share;
  for (const CacheLevel& cache : node.caches)
    if (cache.level >= 1 && cache.level <= 3 && cache.size_bytes > 0)
      share.bytes[static_cast<std::size_t>(cache.level - 1)] =
          std::max<std::int64_t>(4096, threads * cache.size_bytes / std::clamp(cache.shared_by, 1, std::max(1, cores)));
  for (std::size_t level = 1; level < share.bytes.size(); ++level)
    share.bytes[level] = std::max(share.bytes[level], share.bytes[level - 1]);
  return share;
}
}  // namespace sparsecast::cluster
