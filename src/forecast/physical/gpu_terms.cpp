#include "forecast/physical/gpu_terms.hpp"

#include <algorithm>
#include <cmath>

#include "base/curve.hpp"
#include "formats/gpu/sectors.hpp"

namespace sparsecast::forecast {
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
  const char* part;
  double centre;     // in units, on a GPU
  double deviation;  // a factor e^deviation
  Unit unit;
  double on_processor;  // in units, where a core takes the lanes one after the other
};
constexpr std::array<GpuParameterRow, gpu_parameters> gpu_table{{
    {"launch", 1, 1, Unit::launch, 1},                    // a kernel queued
    {"launch", 3000, 1.5, Unit::lane, 300},               // a work-group begun
    {"stream", 1, 1, Unit::number, 1},                    // times bytes over measured bandwidth
    {"stream", 0.2, 1.5, Unit::number, 0.01},             // the same of sectors beyond those of the bytes
    {"compute", 10, 1, Unit::lane, 4},                    // a slot: two loads, a gather, a multiplication and a step
    {"compute", 5, 1.5, Unit::lane, 2},                   // a padded slot
    {"compute", 30, 1.5, Unit::lane, 10},                 // an entry of the overflow
    {"compute", 5, 1.5, Unit::lane, 0.01},                // a lane that waits for a longer one
    {"compute", 0.25, 1.5, Unit::latency, 1e-4},          // a step that waits for memory; several are on their way
    {"rows", 20, 1, Unit::lane, 8},                       // a row begun and written
    {"compute", 3000, 1.5, Unit::lane, 3000},             // a group that adds up over its lanes
    {"compute", 10000, 1.5, Unit::lane, 10000},           // a tile and the scan that ends it
    {"rows", 100, 2, Unit::lane, 20},                     // a sum handed from group to group
    {"x gather", 1, 1, Unit::number, 1},                  // times what the curve of gathers says
    {"x gather", 4, 2, Unit::lane, 2},                    // a sector of x that misses the first cache
    {"x gather", 8, 2, Unit::lane, 4},                    // and the last
    {"rows", 10, 2, Unit::lane, 4},                       // a sum written in another order
    {"compute", 0.01, 2, Unit::lane, 8},                  // a slot on a walk that leaves the first cache
    {"compute", 0.01, 2, Unit::lane, 8},                  // a slot in lines that meet in the same sets of it
    {"row ends", 0.01, 1, Unit::lane, 25},                // a row end not predicted
    {"predictor capacity", 1e5, 0.7, Unit::number, 1e5},  // branches, or bits, of which half are forgotten
    {"longest row", 0.05, 1, Unit::latency, 0.03},        // a step of the longest lane
    {"overlap", 1, 1, Unit::number, 1},                   // 0: one after the other; large: the longer of the two
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

std::vector<std::string_view> GpuTerms::parts() {
  std::vector<std::string_view> parts;
  for (const GpuParameterRow& row : gpu_table) parts.emplace_back(row.part);
  return parts;
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
