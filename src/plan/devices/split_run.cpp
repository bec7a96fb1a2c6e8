#include "plan/devices/split_run.hpp"

#include <algorithm>
#include <barrier>
#include <memory>
#include <thread>

#include "base/clock.hpp"
#include "base/parallel_for.hpp"
#include "base/threads.hpp"
#include "formats/kernels.hpp"
#include "plan/run/plan_runner.hpp"
#include "plan/run/row_range.hpp"

namespace sparsecast::planning {
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
class SplitProduct final : public devices::Product {
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
    return part == parts_.end() ? 0 : quantile(part->seconds, 0.5);
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
  result.seconds = quantile(series[0].seconds, 0.5);
  result.alone_s = quantile(series[1].seconds, 0.5);
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
