#include "forecast/physical/gpu_terms.hpp"

#include <sparsecast_constants.hpp>

#include "base/curve.hpp"
#include "forecast/physical/workload.hpp"
#include "forecast/physical/x_misses.hpp"
#include "formats/gpu/gpu_shape.hpp"

namespace sparsecast::forecast {
namespace {
using formats::Workload;

enum GpuParameter {
  g_launch,  // launch: a kernel queued
  // Times what a curve says.
  g_stream,   // stream: bytes over measured bandwidth
  g_gather,   // x gather: of the curve of gathers
  g_overlap,  // 0: one after the other; large: the longer of the two
  // Some instructions of a lane,
  g_slot,       // compute: a slot: two loads, a gather, a multiplication and a step
  g_miss2,      // x gather: a sector of x that misses the last cache
  g_scattered,  // rows: a sum written in another order
  // half of them,
  g_padding,  // compute: a padded slot
  g_miss1,    // x gather: a sector of x that misses the first cache
  g_idle,     // compute: a lane that waits for a longer one
  // and twice.
  g_overflow,  // compute: an entry of the overflow
  g_row,       // rows: a row begun and written
  // What a work-group does together.
  g_group,  // launch: a work-group begun
  g_sum,    // compute: a group that adds up over its lanes
  g_tile,   // compute: a tile and the scan that ends it
  // A processor alone.
  g_walked,         // compute: a slot on a walk that leaves the first cache
  g_aliased,        // compute: a slot in lines that meet in the same sets of it
  g_misprediction,  // row ends: a row end not predicted
  g_carry,          // rows: a sum handed from group to group
  g_partial,        // stream: bytes over bandwidth, of sectors beyond those of the bytes
  g_latency,        // compute: a step that waits for memory, several are on their way
  g_longest,        // longest row: a step of the longest lane
  g_memory,         // predictor capacity: branches, or bits, of which half are forgotten
  gpu_parameters
};

double last_cache(const DeviceProperties& p) {
  const double last = last_cache_bytes(p);
  return last > 0 ? last : constants::record_priors[8];
}

// The measured curve without the launch that every reading began with, which is a term of its own; else two points of
// the description.
Curve bandwidth_of(const Profile& profile, double launch_s) {
  if (const Curve* measured = profile.curve("read_bandwidth", 0); measured != nullptr && base::usable(*measured))
    return without_start(*measured, launch_s);
  const DeviceProperties& p = profile.properties;
  const double memory = p.memory_bandwidth > 0 ? constants::sheet_reached * p.memory_bandwidth
                                               : constants::core_bandwidth * std::max(1, p.compute_units);
  return {"read_bandwidth", 0, {last_cache(p) / 2, 2 * last_cache(p)}, {constants::gpu_cache_gain * memory, memory}};
}
}  // namespace

Curve without_start(Curve curve, double start_s) {
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    const double seconds = curve.x[i] / curve.y[i];
    curve.y[i] = curve.x[i] / std::max(seconds - start_s, seconds * (1 - constants::most_of_start));
  }
  return curve;
}

GpuTerms::GpuTerms(const Profile& profile) : processor_(profile.properties.limits.contains("host_processor")) {
  const DeviceProperties& p = profile.properties;
  const double clock = p.clock_hz > 0 ? p.clock_hz : constants::core_clock;
  lane_s_ = 1 / (clock * std::max(1, p.compute_units) * (processor_ ? 1 : constants::gpu_lanes_per_cycle));
  launch_s_ = p.launch_s > 0 ? p.launch_s : constants::launch_s;
  if (const Curve* launch = profile.curve("launch", 0); launch != nullptr && base::usable(*launch))
    launch_s_ = launch->y.front();
  bandwidth_ = bandwidth_of(profile, launch_s_);
  latency_s_ = processor_ ? constants::core_latency_s : constants::gpu_latency_s;
  if (const Curve* latency = profile.curve("latency", 0); latency != nullptr && base::usable(*latency))
    latency_s_ = latency->y.back();
  const Curve* rate = profile.curve("gather_rate", 0);
  const bool measured = rate != nullptr && base::usable(*rate);
  for (int level = 0; level < formats::GpuWork::gather_levels; ++level) {
    const double within = formats::GpuWork::gather_capacity(level),
                 beyond = formats::GpuWork::gather_capacity(level + 1);
    double& more = gather_s_[static_cast<std::size_t>(level)];
    if (measured)
      more = std::max(0.0, 1 / base::value_at(*rate, beyond) - 1 / base::value_at(*rate, within));
    else if (within <= last_cache(p) && last_cache(p) < beyond)
      more = static_cast<double>(formats::sector_bytes) /
             base::value_at(bandwidth_, formats::GpuWork::gather_capacity(level + 2));
  }
}

LogPrior GpuTerms::prior() const {
  // What the other kind does not pay is small.
  const double step = constants::gpu_step * lane_s_;
  const double nothing = constants::absent;
  Eigen::VectorXd centre = Eigen::VectorXd::Ones(gpu_parameters);
  const auto fill = [&](int from, int to, double cost) { centre.segment(from, to - from).setConstant(cost); };
  centre[g_launch] = launch_s_;
  fill(g_slot, g_padding, step);
  fill(g_padding, g_overflow, constants::lighter_step * step);
  if (processor_) centre[g_idle] = nothing * lane_s_;
  fill(g_overflow, g_group, step / constants::lighter_step);
  fill(g_group, g_walked, constants::gpu_group * lane_s_);
  fill(g_walked, g_carry, processor_ ? step : nothing * lane_s_);
  if (processor_) centre[g_misprediction] = constants::misprediction_loads_of_lane * constants::load_cycles * lane_s_;
  centre.tail<gpu_parameters - g_carry>() << constants::carry_steps * step,
      processor_ ? nothing : constants::gpu_hidden, latency_s_ * (processor_ ? nothing : constants::gpu_hidden),
      latency_s_ * constants::gpu_longest, constants::predictor_bits;
  LogPrior prior{centre.array().log(), Eigen::VectorXd::Constant(gpu_parameters, constants::prior_deviation), 1};
  for (const int ratio : {g_launch, g_stream, g_gather, g_overlap, g_memory})
    prior.deviation[ratio] = constants::prior_deviation / 2;
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
  t.row_ends = c[g_misprediction] * w.mispredictions * forgotten(w.remembered, c[g_memory]);
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
