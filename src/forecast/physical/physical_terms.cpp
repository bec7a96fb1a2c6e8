#include "forecast/physical/physical_terms.hpp"

#include <array>
#include <cmath>

#include "base/curve.hpp"
#include "calibration/timing.hpp"
#include "forecast/physical/workload.hpp"
#include "forecast/physical/x_misses.hpp"

namespace sparsecast::forecast {
namespace {
// One parameter: its prior centre in seconds per unit (or bytes, or a number) and deviation, a factor e^deviation.
struct Parameter {
  double centre;
  double deviation;
};

// A feature record on a throughput device. Capacities are parameters: an imported profile may say nothing of its
// device.
enum RecordParameter {
  launch,
  nonzero,
  row,
  column,
  run,
  run_miss,
  longest,
  x_capacity,
  stream_capacity,
  nonzero_dram,
  similar,
  record_parameters
};
constexpr std::array<Parameter, record_parameters> record_table{{
    {1e-5, 1.5},  // launch
    {5e-12, 2},   // stream
    {5e-12, 2},   // rows
    {2e-12, 2},   // x and y
    {2e-12, 2},   // x gather
    {2e-11, 2},   // x gather
    {1e-12, 6},   // longest row
    {8e6, 1.5},   // capacity for x
    {8e6, 1.5},   // capacity for the matrix
    {5e-12, 2},   // stream
    {7.4, 3},     // share of misses that similar rows save: as odds
}};

// A matrix on the host: all amounts are counted, so every parameter is a cost. Per thread; priors of a core at some
// 3 GHz, scaled by the number of threads.
enum HostParameter {
  h_launch,
  h_stream,
  h_slot,
  h_padding,
  h_overflow,
  h_call,
  h_chained,
  h_more_vectors,
  h_long_row,
  h_rest,
  h_in_runs,
  h_partial,
  h_empty,
  h_row,
  h_miss1,
  h_miss2,
  h_gather,
  h_followed1,
  h_followed2,
  h_followed3,
  h_misprediction,
  h_small_misprediction,
  h_memory,
  h_shared,
  h_longest,
  h_streams,
  h_aliased,
  h_unaligned,
  h_unprefetched,
  h_links,
  host_parameters
};
constexpr std::array<Parameter, host_parameters> host_table{{
    {3e-7, 1.5},    // launch: a product
    {1.0, 0.5},     // stream: times bytes over measured bandwidth
    {2.5e-10, 1},   // compute: a slot
    {1e-10, 1.5},   // compute: a padded slot
    {4e-10, 1},     // compute: an entry of the overflow
    {3e-9, 1.5},    // compute: an inner loop begun
    {5e-10, 1.5},   // compute: an entry that waits for the one before
    {5e-9, 1.5},    // rows: a further vector of short rows
    {1.5e-9, 1.5},  // rows: a long row
    {5e-10, 1.5},   // compute: an entry of the rest of a long row
    {8e-11, 1.5},   // compute: a slot of vectors that read x without a gather
    {3e-9, 1.5},    // compute: a vector that padding leaves partly empty
    {1e-9, 1.5},    // compute: a vector of padding alone
    {7e-10, 1.5},   // rows: a row that the kernel comes by
    {5e-10, 1.5},   // x gather: a miss of the first level
    {2e-9, 1.5},    // x gather: of the second
    {1, 0.7},       // x gather: times what the curve of gathers says of those farther away
    {2e-10, 1.5},   // x gather: a line from beyond the first level that follows the one before
    {5e-10, 1.5},   // x gather: from beyond the second
    {1, 0.7},       // x gather: from memory, more than once: times bytes over measured bandwidth
    {8e-9, 0.7},    // row ends: a row end not predicted: some 25 cycles
    {4e-9, 1},      // row ends: a smaller decision not predicted
    {1e5, 0.7},     // predictor capacity: branches, or bits, of which half are forgotten
    {3e-8, 1.5},    // shared lines: a line that several threads write
    {1e-11, 2},     // longest row: an entry of it
    {0.5, 1},       // stream: times bytes over measured bandwidth, of many streams from memory
    {1e-10, 1.5},   // compute: a slot in streams that meet in 4K aliasing
    {5e-11, 1.5},   // compute: a slot in vectors that lie in two lines
    {4e-10, 1.5},   // stream: an entry from memory that nobody asked for ahead
    {0.4, 0.5},     // ways to memory: exponent: how much faster threads that are farther apart read
}};

template <std::size_t size>
LogPrior prior_of(const std::array<Parameter, size>& table) {
  LogPrior prior{Eigen::VectorXd(size), Eigen::VectorXd(size), 1};
  for (std::size_t j = 0; j < size; ++j) {
    prior.centre[static_cast<Eigen::Index>(j)] = std::log(table[j].centre);
    prior.deviation[static_cast<Eigen::Index>(j)] = table[j].deviation;
  }
  return prior;
}

// Costs from their logarithms; bounded, so that a wild step of the search stays finite.
Eigen::VectorXd costs(const Eigen::VectorXd& p) { return p.array().max(-60.0).min(60.0).exp(); }

// The share of the mispredictions that remains when a product is repeated: the predictor's capacity holds a small
// matrix after some products, and nothing of one with far more to remember than it can hold.
double forgotten(double amount, double memory) { return 1 / (1 + std::pow(memory / std::max(amount, 1.0), 4)); }

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

PhysicalTerms::PhysicalTerms(const Profile& profile, const FitOptions& options, bool exact, bool longest_row)
    : exact_(exact), longest_row_(longest_row), threads_(std::max(1, options.threads)) {
  if (exact && profile.properties.kind != DeviceKind::host) {
    gpu_.emplace(profile);
    prior_ = gpu_->prior();
    return;
  }
  prior_ = exact ? prior_of(host_table) : prior_of(record_table);
  if (!exact) return;
  if (const Curve* curve = profile.curve("read_bandwidth", threads_); curve != nullptr && base::usable(*curve))
    bandwidth_ = without_launch(*curve, profile.curve("read_bandwidth", 1), threads_);
  scattered_s_ = scattered_seconds(profile, threads_);
  launch_s_ = reference_launch(profile, options);
  for (const CacheLevel& cache : profile.properties.caches)
    last_cache_ = std::max(last_cache_, static_cast<double>(cache.size_bytes));
  const Curve* launch = profile.curve("launch", threads_);
  if (launch_s_ > 0)
    prior_.centre[h_launch] = std::log(launch_s_ + 1e-7);
  else if (launch != nullptr && !launch->y.empty() && launch->y[0] > 0)
    prior_.centre[h_launch] = std::log(launch->y[0] + 1e-7);
  for (const int parameter :
       {h_slot, h_padding, h_overflow, h_call,      h_chained,   h_more_vectors,  h_long_row,
        h_rest, h_in_runs, h_partial,  h_empty,     h_aliased,   h_unaligned,     h_unprefetched,
        h_row,  h_miss1,   h_miss2,    h_followed1, h_followed2, h_misprediction, h_small_misprediction})
    prior_.centre[parameter] -= std::log(static_cast<double>(threads_));
}

TermSeconds PhysicalTerms::amounts(const Workload& w, const Eigen::VectorXd& c) const {
  if (gpu_) return gpu_->seconds(w, c, longest_row_);
  TermSeconds a;
  if (exact_) {
    const double bandwidth = bandwidth_.x.empty() ? 1e10 * threads_ : base::value_at(bandwidth_, w.format_bytes);
    const double later = launch_s_ > 0 && w.launch_s > 0 ? std::clamp(w.launch_s / launch_s_, 0.1, 10.0) : 1;
    // Threads that start much later are farther from each other: they share no cache and no way to the memory.
    const double apart = calibration::same_fork_join(w.launch_s, launch_s_) ? 1 : later;
    const double from_memory = 1 - 1 / (1 + std::pow(w.format_bytes / last_cache_, 2));
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
                               c[h_overflow] * w.overflow + c[h_chained] * w.chained + c[h_rest] * w.rest +
                               c[h_partial] * w.partial + c[h_empty] * w.empty + c[h_aliased] * w.aliased +
                               c[h_unaligned] * w.unaligned;
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
  a.stream_bytes = 12 * w.slots;
  a.rows = c[row] * w.rows;
  a.vectors = c[column] * w.cols;
  a.gather = (c[run] + c[run_miss] * miss * unlike) * w.runs;
  a.gather_bytes = 32 * w.runs * miss * unlike;
  if (longest_row_) a.longest = c[longest] * w.longest_row;
  return a;
}

double PhysicalTerms::log_seconds(const Workload& workload, const Eigen::VectorXd& p) const {
  return amounts(workload, costs(p)).log_seconds();
}

std::vector<ForecastPart> PhysicalTerms::parts(const Workload& workload, const Eigen::VectorXd& p) const {
  const TermSeconds a = amounts(workload, costs(p));
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
    const Eigen::VectorXd c = costs(p);
    log_seconds.resize(static_cast<Eigen::Index>(workloads.size()));
    for (std::size_t i = 0; i < workloads.size(); ++i)
      log_seconds[static_cast<Eigen::Index>(i)] = amounts(workloads[i], c).log_seconds();
  };
}
}  // namespace sparsecast::forecast
