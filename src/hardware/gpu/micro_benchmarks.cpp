#include "hardware/gpu/micro_benchmarks.hpp"

#include <algorithm>
#include <numeric>
#include <sparsecast/error.hpp>

#include "base/interrupt.hpp"
#include "base/median.hpp"
#include "base/random.hpp"

namespace sparsecast::hardware {
constexpr std::int64_t element_bytes = 8;

std::vector<std::int64_t> PointerRing::links() const {
  std::vector<std::int64_t> content(static_cast<std::size_t>(elements()));
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::int64_t from = order[k] * row_elements, to = order[k + 1 < order.size() ? k + 1 : 0] * row_elements;
    for (std::int64_t column = 0; column < row_elements; ++column)
      content[static_cast<std::size_t>(from + column)] = (to + column) * element_bytes;
  }
  return content;
}

PointerRing shuffled_ring(std::int64_t bytes) {
  constexpr std::int64_t line_bytes = 128, page_bytes = 2 << 20, page_lines = page_bytes / line_bytes;
  PointerRing ring{line_bytes / element_bytes, {}};
  ring.order.resize(static_cast<std::size_t>(std::max<std::int64_t>(2, bytes / line_bytes)));
  std::iota(ring.order.begin(), ring.order.end(), std::int64_t{0});
  base::Random random(2);
  const auto lines = static_cast<std::int64_t>(ring.order.size());
  for (std::int64_t page = 0; page < lines; page += page_lines) {
    const std::int64_t end = std::min(page + page_lines, lines);
    for (std::int64_t i = end - 1; i > page; --i) {
      const std::int64_t j = page + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(i - page + 1)));
      std::swap(ring.order[static_cast<std::size_t>(i)], ring.order[static_cast<std::size_t>(j)]);
    }
  }
  return ring;
}

PointerRing streaming_ring(std::int64_t bytes, std::int64_t row_elements, std::int64_t stride) {
  PointerRing ring{row_elements, {}};
  // One row more than a multiple of the stride: then the stride leads through all of them before it comes back.
  const std::int64_t rounds = std::max<std::int64_t>(1, bytes / (row_elements * element_bytes) / stride);
  const std::int64_t rows = rounds * stride + 1;
  ring.order.resize(static_cast<std::size_t>(rows));
  for (std::int64_t k = 0, row = 0; k < rows; ++k, row = (row + stride) % rows)
    ring.order[static_cast<std::size_t>(k)] = row;
  return ring;
}

namespace {
using Kind = MicroBenchmarkKind;
using enum Kind::Ring;

constexpr Kind kinds[] = {
#include "hardware/gpu/micro_benchmarks.def"
};

constexpr int warp = 32, short_round = 32, long_round = 96;  // as in chains.h

struct Measured {
  double cycles = 0, seconds = 0;
};

class MicroBenchmarks {
 public:
  MicroBenchmarks(GpuRuntime& runtime, bool quick)
      : runtime_(runtime), run_s_(quick ? 0.0003 : 0.002), repeats_(quick ? 3 : 7) {
    const DeviceProperties& p = runtime.properties();
    const std::int64_t resident =
        std::int64_t{std::max(1, p.compute_units)} * std::max(1, p.threads_per_unit / gpu_group_size);
    most_groups_ = std::min(resident, runtime.most_groups());
    cycles_ = runtime.allocate(8 * std::max<std::int64_t>(most_groups_, gpu_group_size));
    for (const CacheLevel& cache : p.caches) last_cache_ = cache.size_bytes;
  }

  MicroBenchmark measure(const Kind& kind, bool throughput) {
    MicroBenchmark result{std::string(kind.name), throughput, 1, 1, {}, {}, 0};
    result.groups = throughput ? most_groups_ : 1;
    const bool chase = kind.ring != none;
    result.threads = throughput || kind.whole_group ? gpu_group_size : chase ? 1 : warp;
    load_ring(kind.ring, throughput);
    if (chase) result.bytes = 8 * ring_.elements();

    GpuKernel& kernel = runtime_.kernel(kind.function, kind.precision, 0);
    const auto run = [&](std::int64_t short_rounds, std::int64_t long_rounds) {
      return run_once(kernel, result, chase, short_rounds, long_rounds);
    };
    std::int64_t rounds = 1;
    constexpr std::int64_t most_rounds = 1 << 14;
    run(0, rounds);
    while (rounds < most_rounds && run(0, rounds).seconds < run_s_) rounds *= 2;
    std::array<std::vector<double>, 2> cycles, seconds;
    for (int i = 0; i < repeats_; ++i) {
      base::throw_if_interrupted();
      for (const std::size_t length : {0U, 1U}) {
        const Measured m = length == 0 ? run(rounds, 0) : run(0, rounds);
        cycles[length].push_back(m.cycles);
        seconds[length].push_back(m.seconds);
      }
    }
    // A timer too coarse to see a run must not make a profile that cannot be read.
    constexpr double least_s = 1e-9;
    result.shorter = {short_round * rounds, base::median(cycles[0]), std::max(base::median(seconds[0]), least_s)};
    result.longer = {long_round * rounds, base::median(cycles[1]), std::max(base::median(seconds[1]), least_s)};
    return result;
  }

 private:
  Measured run_once(GpuKernel& kernel, const MicroBenchmark& shape, bool chase, std::int64_t short_rounds,
                    std::int64_t long_rounds) {
    std::vector<GpuArgument> arguments{shape.threads, short_rounds, long_rounds};
    if (chase) {
      // A chase of one thread goes on where the last one stopped, or it would find in a cache what that one read.
      const auto rows = static_cast<std::int64_t>(ring_.order.size());
      arguments.emplace_back(
          shape.throughput ? 0 : ring_.order[static_cast<std::size_t>(visited_ % rows)] * ring_.row_elements);
      arguments.emplace_back(group_step_);
      arguments.emplace_back(memory_.get());
      visited_ += short_round * short_rounds + long_round * long_rounds;
    } else {
      arguments.emplace_back(std::int64_t{1});
    }
    arguments.emplace_back(cycles_.get());
    runtime_.start_timer();
    runtime_.launch(kernel, shape.groups, arguments);
    Measured measured;
    measured.seconds = runtime_.stop_timer();
    std::vector<std::int64_t> cycles(static_cast<std::size_t>(shape.groups));
    runtime_.download(*cycles_, cycles.data(), 8 * shape.groups);
    // Warps of a multiprocessor do not take turns: the first groups end in half the time of the last one (an H100).
    measured.cycles = static_cast<double>(*std::ranges::max_element(cycles));
    return measured;
  }

  void load_ring(Kind::Ring ring, bool throughput) {
    if (ring == none) return;
    const std::int64_t largest = std::min(runtime_.properties().memory_bytes / 4, runtime_.largest_buffer());
    std::int64_t bytes = 8192;  // fits the smallest first-level cache
    group_step_ = 0;
    std::int64_t stride = 1;
    if (ring != first_level) {
      // A quarter of the second-level cache: it may hold two copies. Eight times as much: it holds nearly nothing.
      bytes = ring == second_level ? std::max<std::int64_t>(last_cache_ / 4, 128 << 10)
                                   : std::clamp<std::int64_t>(8 * last_cache_, 64 << 20, 1 << 30);
      stride = most_groups_;
      group_step_ = gpu_group_size;
    }
    bytes = std::min(bytes, largest);
    ring_ = throughput ? streaming_ring(bytes, gpu_group_size, stride) : shuffled_ring(bytes);
    visited_ = 0;
    const std::vector<std::int64_t> links = ring_.links();
    const auto count = static_cast<std::int64_t>(links.size());
    memory_.reset();
    memory_ = runtime_.allocate(8 * count);
    runtime_.upload(*memory_, links.data(), 8 * count);
    const std::array<GpuArgument, 2> arguments{count, memory_.get()};
    const std::int64_t groups = std::min((count + gpu_group_size - 1) / gpu_group_size, most_groups_);
    runtime_.launch(runtime_.kernel("link_ring", Precision::single_, 0), groups, arguments);
  }

  GpuRuntime& runtime_;
  double run_s_;
  int repeats_;
  std::int64_t most_groups_ = 1, last_cache_ = 4 << 20, group_step_ = 0, visited_ = 0;
  PointerRing ring_;
  std::unique_ptr<GpuBuffer> cycles_, memory_;
};
}  // namespace

std::span<const MicroBenchmarkKind> micro_benchmark_kinds() { return kinds; }

std::vector<MicroBenchmark> run_micro_benchmarks(GpuRuntime& runtime, bool quick) {
  MicroBenchmarks measured(runtime, quick);
  std::vector<MicroBenchmark> results;
  for (const Kind& kind : kinds) {
    if (kind.cuda_only && runtime.properties().kind != DeviceKind::cuda) continue;
    try {
      if (kind.latency) results.push_back(measured.measure(kind, false));
      if (kind.throughput) results.push_back(measured.measure(kind, true));
    } catch (const Error& error) {
      if (error.code() != ErrorCode::unavailable) throw;
    }
  }
  return results;
}
}  // namespace sparsecast::hardware
