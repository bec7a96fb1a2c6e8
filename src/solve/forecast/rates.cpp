#include "solve/forecast/rates.hpp"

#include <algorithm>
#include <cmath>

#include "base/curve.hpp"

namespace sparsecast::solve {
namespace {

// Cycles of a load from the first cache that the next one waits for, on the processors of the catalogue.
constexpr double load_cycles = 5;
// Cycles of triangular solves: an entry, a row begun and ended, and a row that waits for one just before it (the load
// of what was stored, multiplication, subtraction, multiplication by the diagonal).
constexpr double entry_cycles = 2, row_cycles = 5, chain_cycles = 18;
// The same level by level, where rows find neither their entries of x nor each other in the first cache.
constexpr double level_entry_cycles = 8, level_row_cycles = 24;
// Small dense products of plain code: cycles of a multiplication or an addition, as lobpcg:4 took them on one processor
// (docs/results-solve.md).
constexpr double flop_cycles = 0.36;
// Making preconditioners, in cycles: a row whose diagonal is looked up, a row of a dense block inverted, an entry of a
// factor moved, a multiplication of an incomplete factorisation.
constexpr double lookup_cycles = 30, block_cycles = 400, moved_cycles = 30, elimination_cycles = 6;
// A data sheet's bandwidth as passes over vectors come out, and what caches give a core in a cycle.
constexpr double host_share = 0.75, gpu_share = 0.85, cache_bytes_per_cycle = 16, gpu_cache_gain = 2.5;
constexpr double gpu_launch_s = 4e-6, gpu_sum_s = 1.2e-5, host_start_s = 2e-6;
// A written byte beside a read one, where nothing was measured.
constexpr double write_share = 1.2;
constexpr double measured_doubt = 1.2, curve_doubt = 1.5, described_doubt = 1.8, triangle_doubt = 1.5;
constexpr double value_bytes = 8, index_bytes = 4, pointer_bytes = 8;

const Curve* usable_curve(const Profile& profile, const char* name, int threads) {
  const Curve* curve = profile.curve(name, threads);
  return curve != nullptr && base::usable(*curve) ? curve : nullptr;
}

// Several threads' rates without what starting them costs, which is a term of its own.
Curve without_start(Curve curve, double start_s) {
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    const double seconds = curve.x[i] / curve.y[i];
    curve.y[i] = curve.x[i] / std::max(seconds - start_s, seconds / 4);
  }
  return curve;
}

}  // namespace

Rates::Rates(const Profile& profile, int threads)
    : threads_(std::max(1, threads)), gpu_(profile.properties.kind != DeviceKind::host), doubt_(described_doubt) {
  const DeviceProperties& p = profile.properties;
  const Curve* latency = usable_curve(profile, "latency", 1);
  cycle_s_ = p.clock_hz > 0 ? 1 / p.clock_hz : 1 / 3e9;
  if (!gpu_ && latency != nullptr) cycle_s_ = latency->y.front() / load_cycles;
  if (gpu_) {
    describe_gpu(profile);
  } else if (usable_curve(profile, "read_bandwidth", threads_) != nullptr) {
    take_curves(profile);
  } else {
    describe_host(p);
  }
}

void Rates::take_curves(const Profile& profile) {
  const Curve* launch = profile.curve("launch", threads_);
  if (threads_ > 1) start_s_ = launch != nullptr && !launch->y.empty() ? launch->y[0] : host_start_s;
  flop_s_ = flop_cycles * cycle_s_ / threads_;
  if (const Curve* dot = usable_curve(profile, "dot_bandwidth", threads_)) {
    reads_ = without_start(*dot, start_s_);
    if (const Curve* update = usable_curve(profile, "update_bandwidth", threads_))
      updates_ = without_start(*update, start_s_);
    doubt_ = measured_doubt;
  } else {
    reads_ = without_start(*usable_curve(profile, "read_bandwidth", threads_), start_s_);
    doubt_ = curve_doubt;
  }
}

void Rates::describe_host(const DeviceProperties& p) {
  const double units = std::max(1, p.compute_units);
  slowest_read_s_ = 1 / (host_share * (p.memory_bandwidth > 0 ? p.memory_bandwidth : 1e10 * units));
  fast_read_s_ = cycle_s_ / (cache_bytes_per_cycle * units);
  for (const CacheLevel& cache : p.caches)
    fast_bytes_ = std::max(fast_bytes_, static_cast<double>(cache.size_bytes) * units / std::max(1, cache.shared_by));
  start_s_ = units > 1 ? (p.launch_s > 0 ? p.launch_s : host_start_s) : 0;
  flop_s_ = flop_cycles * cycle_s_ / units;
  threads_ = static_cast<int>(units);
}

void Rates::describe_gpu(const Profile& profile) {
  const DeviceProperties& p = profile.properties;
  const Curve* read = usable_curve(profile, "read_bandwidth", 0);
  const Curve* launch = profile.curve("launch", 0);
  slowest_read_s_ = 1 / (gpu_share * (p.memory_bandwidth > 0 ? p.memory_bandwidth : 1e11));
  fast_read_s_ = slowest_read_s_ / gpu_cache_gain;
  for (const CacheLevel& cache : p.caches) fast_bytes_ = std::max(fast_bytes_, static_cast<double>(cache.size_bytes));
  if (read != nullptr) {
    reads_ = *read;
    doubt_ = curve_doubt;
  }
  start_s_ = launch != nullptr && !launch->y.empty() && launch->y.back() > 0 ? launch->y.back()
             : p.launch_s > 0                                                ? p.launch_s
                                                                             : gpu_launch_s;
  sum_s_ = gpu_sum_s;
  flop_s_ = 1 / (2.0 * std::max(1, p.compute_units) * 32 * std::max(1e8, p.clock_hz));
}

double Rates::read_s(double reach) const {
  if (reads_) return 1 / base::value_at(*reads_, reach);
  // Beyond the caches nothing is left in them, in the manner of the other terms (physical_terms.cpp).
  const double beyond = fast_bytes_ > 0 ? 1 - 1 / (1 + std::pow(reach / fast_bytes_, 2)) : 1;
  return fast_read_s_ + beyond * (slowest_read_s_ - fast_read_s_);
}

double Rates::write_s(double reach) const {
  if (!updates_) return write_share * read_s(reach);
  // The curve tells the time for both vectors of y += a·x: two values are read and one is written.
  return std::max(0.3 * read_s(reach), 2 / base::value_at(*updates_, reach) - 2 * read_s(reach));
}

double Rates::triangle_s(const TriangleWork& work, double reach) const {
  const double bytes =
      work.entries * (value_bytes + index_bytes) + work.rows * (value_bytes + index_bytes + pointer_bytes);
  const double vectors = work.rows * 2 * value_bytes;
  const double stream = (bytes + vectors) * read_s(reach) + work.rows * value_bytes * write_s(reach);
  if (gpu_) return work.levels * start_s_ + stream;
  if (work.shared) {
    const double busy = (level_entry_cycles * work.entries + level_row_cycles * work.rows) * cycle_s_;
    return std::max(busy / threads_, stream) + start_s_ + work.levels * start_s_;
  }
  const double apart = (entry_cycles * work.entries + row_cycles * work.rows) * cycle_s_;
  return std::max({apart, stream, apart / 2 + chain_cycles * work.chained * cycle_s_});
}

double preconditioner_bytes(const PreconditionerWork& work) {
  if (work.kind == PreconditionerKind::block_jacobi) return work.rows * block_rows * value_bytes;
  if (!work.lower) return 0;
  return (work.lower->entries + work.upper->entries) * (value_bytes + index_bytes) +
         2 * work.rows * (value_bytes + index_bytes + pointer_bytes);
}

Estimate Rates::apply(const PreconditionerWork& work, double reach) const {
  if (work.kind == PreconditionerKind::block_jacobi) {
    const double bytes = preconditioner_bytes(work) + work.rows * value_bytes;
    return Estimate::within(start_s_ + bytes * read_s(reach) + work.rows * value_bytes * write_s(reach), doubt_);
  }
  if (!work.lower) return {};
  return Estimate::within(triangle_s(*work.lower, reach) + triangle_s(*work.upper, reach),
                          std::max(doubt_, triangle_doubt));
}

double Rates::make_s(const PreconditionerWork& work) const {
  switch (work.kind) {
    case PreconditionerKind::none:
      return 0;
    case PreconditionerKind::jacobi:
      return work.rows * lookup_cycles * cycle_s_;
    case PreconditionerKind::block_jacobi:
      return work.rows * block_cycles * cycle_s_;
    case PreconditionerKind::ic0:
    case PreconditionerKind::ilu0:
      break;
  }
  return (work.eliminations * elimination_cycles + (work.nonzeros + 4 * work.rows) * moved_cycles) * cycle_s_;
}

}  // namespace sparsecast::solve
