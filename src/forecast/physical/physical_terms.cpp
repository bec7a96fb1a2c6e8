#include "forecast/physical/physical_terms.hpp"

#include <sparsecast_constants.hpp>

#include "base/curve.hpp"
#include "calibration/timing.hpp"
#include "forecast/physical/at_speed.hpp"
#include "forecast/physical/core_costs.hpp"
#include "forecast/physical/x_misses.hpp"

namespace sparsecast::forecast {
namespace {
// A feature record on a throughput device. Capacities are parameters: an imported profile may say nothing of its
// device.
enum RecordParameter {
  nonzero,          // stream
  nonzero_dram,     // stream
  row,              // rows
  column,           // x and y
  run,              // x gather
  longest,          // longest row
  run_miss,         // x gather
  launch,           // launch
  x_capacity,       // for x
  stream_capacity,  // for the matrix
  similar,          // share of misses that similar rows save: as odds
  record_parameters
};

// A matrix on the host: all amounts are counted, so every parameter is a cost, of one thread, but for the last.
enum HostParameter {
  // Times what a curve of the profile says.
  h_stream,     // stream: bytes over measured bandwidth
  h_streams,    // stream: of many streams from memory
  h_gather,     // x gather: of the curve of gathers, of those farther away
  h_followed3,  // x gather: from memory, more than once: bytes over measured bandwidth
  // An instruction and those beside it.
  h_slot,          // compute: a slot
  h_overflow,      // compute: an entry of the overflow
  h_looked_up,     // compute: a value found in a table
  h_chained,       // compute: an entry that waits for the one before
  h_rest,          // compute: an entry of the rest of a long row
  h_row,           // rows: a row that the kernel comes by
  h_miss1,         // x gather: a miss of the first level
  h_followed2,     // x gather: a line from beyond the second level that follows the one before
  h_unprefetched,  // stream: an entry from memory that nobody asked for ahead
  // A lane of a vector.
  h_padding,    // compute: a padded slot
  h_widened,    // compute: a value of a smaller type
  h_in_runs,    // compute: a slot of vectors that read x without a gather
  h_aliased,    // compute: a slot in streams that meet in 4K aliasing
  h_unaligned,  // compute: a slot in vectors that lie in two lines
  h_followed1,  // x gather: a line from beyond the first level that follows the one before
  // A loop begun, or a wait for a farther cache.
  h_call,          // compute: an inner loop begun
  h_partial,       // compute: a vector that padding leaves partly empty
  h_empty,         // compute: a vector of padding alone
  h_more_vectors,  // rows: a further vector of short rows
  h_long_row,      // rows: a long row
  h_miss2,         // x gather: a miss of the second level
  // A branch.
  h_misprediction,        // row ends: a row end not predicted
  h_small_misprediction,  // row ends: a smaller decision not predicted
  // Of all threads.
  h_launch,   // launch: a product
  h_shared,   // shared lines: a line that several threads write
  h_longest,  // longest row: an entry of it
  h_memory,   // predictor capacity: branches, or bits, of which half are forgotten
  h_links,    // ways to memory: exponent: how much faster threads that are farther apart read
  host_parameters
};

LogPrior record_prior() {
  const auto& costs = constants::record_priors;
  const auto& deviations = constants::record_deviations;
  static_assert(std::tuple_size_v<std::decay_t<decltype(costs)>> == record_parameters);
  return {Eigen::Map<const Eigen::ArrayXd>(costs.data(), record_parameters).log(),
          Eigen::Map<const Eigen::VectorXd>(deviations.data(), record_parameters), 1};
}

LogPrior host_prior(const CoreCosts& core, double threads) {
  Eigen::VectorXd centre = Eigen::VectorXd::Ones(host_parameters);
  const auto fill = [&](int from, int to, double cost) { centre.segment(from, to - from).setConstant(cost / threads); };
  fill(h_slot, h_padding, constants::slot_cycles * core.cycle_s);
  fill(h_padding, h_call, core.cycle_s / constants::lanes_of_cycle);
  fill(h_call, h_misprediction, core.turn_s);
  fill(h_misprediction, h_launch, constants::misprediction_loads * core.load_s);
  centre.tail<host_parameters - h_launch>() << constants::launch_lines * core.far_s,
      constants::shared_line * core.far_s, core.cycle_s / constants::lanes_of_cycle, constants::predictor_bits,
      constants::threads_apart;
  LogPrior prior{centre.array().log(), Eigen::VectorXd::Constant(host_parameters, constants::prior_deviation), 1};
  for (const int ratio : {h_stream, h_streams, h_gather, h_followed3, h_memory, h_links})
    prior.deviation[ratio] = constants::prior_deviation / 2;
  prior.deviation[h_longest] = constants::longest_deviation;
  return prior;
}

// Several threads' bandwidth without what starting them costs, which is a term of its own: the time of the smallest
// footprint beyond what its bytes take at the threads' own speed.
Curve without_launch(Curve curve, const Curve* alone, int threads) {
  if (threads <= 1 || alone == nullptr || !base::usable(*alone)) return curve;
  const auto at_best = [&](double bytes) { return bytes / (threads * base::value_at(*alone, bytes / threads)); };
  const double start = std::max(0.0, curve.x[0] / curve.y[0] - at_best(curve.x[0]));
  for (std::size_t i = 0; i < curve.x.size(); ++i)
    curve.y[i] = curve.x[i] / std::max(curve.x[i] / curve.y[i] - start, at_best(curve.x[i]));
  return curve;
}
}  // namespace

PhysicalTerms::PhysicalTerms(const Profile& profile, const RecordSet& records, bool exact, bool longest_row)
    : exact_(exact), longest_row_(longest_row), threads_(std::max(1, records.threads)) {
  if (exact && profile.properties.kind != DeviceKind::host) {
    gpu_.emplace(profile);
    prior_ = gpu_->prior();
    return;
  }
  prior_ = exact ? host_prior(CoreCosts(profile), threads_) : record_prior();
  if (!exact) return;
  if (const Curve* curve = profile.curve("read_bandwidth", threads_); curve != nullptr && base::usable(*curve))
    bandwidth_ = without_launch(*curve, profile.curve("read_bandwidth", 1), threads_);
  scattered_s_ = scattered_seconds(profile, threads_);
  launch_s_ = reference_launch(profile, records);
  last_cache_ = std::max(last_cache_, last_cache_bytes(profile.properties));
  const Curve* launch = profile.curve("launch", threads_);
  if (launch_s_ > 0)
    prior_.centre[h_launch] = std::log(launch_s_);
  else if (launch != nullptr && !launch->y.empty() && launch->y[0] > 0)
    prior_.centre[h_launch] = std::log(launch->y[0]);
}

void PhysicalTerms::expect_costs(const Eigen::VectorXd& logs) {
  prior_.centre = logs;
  prior_.deviation *= constants::alike_deviation;
}

TermSeconds PhysicalTerms::amounts(const Workload& w, const Eigen::VectorXd& c) const {
  if (gpu_) return gpu_->seconds(w, c, longest_row_);
  TermSeconds a;
  if (exact_) {
    const double bandwidth =
        bandwidth_.x.empty() ? constants::core_bandwidth * threads_ : base::value_at(bandwidth_, w.format_bytes);
    const double most = constants::most_later;
    const double later = launch_s_ > 0 && w.launch_s > 0 ? std::clamp(w.launch_s / launch_s_, 1 / most, most) : 1;
    // Threads that start much later are farther from each other: they share no cache and no way to the memory.
    const double apart = calibration::same_fork_join(w.launch_s, launch_s_) ? 1 : later;
    const double from_memory = 1 - 1 / (1 + std::pow(w.format_bytes / last_cache_, constants::memory_onset));
    a.launch = c[h_launch] * later;
    a.stream_bytes = w.format_bytes;
    const double stream = (c[h_stream] * w.format_bytes + c[h_streams] * w.stream_bytes * from_memory) / bandwidth *
                          std::pow(apart, -c[h_links] * from_memory);
    // From the caches every thread reads its own part, from memory all wait for the same.
    const auto stream_of = [&](const ThreadPart& part) {
      return stream * (from_memory + (1 - from_memory) * part.nonzeros) +
             c[h_unprefetched] * w.unprefetched * part.nonzeros;
    };
    const double per_nonzero = c[h_slot] * (w.slots - w.in_runs) + c[h_in_runs] * w.in_runs + c[h_padding] * w.padding +
                               c[h_looked_up] * w.looked_up + c[h_widened] * w.widened + c[h_overflow] * w.overflow +
                               c[h_chained] * w.chained + c[h_rest] * w.rest + c[h_partial] * w.partial +
                               c[h_empty] * w.empty + c[h_aliased] * w.aliased + c[h_unaligned] * w.unaligned;
    const double per_call = c[h_call] * w.calls;
    const double per_row = c[h_row] * w.row_steps + c[h_more_vectors] * w.more_vectors + c[h_long_row] * w.long_rows;
    const double gather = c[h_miss1] * (w.misses[0] - w.followed[0]) + c[h_miss2] * (w.misses[1] - w.followed[1]) +
                          c[h_gather] * gather_seconds(w) + c[h_followed1] * w.followed[0] +
                          c[h_followed2] * w.followed[1] +
                          c[h_followed3] * cache_line_bytes * w.followed_again / bandwidth;
    const double row_ends =
        (c[h_misprediction] * w.mispredictions + c[h_small_misprediction] * w.small_mispredictions) *
        forgotten(w.remembered, c[h_memory]);
    // The slower of the two parts that may be the slowest.
    const auto seconds = [&](const ThreadPart& part) {
      return stream_of(part) + (per_nonzero + gather) * part.nonzeros + per_call * part.calls +
             (per_row + row_ends) * part.rows;
    };
    const ThreadPart& part =
        seconds(w.thread_parts[0]) >= seconds(w.thread_parts[1]) ? w.thread_parts[0] : w.thread_parts[1];
    a.stream = stream_of(part);
    a.compute = per_nonzero * part.nonzeros + per_call * part.calls;
    a.rows = per_row * part.rows;
    a.gather_bytes = cache_line_bytes * w.misses[0];
    a.gather = gather * part.nonzeros;
    a.row_ends = row_ends * part.rows;
    a.shared = c[h_shared] * w.shared_lines * apart;
    if (longest_row_) a.longest = c[h_longest] * w.longest_row;
    return a;
  }
  const double beyond = c[stream_capacity] / w.footprint_bytes, dram = 1 / (1 + beyond * beyond);
  const double miss = 1 / (1 + c[x_capacity] / std::max(w.window_bytes(), 1.0));
  const double unlike = 1 - w.similarity / (1 + 1 / c[similar]);
  a.launch = c[launch];
  a.stream = (c[nonzero] + c[nonzero_dram] * dram) * w.slots;
  a.stream_bytes = csr_entry_bytes * w.slots;
  a.rows = c[row] * w.rows;
  a.vectors = c[column] * w.cols;
  a.gather = (c[run] + c[run_miss] * miss * unlike) * w.runs;
  a.gather_bytes = formats::sector_bytes * w.runs * miss * unlike;
  if (longest_row_) a.longest = c[longest] * w.longest_row;
  return a;
}

double PhysicalTerms::log_seconds(const Workload& workload, const Eigen::VectorXd& p) const {
  return amounts(workload, costs_of_logs(p)).log_seconds();
}

std::vector<ForecastPart> PhysicalTerms::parts(const Workload& workload, const Eigen::VectorXd& p) const {
  const TermSeconds a = amounts(workload, costs_of_logs(p));
  std::vector<ForecastPart> parts;
  const auto add = [&](Term term, double seconds, double bytes = 0) {
    if (seconds > 0) parts.push_back({term, seconds, bytes});
  };
  add(Term::launch, a.launch);
  add(Term::stream, a.stream, a.stream_bytes);
  add(Term::compute, a.compute);
  add(Term::rows, a.rows);
  add(Term::vectors, a.vectors, 8 * workload.cols + 8 * workload.rows);
  add(Term::x_gather, a.gather, a.gather_bytes);
  add(Term::row_ends, a.row_ends);
  add(Term::shared_lines, a.shared);
  add(Term::longest_row, a.busy() - a.throughput());
  return parts;
}

std::vector<double> PhysicalTerms::curve_numbers() const {
  if (gpu_) return gpu_->curves();
  std::vector<double> numbers = bandwidth_.y;
  numbers.insert(numbers.end(), scattered_s_.begin(), scattered_s_.end());
  return numbers;
}

double PhysicalTerms::gather_seconds(const Workload& w) const {
  double seconds = 0;
  for (std::size_t level = 0; level < scattered_s_.size(); ++level) seconds += w.scattered[level] * scattered_s_[level];
  return seconds;
}

LogFormula PhysicalTerms::formula(std::span<const Workload> workloads) const {
  return [this, workloads](const Eigen::VectorXd& p, Eigen::VectorXd& log_seconds) {
    const Eigen::VectorXd c = costs_of_logs(p);
    log_seconds.resize(static_cast<Eigen::Index>(workloads.size()));
    for (std::size_t i = 0; i < workloads.size(); ++i)
      log_seconds[static_cast<Eigen::Index>(i)] = amounts(workloads[i], c).log_seconds();
  };
}
}  // namespace sparsecast::forecast
