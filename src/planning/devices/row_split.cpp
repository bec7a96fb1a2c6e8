#include "planning/devices/row_split.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <barrier>
#include <numeric>
#include <set>
#include <sparsecast/error.hpp>
#include <sparsecast_constants.hpp>
#include <thread>

#include "base/clock.hpp"
#include "base/median.hpp"
#include "base/parallel_for.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "hardware/device.hpp"
#include "formats/kernels.hpp"
#include "planning/run/plan_runner.hpp"
#include "planning/run/row_range.hpp"
#include "planning/search/numbers.hpp"

namespace sparsecast::planning {
namespace {
// A device is tried on an eighth of the rows, but enough of them that it is not the start alone that is seen.
constexpr std::int64_t trial_share = 8, least_trial_rows = 4096;
constexpr int trial_runs = 3;

double entries_of(const Matrix& rows) { return number(rows.nonzeros() + rows.rows()); }

// Kernels that read CSR as it is: no padding can make them too large.
std::vector<std::string> kernels_to_try(const hardware::Device& device) {
  std::vector<std::string> names = device.kernels();
  std::erase_if(names, [](const std::string& name) {
    const formats::KernelInfo* kernel = formats::find_kernel(name);
    return kernel == nullptr || kernel->vendor || kernel->format != formats::csr_format;
  });
  return names;
}
}  // namespace

PartForecast::PartForecast(const SplitDevice& device, const Matrix& matrix, const FitOptions& options)
    : name_(device.name), options_(options) {
  if (device.profile) {
    kind_ = device.profile->properties.kind;
    memory_bytes_ = number(device.profile->properties.memory_bytes);
    if (kind_ != DeviceKind::host || !device.profile->is_measured()) options_.threads = 0;
    models_ = std::make_unique<forecast::ModelSet>("best", *device.profile, options_);
    kernels_ = forecast::kernels_of(*device.profile);
  }
  if (device.here && device.name == "host") {
    on_the_processor_ = true;
  } else if (device.here) {
    try_out(matrix);
  } else if (kind_ != DeviceKind::host) {
    bytes_per_s_ = constants::upload_rate;
  }
}
PartForecast::~PartForecast() = default;
PartForecast::PartForecast(PartForecast&&) noexcept = default;
PartForecast& PartForecast::operator=(PartForecast&&) noexcept = default;

void PartForecast::try_out(const Matrix& matrix) {
  const std::unique_ptr<hardware::Device> device = hardware::open_device(name_);
  kind_ = device->properties().kind;
  on_the_processor_ = device->properties().limits.contains("host_processor");
  const std::int64_t wanted = std::max(least_trial_rows, matrix.rows() / trial_share);
  const Matrix rows = row_range(matrix, 0, std::min(matrix.rows(), wanted));
  const Structure structure = analyze(rows);
  const std::vector<double> x = vector_for_checks(matrix.cols());
  const std::vector<std::string> kernels =
      models_ ? std::vector<std::string>{forecast(rows).kernel} : kernels_to_try(*device);
  double least = never;
  for (const std::string& kernel : kernels) {
    const std::unique_ptr<hardware::Product> product = device->prepare(rows, structure, kernel, options_.precision);
    (void)product->run(1);
    const double seconds = product->run(trial_runs) / trial_runs;
    if (seconds >= least) continue;
    least = seconds;
    timed_kernel_ = kernel;
    double there_and_back = never;
    for (int run = 0; run < trial_runs; ++run) {
      const double start = base::now_s();
      (void)product->multiply(x);
      there_and_back = std::min(there_and_back, base::now_s() - start);
    }
    const double bytes = number(value_bytes(options_.precision)) * number(rows.rows() + rows.cols());
    bytes_per_s_ = bytes / std::max(1e-9, there_and_back - seconds);
  }
  if (timed_kernel_.empty()) throw Error(ErrorCode::unavailable, name_ + " has no kernel that reads CSR");
  seconds_of_entry_ = least / std::max(1.0, entries_of(rows));
}

PartTime PartForecast::forecast(const Matrix& rows) const {
  const Structure structure = analyze(rows, options_.threads);
  for (const Forecast& best : models_->best(structure, kernels_)) {
    if (memory_bytes_ > 0 && number(best.bytes.value_or(0)) > memory_bytes_ / 2) continue;
    return {best.kernel, best.seconds, 0};
  }
  throw Error(ErrorCode::failed, "no kernel of " + name_ + " can be forecast for " + rows.name(), {},
              "calibrate the device fully");
}

PartTime PartForecast::of(const Matrix& rows) const {
  PartTime time = models_ ? forecast(rows) : PartTime{timed_kernel_, seconds_of_entry_ * entries_of(rows), 0};
  if (bytes_per_s_ > 0)
    time.transfer_s = number(value_bytes(options_.precision)) * number(rows.cols() + rows.rows()) / bytes_per_s_;
  return time;
}

namespace {
// Shares settle in a few steps, as a part's time is nearly in proportion to it.
constexpr int share_steps = 6;
// Forecasts of one matrix on two devices err apart; a split that promises less is none.
constexpr double least_split_gain = 0.05;

// Borders between parts of these shares of the work: entries and rows alike.
std::vector<std::int64_t> borders_of(const Matrix& matrix, const std::vector<double>& shares) {
  return matrix.visit_pattern([&](const auto& csr) {
    std::vector<std::int64_t> borders{0};
    const double all = number(csr.rows) + number(static_cast<std::int64_t>(csr.column_indices.size()));
    double before = 0;
    for (std::size_t d = 0; d + 1 < shares.size(); ++d) {
      before += shares[d];
      std::int64_t low = borders.back(), high = csr.rows;
      while (low < high) {
        const std::int64_t middle = (low + high) / 2;
        if (number(middle) + number(static_cast<std::int64_t>(csr.row_pointers[middle])) < before * all) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      borders.push_back(low);
    }
    borders.push_back(csr.rows);
    return borders;
  });
}

class Splitting {
 public:
  Splitting(const Matrix& matrix, const std::vector<SplitDevice>& devices, const FitOptions& options)
      : matrix_(matrix) {
    for (const SplitDevice& device : devices) times_.emplace_back(device, matrix, options);
    for (const PartForecast& device : times_) {
      SplitPart& part = split_.parts.emplace_back();
      part.device = device.name();
      part.kind = device.kind();
      part.rests_on = device.rests_on();
      part.alone = device.of(matrix);
      if (split_.best_alone.empty() || part.alone.seconds() < split_.best_alone_s) {
        split_.best_alone = part.device;
        split_.best_alone_s = part.alone.seconds();
      }
    }
  }

  RowSplit split() {
    std::vector<double> shares;
    for (const SplitPart& part : split_.parts) shares.push_back(1 / part.alone.seconds());
    RowSplit best;
    for (int step = 0; step < share_steps; ++step) {
      const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
      for (double& share : shares) share /= all;
      deal(borders_of(matrix_, shares));
      if (step == 0 || split_.predicted_s < best.predicted_s) best = split_;
      // What takes long gets less; a part that is nothing but the way of x comes to nothing.
      for (std::size_t d = 0; d < shares.size(); ++d) {
        const SplitPart& part = split_.parts[d];
        if (part.rows() <= 0) continue;
        shares[d] *= mean_seconds() / part.time.seconds();
      }
    }
    return best;
  }

  // Whether all of them are the host's own cores.
  [[nodiscard]] bool one_processor() const { return std::ranges::all_of(times_, &PartForecast::on_the_processor); }

 private:
  [[nodiscard]] double mean_seconds() const {
    double sum = 0;
    int busy = 0;
    for (const SplitPart& part : split_.parts) {
      sum += part.time.seconds();
      busy += part.rows() > 0;
    }
    return sum / std::max(1, busy);
  }

  // Parts at work at once end with the last one; those that share the host's cores take each other's time.
  void deal(const std::vector<std::int64_t>& borders) {
    double on_the_processor = 0, longest = 0;
    for (std::size_t d = 0; d < times_.size(); ++d) {
      SplitPart& part = split_.parts[d];
      part.first_row = borders[d];
      part.last_row = borders[d + 1] - 1;
      part.time = {};
      part.nonzeros = 0;
      if (part.rows() > 0) {
        const Matrix rows = row_range(matrix_, part.first_row, part.last_row + 1);
        part.nonzeros = rows.nonzeros();
        part.time = times_[d].of(rows);
      }
      longest = std::max(longest, part.time.seconds());
      if (times_[d].on_the_processor()) on_the_processor += part.time.seconds();
    }
    split_.predicted_s = std::max(longest, on_the_processor);
  }

  const Matrix& matrix_;
  std::vector<PartForecast> times_;
  RowSplit split_;
};

// Why the split is worth it or not.
std::string reason_of(const RowSplit& split, bool one_processor) {
  if (split.parts.size() == 1) return "there is one device to deal rows to";
  if (split.pays)
    return fmt::format("the split is predicted to save {} over {} alone", base::format_percent(split.gain),
                       split.best_alone);
  if (one_processor)
    return fmt::format(
        "it does not pay: the devices run on the same cores and take each other's time; {} alone is "
        "predicted to take {}",
        split.best_alone, base::format_seconds(split.best_alone_s));
  double transfer_s = 0;
  for (const SplitPart& part : split.parts) transfer_s = std::max(transfer_s, part.time.transfer_s);
  return fmt::format(
      "it does not pay: {} alone is predicted to take {}, the split {}, of which x and y are up to {} "
      "on their way",
      split.best_alone, base::format_seconds(split.best_alone_s), base::format_seconds(split.predicted_s),
      base::format_seconds(transfer_s));
}
}  // namespace

RowSplit split_rows(const Matrix& matrix, const std::vector<SplitDevice>& devices, const FitOptions& options) {
  if (devices.empty()) throw Error(ErrorCode::usage, "no device to deal rows to");
  if (matrix.rows() == 0) throw Error(ErrorCode::usage, "there are no rows to deal", {matrix.name()});
  std::set<std::string> here;
  for (const SplitDevice& device : devices)
    if (device.here && !here.insert(device.name).second)
      throw Error(ErrorCode::usage, device.name + " is named twice", {}, "name every device once");
  Splitting splitting(matrix, devices, options);
  RowSplit split = splitting.split();
  split.gain = 1 - split.predicted_s / split.best_alone_s;
  split.pays = devices.size() > 1 && split.gain > least_split_gain;
  split.reason = reason_of(split, splitting.one_processor());
  return split;
}

namespace {
struct RowsOfPart {
  std::int64_t first = 0, rows = 0;
  Plan plan;
  std::vector<double> seconds = {};  // of this part, by product
};

Strategy strategy_of(const SplitPart& part, const Matrix& rows, Precision precision, int threads) {
  Strategy strategy;
  strategy.blocks = {{.last_row = rows.rows() - 1, .kernel = part.time.kernel, .seconds = part.time.product_s}};
  strategy.strips = 1;
  strategy.strip_rows = rows.rows();
  strategy.predicted_s = part.time.product_s;
  strategy.device = part.device;
  strategy.precision = precision;
  strategy.threads = part.device == "host" ? threads : 0;
  return strategy;
}

// The parts as one product: the first part on the calling thread, the others on threads that live as long as this.
template <class Value>
class SplitProduct final : public hardware::Product {
 public:
  SplitProduct(const Matrix& matrix, const std::vector<SplitPart>& parts, Precision precision, int threads)
      : x_(static_cast<std::size_t>(matrix.cols())), y_(static_cast<std::size_t>(matrix.rows())) {
    const std::vector<double> x = vector_for_checks(matrix.cols());
    std::ranges::transform(x, x_.begin(), [](double entry) { return static_cast<Value>(entry); });
    for (const SplitPart& part : parts) {
      if (part.rows() <= 0) continue;
      const Matrix rows = row_range(matrix, part.first_row, part.last_row + 1);
      parts_.push_back({part.first_row, part.rows(), Plan(rows, strategy_of(part, rows, precision, threads))});
    }
    turn_ = std::make_unique<std::barrier<>>(static_cast<std::ptrdiff_t>(parts_.size()));
    for (std::size_t p = 1; p < parts_.size(); ++p) helpers_.emplace_back([this, p] { help(p); });
  }
  ~SplitProduct() override {
    ended_ = true;
    turn_->arrive_and_wait();
    for (std::thread& helper : helpers_) helper.join();
  }
  SplitProduct(const SplitProduct&) = delete;
  SplitProduct& operator=(const SplitProduct&) = delete;

  double run(int times) override {
    const double start = base::now_s();
    for (int i = 0; i < times; ++i) {
      turn_->arrive_and_wait();
      multiply_part(0);
      turn_->arrive_and_wait();
    }
    failure_.rethrow();
    return base::now_s() - start;
  }
  std::vector<double> multiply(std::span<const double> x) override {
    std::ranges::transform(x, x_.begin(), [](double entry) { return static_cast<Value>(entry); });
    run(1);
    return {y_.begin(), y_.end()};
  }
  [[nodiscard]] double preprocess_seconds() const override {
    double seconds = 0;
    for (const RowsOfPart& part : parts_) seconds += part.plan.conversion_seconds();
    return seconds;
  }
  [[nodiscard]] std::int64_t bytes() const override {
    std::int64_t bytes = 0;
    for (const RowsOfPart& part : parts_) bytes += part.plan.bytes();
    return bytes;
  }
  /// Median seconds of the part that begins with that row.
  [[nodiscard]] double seconds_of(std::int64_t first_row) const {
    const auto part = std::ranges::find(parts_, first_row, &RowsOfPart::first);
    return part == parts_.end() ? 0 : base::quantile(part->seconds, 0.5);
  }

 private:
  void help(std::size_t part) {
    for (;;) {
      turn_->arrive_and_wait();
      if (ended_) return;
      multiply_part(part);
      turn_->arrive_and_wait();
    }
  }
  void multiply_part(std::size_t which) {
    failure_.run([&] {
      RowsOfPart& part = parts_[which];
      const double start = base::now_s();
      part.plan.apply(std::span<const Value>(x_), std::span<Value>(y_).subspan(static_cast<std::size_t>(part.first),
                                                                               static_cast<std::size_t>(part.rows)));
      part.seconds.push_back(base::now_s() - start);
    });
  }

  Array<Value> x_, y_;
  std::vector<RowsOfPart> parts_;
  std::unique_ptr<std::barrier<>> turn_;  // before and after every product
  bool ended_ = false;                    // written before a turn, read after it
  base::CarriedException failure_;
  std::vector<std::thread> helpers_;
};

template <class Value>
SplitRun run_in(const Matrix& matrix, const RowSplit& split, Precision precision, int threads,
                const MeasureOptions& options) {
  SplitPart whole = *std::ranges::find(split.parts, split.best_alone, &SplitPart::device);
  whole.first_row = 0;
  whole.last_row = matrix.rows() - 1;
  whole.time = whole.alone;
  SplitProduct<Value> together(matrix, split.parts, precision, threads), alone(matrix, {whole}, precision, threads);

  SplitRun result;
  const std::vector<double> x = vector_for_checks(matrix.cols());
  const Plan plain(matrix, one_kernel(matrix, std::string(formats::default_kernel().name)));
  std::vector<double> expected(static_cast<std::size_t>(matrix.rows()));
  plain.apply(x, expected);
  result.largest_error = largest_error(together.multiply(x), expected);

  std::vector<Turns> series{{&together, 1, {}}, {&alone, 1, {}}};
  result.rounds = take_turns(series, options);
  result.seconds = base::quantile(series[0].seconds, 0.5);
  result.alone_s = base::quantile(series[1].seconds, 0.5);
  const GainOfTurns gain = gain_over(series[1], series[0]);
  result.gain = gain.median;
  result.low = gain.low;
  result.high = gain.high;
  for (const SplitPart& part : split.parts)
    result.part_s.push_back(part.rows() > 0 ? together.seconds_of(part.first_row) : 0);
  return result;
}
}  // namespace

SplitRun run_split(const Matrix& matrix, const RowSplit& split, Precision precision, int threads,
                   const MeasureOptions& options) {
  const int parts = base::thread_count(threads);
  return precision == Precision::single_ ? run_in<float>(matrix, split, precision, parts, options)
                                         : run_in<double>(matrix, split, precision, parts, options);
}
}  // namespace sparsecast::planning
