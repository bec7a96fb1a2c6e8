#include "solving/forecast/rates.hpp"

#include <algorithm>
#include <cmath>
#include <sparsecast/error.hpp>
#include <sparsecast_constants.hpp>

#include "base/curve.hpp"
#include "calibration/rounds.hpp"
#include "forecast/physical/core_costs.hpp"
#include "forecast/physical/gpu_terms.hpp"
#include "hardware/description.hpp"

namespace sparsecast::solving {
namespace {
constexpr double value_bytes = 8, index_bytes = 4, pointer_bytes = 8;
// Every step away from what was measured brings as much doubt again: the curve of another pass, a data sheet.
const double curve_doubt = constants::measured_doubt * constants::measured_doubt;
const double described_doubt = curve_doubt * constants::measured_doubt;

const Curve* usable_curve(const Profile& profile, const char* name, int threads) {
  const Curve* curve = profile.curve(name, threads);
  return curve != nullptr && base::usable(*curve) ? curve : nullptr;
}

// A pass takes no longer than one over more bytes, and interruptions only make it slower: a point that they hit is
// held by those behind it. Looked at: 136 ms for half a megabyte before 12 µs for two (`calibrate --quick`, busy
// guest).
Curve uninterrupted(Curve curve) {
  for (std::size_t i = curve.x.size() - 1; i-- > 0;)
    curve.y[i] = std::max(curve.y[i], curve.y[i + 1] * curve.x[i] / curve.x[i + 1]);
  return curve;
}
}  // namespace

double preconditioner_bytes(const PreconditionerWork& work) {
  if (work.kind == PreconditionerKind::block_jacobi) return work.rows * block_rows * value_bytes;
  if (!work.lower) return 0;
  return (work.lower->entries + work.upper->entries) * (value_bytes + index_bytes) +
         2 * work.rows * (value_bytes + index_bytes + pointer_bytes);
}

Rates::Rates(const Profile& profile, int threads)
    : threads_(std::max(1, threads)),
      gpu_(profile.properties.kind != DeviceKind::host),
      cycle_s_(forecast::CoreCosts(profile).cycle_s),
      doubt_(described_doubt) {
  if (gpu_) {
    describe_gpu(profile);
  } else if (usable_curve(profile, "read_bandwidth", threads_) != nullptr) {
    take_curves(profile);
  } else {
    describe_host(profile.tier == Tier::data_sheet ? with_threads(profile.properties, threads) : profile.properties);
  }
}

void Rates::take_curves(const Profile& profile) {
  const Curve* launch = profile.curve("launch", threads_);
  if (threads_ > 1)
    start_s_ = launch != nullptr && !launch->y.empty()
                   ? launch->y[0]
                   : calibration::usual_of_records(profile.records, &Record::launch_s, threads_);
  flop_s_ = constants::flop_cycles * cycle_s_ / threads_;
  if (const Curve* dot = usable_curve(profile, "dot_bandwidth", threads_)) {
    reads_ = forecast::without_start(uninterrupted(*dot), start_s_);
    if (const Curve* update = usable_curve(profile, "update_bandwidth", threads_))
      updates_ = forecast::without_start(uninterrupted(*update), start_s_);
    doubt_ = constants::measured_doubt;
  } else {
    reads_ = forecast::without_start(uninterrupted(*usable_curve(profile, "read_bandwidth", threads_)), start_s_);
    doubt_ = curve_doubt;
  }
}

void Rates::describe_host(const DeviceProperties& p) {
  const double units = std::max(1, p.compute_units);
  slowest_read_s_ = 1 / (constants::sheet_reached *
                         (p.memory_bandwidth > 0 ? p.memory_bandwidth : constants::core_bandwidth * units));
  fast_read_s_ = cycle_s_ / (constants::cache_bytes_per_cycle * units);
  for (const CacheLevel& cache : p.caches)
    fast_bytes_ = std::max(fast_bytes_, static_cast<double>(cache.size_bytes) * units / std::max(1, cache.shared_by));
  start_s_ = units > 1 ? (p.launch_s > 0 ? p.launch_s : constants::launch_s) : 0;
  flop_s_ = constants::flop_cycles * cycle_s_ / units;
  threads_ = static_cast<int>(units);
}

void Rates::describe_gpu(const Profile& profile) {
  const DeviceProperties& p = profile.properties;
  const Curve* read = usable_curve(profile, "read_bandwidth", 0);
  const Curve* launch = profile.curve("launch", 0);
  const double units = std::max(1, p.compute_units);
  slowest_read_s_ = 1 / (constants::sheet_reached *
                         (p.memory_bandwidth > 0 ? p.memory_bandwidth : constants::core_bandwidth * units));
  fast_read_s_ = slowest_read_s_ / constants::gpu_cache_gain;
  for (const CacheLevel& cache : p.caches) fast_bytes_ = std::max(fast_bytes_, static_cast<double>(cache.size_bytes));
  start_s_ = launch != nullptr && !launch->y.empty() && launch->y.back() > 0 ? launch->y.back()
             : p.launch_s > 0                                                ? p.launch_s
                                                                             : constants::launch_s;
  sum_s_ = start_s_;  // a further launch: sums stay on the device
  if (read != nullptr) {
    reads_ = forecast::without_start(*read, start_s_);
    doubt_ = curve_doubt;
  }
  flop_s_ = cycle_s_ / (2 * 32 * units);
}

double Rates::read_s(double reach) const {
  if (reads_) return 1 / base::value_at(*reads_, reach);
  // Beyond the caches nothing is left in them, in the manner of the other terms (physical_terms.cpp).
  const double beyond = fast_bytes_ > 0 ? 1 - 1 / (1 + std::pow(reach / fast_bytes_, 2)) : 1;
  return fast_read_s_ + beyond * (slowest_read_s_ - fast_read_s_);
}

double Rates::write_s(double reach) const {
  if (!updates_) return read_s(reach);
  // The curve tells the time for both vectors of y += a·x: two values are read and one is written.
  return std::max(0.5 * read_s(reach), 2 / base::value_at(*updates_, reach) - 2 * read_s(reach));
}

double Rates::triangle_s(const TriangleWork& work, double reach) const {
  const double bytes =
      work.entries * (value_bytes + index_bytes) + work.rows * (value_bytes + index_bytes + pointer_bytes);
  const double vectors = work.rows * 2 * value_bytes;
  const double stream = (bytes + vectors) * read_s(reach) + work.rows * value_bytes * write_s(reach);
  if (gpu_) return work.levels * start_s_ + stream;
  const double apart = (constants::entry_cycles * work.entries + constants::load_cycles * work.rows) * cycle_s_;
  if (work.shared)  // by levels, rows find neither x nor each other in the first cache
    return std::max(constants::level_factor * apart / threads_, stream) + start_s_ + work.levels * start_s_;
  return std::max({apart, stream, apart / 2 + constants::chain_cycles * work.chained * cycle_s_});
}

Estimate Rates::apply(const PreconditionerWork& work, double reach) const {
  if (work.kind == PreconditionerKind::block_jacobi) {
    const double bytes = preconditioner_bytes(work) + work.rows * value_bytes;
    return Estimate::within(start_s_ + bytes * read_s(reach) + work.rows * value_bytes * write_s(reach), doubt_);
  }
  if (!work.lower) return {};
  return Estimate::within(triangle_s(*work.lower, reach) + triangle_s(*work.upper, reach),
                          std::max(doubt_, curve_doubt));
}

double Rates::make_s(const PreconditionerWork& work) const {
  switch (work.kind) {
    case PreconditionerKind::none: return 0;
    case PreconditionerKind::jacobi: return work.rows * constants::setup_cycles * cycle_s_;
    case PreconditionerKind::block_jacobi:
      return work.rows * block_rows * (constants::setup_cycles + 2 * block_rows * constants::flop_cycles) * cycle_s_;
    case PreconditionerKind::ic0:
    case PreconditionerKind::ilu0: break;
  }
  return (work.eliminations * constants::level_factor * constants::entry_cycles +
          (work.nonzeros + 4 * work.rows) * constants::setup_cycles) *
         cycle_s_;
}
}  // namespace sparsecast::solving
