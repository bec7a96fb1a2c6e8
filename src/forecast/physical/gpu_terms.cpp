#include "forecast/physical/gpu_terms.hpp"

#include "base/curve.hpp"
#include "forecast/physical/x_misses.hpp"
#include "formats/gpu/gpu_shape.hpp"

namespace sparsecast::forecast {
namespace {
using formats::Workload;

// Up to so many times a core's own cache a read costs what a miss of that cache does.
constexpr double near = 4;

double cache_bytes(const DeviceProperties& properties, int level) {
  double bytes = 0;
  for (const CacheLevel& cache : properties.caches)
    if (cache.level <= level) bytes = std::max(bytes, static_cast<double>(cache.size_bytes));
  return bytes;
}
}  // namespace

ScatteredSeconds scattered_seconds(const Profile& profile, int threads) {
  constexpr double usual_bandwidth = 1e10;
  ScatteredSeconds more{};
  const double own = cache_bytes(profile.properties, 2), last = cache_bytes(profile.properties, 3);
  const Curve* rate = profile.curve("gather_rate", threads);
  if (rate == nullptr || !base::usable(*rate)) {
    const Curve* read = profile.curve("read_bandwidth", threads);
    const double bandwidth = read != nullptr && base::usable(*read) ? read->y.back() : usual_bandwidth;
    for (std::size_t level = 0; level < more.size(); ++level) {
      const double capacity = Workload::scatter_capacity(static_cast<int>(level));
      if (capacity <= last / 2 && last / 2 < 2 * capacity) more[level] = cache_line_bytes / bandwidth;
    }
    return more;
  }
  double least = 0;  // a curve that falls again was disturbed
  for (std::size_t level = 0; level < more.size(); ++level) {
    const double capacity = Workload::scatter_capacity(static_cast<int>(level)), size = 2 * capacity;
    if (capacity < near * own || size > 2 * rate->x.back()) continue;
    if (least == 0) least = 1 / base::value_at(*rate, capacity);
    const double seconds = std::max(1 / base::value_at(*rate, size), least);
    double known = 1 / base::value_at(*rate, near * own);
    for (std::size_t below = 0; below < level; ++below)
      known += more[below] * (1 - Workload::scatter_capacity(static_cast<int>(below)) / size);
    more[level] = std::max(0.0, (seconds - known) / (1 - capacity / size));
    least = seconds;
  }
  return more;
}

namespace {
enum GpuParameter {
  g_launch,
  g_group,
  g_stream,
  g_partial,
  g_slot,
  g_padding,
  g_overflow,
  g_idle,
  g_latency,
  g_row,
  g_sum,
  g_tile,
  g_carry,
  g_gather,
  g_miss1,
  g_miss2,
  g_scattered,
  g_walked,
  g_aliased,
  g_misprediction,
  g_memory,
  g_longest,
  g_overlap,
  gpu_parameters
};

// What a unit of cost is: a pure number, a launch, an instruction of a lane, a load from memory.
enum class Unit { number, launch, lane, latency };

struct GpuParameterRow {
  double centre;     // in units, on a GPU
  double deviation;  // a factor e^deviation
  Unit unit;
  double on_processor;  // in units, where a core takes the lanes one after the other
};
constexpr std::array<GpuParameterRow, gpu_parameters> gpu_table{{
    {1, 1, Unit::launch, 1},           // launch: a kernel queued
    {3000, 1.5, Unit::lane, 300},      // launch: a work-group begun
    {1, 1, Unit::number, 1},           // stream: times bytes over measured bandwidth
    {0.2, 1.5, Unit::number, 0.01},    // stream: the same of sectors beyond those of the bytes
    {10, 1, Unit::lane, 4},            // compute: a slot: two loads, a gather, a multiplication and a step
    {5, 1.5, Unit::lane, 2},           // compute: a padded slot
    {30, 1.5, Unit::lane, 10},         // compute: an entry of the overflow
    {5, 1.5, Unit::lane, 0.01},        // compute: a lane that waits for a longer one
    {0.25, 1.5, Unit::latency, 1e-4},  // compute: a step that waits for memory; several are on their way
    {20, 1, Unit::lane, 8},            // rows: a row begun and written
    {3000, 1.5, Unit::lane, 3000},     // compute: a group that adds up over its lanes
    {10000, 1.5, Unit::lane, 10000},   // compute: a tile and the scan that ends it
    {100, 2, Unit::lane, 20},          // rows: a sum handed from group to group
    {1, 1, Unit::number, 1},           // x gather: times what the curve of gathers says
    {4, 2, Unit::lane, 2},             // x gather: a sector of x that misses the first cache
    {8, 2, Unit::lane, 4},             // x gather: and the last
    {10, 2, Unit::lane, 4},            // rows: a sum written in another order
    {0.01, 2, Unit::lane, 8},          // compute: a slot on a walk that leaves the first cache
    {0.01, 2, Unit::lane, 8},          // compute: a slot in lines that meet in the same sets of it
    {0.01, 1, Unit::lane, 25},         // row ends: a row end not predicted
    {1e5, 0.7, Unit::number, 1e5},     // predictor capacity: branches, or bits, of which half are forgotten
    {0.05, 1, Unit::latency, 0.03},    // longest row: a step of the longest lane
    {1, 1, Unit::number, 1},           // overlap: 0: one after the other; large: the longer of the two
}};

// What a description does not tell.
constexpr double usual_gpu_clock = 1.5e9, usual_core_clock = 3e9;
constexpr double usual_gpu_bandwidth = 2e11, usual_core_bandwidth = 1e10;
constexpr double usual_launch_s = 5e-6, gpu_latency_s = 6e-7, core_latency_s = 1e-7;
// Of the data sheet's bandwidth a stream reaches so much, and from the last cache some times as much.
constexpr double reached = 0.85, from_cache = 3;
// Instructions that a unit begins in a cycle, of one lane each: four schedulers of a warp; a core.
constexpr double lanes_per_cycle = 128, core_per_cycle = 1;

double last_cache(const DeviceProperties& p) {
  double last = 0;
  for (const CacheLevel& cache : p.caches) last = std::max(last, static_cast<double>(cache.size_bytes));
  return last > 0 ? last : 4e6;
}

// As in a repeated product: 0 where the predictor holds all of it.
double not_remembered(double amount, double memory) { return 1 / (1 + std::pow(memory / std::max(amount, 1.0), 4)); }

// The measured curve without the launch that every reading began with, which is a term of its own; else two points of
// the description.
Curve bandwidth_of(const Profile& profile, bool processor, double launch_s) {
  constexpr double least_share = 0.25;
  if (const Curve* measured = profile.curve("read_bandwidth", 0); measured != nullptr && base::usable(*measured)) {
    Curve curve = *measured;
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      const double seconds = curve.x[i] / curve.y[i];
      curve.y[i] = curve.x[i] / std::max(seconds - launch_s, least_share * seconds);
    }
    return curve;
  }
  const DeviceProperties& p = profile.properties;
  const double memory = p.memory_bandwidth > 0 ? reached * p.memory_bandwidth
                        : processor            ? usual_core_bandwidth
                                               : usual_gpu_bandwidth;
  return {"read_bandwidth", 0, {last_cache(p) / 2, 2 * last_cache(p)}, {from_cache * memory, memory}};
}
}  // namespace

GpuTerms::GpuTerms(const Profile& profile) : processor_(profile.properties.limits.contains("host_processor")) {
  const DeviceProperties& p = profile.properties;
  const double clock = p.clock_hz > 0 ? p.clock_hz : processor_ ? usual_core_clock : usual_gpu_clock;
  lane_s_ = 1 / (clock * std::max(1, p.compute_units) * (processor_ ? core_per_cycle : lanes_per_cycle));
  launch_s_ = p.launch_s > 0 ? p.launch_s : usual_launch_s;
  if (const Curve* launch = profile.curve("launch", 0); launch != nullptr && base::usable(*launch))
    launch_s_ = launch->y.front();
  bandwidth_ = bandwidth_of(profile, processor_, launch_s_);
  latency_s_ = processor_ ? core_latency_s : gpu_latency_s;
  if (const Curve* latency = profile.curve("latency", 0); latency != nullptr && base::usable(*latency))
    latency_s_ = latency->y.back();
  const Curve* rate = profile.curve("gather_rate", 0);
  const bool measured = rate != nullptr && base::usable(*rate);
  for (int level = 0; level < formats::GpuWork::gather_levels; ++level) {
    const double within = formats::GpuWork::gather_capacity(level), beyond = 4 * within;
    double& more = gather_s_[static_cast<std::size_t>(level)];
    if (measured)
      more = std::max(0.0, 1 / base::value_at(*rate, beyond) - 1 / base::value_at(*rate, within));
    else if (within <= last_cache(p) && last_cache(p) < beyond)
      more = static_cast<double>(formats::sector_bytes) / base::value_at(bandwidth_, beyond * 4);
  }
}

LogPrior GpuTerms::prior() const {
  LogPrior prior{Eigen::VectorXd(gpu_table.size()), Eigen::VectorXd(gpu_table.size()), 1};
  for (std::size_t j = 0; j < gpu_table.size(); ++j) {
    const GpuParameterRow& row = gpu_table[j];
    const double unit = row.unit == Unit::launch    ? launch_s_
                        : row.unit == Unit::lane    ? lane_s_
                        : row.unit == Unit::latency ? latency_s_
                                                    : 1;
    prior.centre[static_cast<Eigen::Index>(j)] = std::log(unit * (processor_ ? row.on_processor : row.centre));
    prior.deviation[static_cast<Eigen::Index>(j)] = row.deviation;
  }
  return prior;
}

std::vector<double> GpuTerms::curves() const {
  std::vector<double> numbers = bandwidth_.y;
  numbers.insert(numbers.end(), gather_s_.begin(), gather_s_.end());
  return numbers;
}

double GpuTerms::gather_seconds(const Workload& w) const {
  double seconds = 0;
  for (std::size_t level = 0; level < gather_s_.size(); ++level)
    seconds += w.gpu_work.x_beyond[level] * gather_s_[level];
  return seconds;
}

TermSeconds GpuTerms::seconds(const Workload& w, const Eigen::VectorXd& c, bool longest_row) const {
  const formats::GpuWork& work = w.gpu_work;
  TermSeconds t;
  t.launch = c[g_launch] * work.launches;
  const double partial = work.partial * static_cast<double>(formats::sector_bytes);
  t.stream_bytes = w.format_bytes;
  t.stream = (c[g_stream] * w.format_bytes + c[g_partial] * partial) / base::value_at(bandwidth_, w.format_bytes);
  t.compute = c[g_slot] * (w.slots - w.padding) + c[g_padding] * w.padding + c[g_overflow] * w.overflow +
              c[g_idle] * work.idle + c[g_latency] * work.latency_steps + c[g_sum] * work.sums +
              c[g_tile] * work.tiles + c[g_walked] * work.walked + c[g_aliased] * w.aliased + c[g_group] * work.groups;
  t.rows = c[g_row] * w.row_steps + c[g_carry] * work.carries + c[g_scattered] * work.scattered;
  t.gather_bytes = static_cast<double>(formats::sector_bytes) * w.misses[0];
  t.gather = c[g_gather] * gather_seconds(w) + c[g_miss1] * w.misses[0] + c[g_miss2] * w.misses[1];
  t.row_ends = c[g_misprediction] * w.mispredictions * not_remembered(w.remembered, c[g_memory]);
  if (longest_row) t.longest = c[g_longest] * work.chain;
  // A power mean of what streams and what is computed, between their sum and the larger.
  const double memory = t.stream + t.gather, core = t.compute + t.rows + t.row_ends;
  const double power = 1 + c[g_overlap], sum = memory + core;
  const double larger = std::max(memory, core);
  if (larger <= 0) return t;
  const double together =
      larger * std::pow(std::pow(memory / larger, power) + std::pow(core / larger, power), 1 / power);
  for (double* part : {&t.stream, &t.gather, &t.compute, &t.rows, &t.row_ends}) *part *= together / sum;
  return t;
}
}  // namespace sparsecast::forecast
