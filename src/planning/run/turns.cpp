#include "planning/run/turns.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <sparsecast/error.hpp>
#include <sparsecast/transpose.hpp>

#include "base/interrupt.hpp"
#include "base/median.hpp"
#include "matrix/structure/symmetry.hpp"
#include "planning/run/device_runner.hpp"

namespace sparsecast::planning {
namespace {
constexpr int fewest_rounds = 5;

void warm_up(Turns& one, double block_s) {
  (void)one.product->run(1);
  double taken = one.product->run(1);
  while (taken * 2 < block_s && one.runs < (1 << 20)) {
    one.runs *= 2;
    taken = one.product->run(one.runs);
  }
}

// A kernel that is forecast to take so many times the best one's time is not the fastest, and may take gigabytes.
constexpr double hopeless = 10;

// What the rounds say; `plan` and `best` are the series of the plan and of the best single kernel.
void summarize(const std::vector<Turns>& series, const std::map<std::string, std::size_t>& series_of, std::size_t plan,
               std::size_t best, MeasuredGain& measured) {
  for (MeasuredSingle& single : measured.singles) {
    if (single.status != "ok") continue;
    single.seconds = base::quantile(series[series_of.at(single.kernel)].seconds, 0.5);
    if (measured.fastest.empty() || single.seconds < measured.fastest_s) {
      measured.fastest = single.kernel;
      measured.fastest_s = single.seconds;
    }
  }
  measured.plan_s = base::quantile(series[plan].seconds, 0.5);
  measured.best_single_s = base::quantile(series[best].seconds, 0.5);
  const GainOfTurns gain = gain_over(series[best], series[plan]);
  measured.gain = gain.median;
  measured.low = gain.low;
  measured.high = gain.high;
}

template <class Value>
void fill_for_timing(Array<Value>& x, std::int64_t entries) {
  x.resize(static_cast<std::size_t>(entries));
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = value_from<Value>(0.5 + static_cast<double>(i * 2654435761U % 65536) / 65536);
}

class TimedPlan final : public hardware::Product {
 public:
  explicit TimedPlan(const Plan& plan) : plan_(plan), vectors_(Runner::of(plan)) {}
  double run(int times) override { return vectors_.run(Runner::of(plan_), times); }
  std::vector<double> multiply(std::span<const double> x) override {
    return with_value_of(plan_.strategy().precision, [&]<class Value>(Value) {
      std::vector<Value> from(x.size());
      std::ranges::transform(x, from.begin(), value_from<Value, double>);
      std::vector<Value> y(static_cast<std::size_t>(plan_.rows()));
      plan_.apply(std::span<const Value>(from), std::span<Value>(y));
      std::vector<double> parts;
      for (const Value value : y) {
        if constexpr (is_complex_value<Value>) {
          parts.insert(parts.end(), {value.real(), value.imag()});
        } else {
          parts.push_back(value);
        }
      }
      return parts;
    });
  }
  [[nodiscard]] double preprocess_seconds() const override { return plan_.conversion_seconds(); }
  [[nodiscard]] std::int64_t bytes() const override { return plan_.bytes(); }

 private:
  const Plan& plan_;
  TimingVectors vectors_;
};
}  // namespace

int take_turns(std::vector<Turns>& series, const MeasureOptions& options) {
  for (Turns& one : series) {
    base::throw_if_interrupted();
    warm_up(one, options.block_s);
  }
  double spent = 0;
  int rounds = 0;
  for (; rounds < options.rounds && (rounds < fewest_rounds || spent < options.most_s); ++rounds) {
    for (std::size_t i = 0; i < series.size(); ++i) {
      base::throw_if_interrupted();
      Turns& one = series[rounds % 2 == 0 ? i : series.size() - 1 - i];
      const double seconds = one.product->run(one.runs);
      one.seconds.push_back(seconds / one.runs);
      spent += seconds;
    }
  }
  return rounds;
}

GainOfTurns gain_over(const Turns& slow, const Turns& fast) {
  std::vector<double> gains;
  for (std::size_t r = 0; r < std::min(slow.seconds.size(), fast.seconds.size()); ++r)
    gains.push_back(1 - fast.seconds[r] / slow.seconds[r]);
  return {base::quantile(gains, 0.5), base::quantile(gains, 0.05), base::quantile(gains, 0.95)};
}

std::vector<double> vector_for_checks(std::int64_t entries) {
  std::vector<double> x(static_cast<std::size_t>(entries));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.5 + static_cast<double>(i * 2654435761U % 65536) / 65536;
  return x;
}

double largest_error(std::span<const double> y, std::span<const double> expected) {
  double error = 0, largest = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    error = std::max(error, std::abs(y[i] - expected[i]));
    largest = std::max(largest, std::abs(expected[i]));
  }
  return largest > 0 ? error / largest : error;
}

std::string gain_text(double gain, double low, double high, std::string_view doubt) {
  const std::string range = fmt::format("{:.1f} % – {:.1f} %", 100 * low, 100 * high);
  if (low > 0 || high < 0) return fmt::format("gain {:.1f} % ({})", 100 * gain, range);
  // An interval that reaches beyond losing a whole product's time says only that nothing is known.
  return low < -1 ? fmt::format("no gain beyond {}", doubt) : fmt::format("no gain beyond {} ({})", doubt, range);
}

MeasuredGain measure_gain(const Matrix& matrix, const Plan& plan, const MeasureOptions& options) {
  const Strategy& strategy = plan.strategy();
  const std::unique_ptr<hardware::Device> device = hardware::open_device(strategy.device, strategy.threads);
  const Structure structure = analyze(matrix);
  MeasuredGain measured;
  measured.conversion_s = plan.conversion_seconds();

  std::vector<std::unique_ptr<hardware::Product>> products;
  std::vector<Turns> series;
  std::map<std::string, std::size_t> series_of;
  const std::int64_t memory = device->properties().memory_bytes;
  std::int64_t held = 0;
  for (const SingleKernel& single : strategy.singles) {
    MeasuredSingle entry{single.kernel, 0, "ok"};
    try {
      if (single.seconds > hopeless * strategy.best_single.seconds)
        throw Error(ErrorCode::failed, "not measured: predicted to take more than ten times as long as the best");
      const std::int64_t bytes = device->format_bytes(structure, single.kernel, strategy.precision);
      if (memory > 0 && held + bytes > memory / 2) throw Error(ErrorCode::too_large, "too large beside the others");
      products.push_back(device->prepare(matrix, structure, single.kernel, strategy.precision));
      held += bytes;
      series_of[single.kernel] = series.size();
      series.push_back({products.back().get(), 1, {}});
    } catch (const Error& error) {
      if (error.code() != ErrorCode::failed && error.code() != ErrorCode::too_large) throw;
      entry.status = error.reason();
    }
    measured.singles.push_back(std::move(entry));
  }
  const auto best = series_of.find(strategy.best_single.kernel);
  if (best == series_of.end())
    throw Error(ErrorCode::failed, "the best single kernel " + strategy.best_single.kernel + " could not be run");
  const bool shared = strategy.blocks.size() == 1 && !strategy.blocks.front().reordered &&
                      series_of.contains(strategy.blocks.front().kernel);
  std::size_t plan_series = shared ? series_of[strategy.blocks.front().kernel] : series.size();
  if (!shared) {
    products.push_back(timed_plan(plan));
    series.push_back({products.back().get(), 1, {}});
  }

  const std::vector<double> x = vector_for_checks(matrix.cols());
  measured.largest_error =
      largest_error(series[plan_series].product->multiply(x), series[best->second].product->multiply(x));

  measured.rounds = take_turns(series, options);
  summarize(series, series_of, plan_series, best->second, measured);
  return measured;
}

TransposeAdvice advise_transpose(const Planner& planner, const Matrix& matrix, const Strategy& transposed,
                                 const StrategyOptions& options) {
  TransposeAdvice advice;
  advice.symmetric = matrix::value_symmetry(matrix, transposed.threads).symmetric == 1;
  if (advice.symmetric) return advice;
  const double start = base::now_s();
  const Matrix of_its_own = transpose(matrix);
  advice.transpose_s = base::now_s() - start;
  StrategyOptions plain = options;
  plain.transposed = false;
  const Strategy stored = planner.strategy(of_its_own, plain);
  advice.kernel = stored.blocks.size() == 1 ? stored.blocks[0].kernel : fmt::format("{} blocks", stored.blocks.size());
  advice.seconds = stored.predicted_s;
  advice.conversion_s = stored.conversion_s;
  const double saved = transposed.predicted_s - stored.predicted_s;
  const double paid = advice.transpose_s + stored.conversion_s - transposed.conversion_s;
  if (saved > 0) advice.pays_from = std::max<std::int64_t>(1, std::llround(std::ceil(paid / saved)));
  return advice;
}

TimingVectors::TimingVectors(const Runner& runner)
    : vectors_(runner.strategy.vectors),
      from_(runner.strategy.transposed ? runner.rows : runner.cols),
      to_(runner.strategy.transposed ? runner.cols : runner.rows),
      transposed_(runner.strategy.transposed) {
  if (dynamic_cast<const DeviceRunner*>(&runner) != nullptr) return;
  with_value_of(runner.strategy.precision, [&]<class Value>(Value) {
    auto& arrays = arrays_.emplace<Arrays<Value>>();
    fill_for_timing(arrays.x, from_ * vectors_);
    arrays.y.resize(static_cast<std::size_t>(to_ * vectors_));
  });
}

template <class Value>
void TimingVectors::multiply(const Runner& runner, Arrays<Value>& arrays) const {
  auto& [x, y] = arrays;
  if constexpr (!is_complex_value<Value>)
    if (vectors_ == 1 && !transposed_) return runner.apply(std::span<const Value>(x), std::span<Value>(y));
  runner.run(
      Call<Value>{{}, {x.data(), from_, vectors_, vectors_, 1}, {y.data(), to_, vectors_, vectors_, 1}, transposed_});
}

double TimingVectors::run(const Runner& runner, int times) {
  if (const auto* device = dynamic_cast<const DeviceRunner*>(&runner)) return device->seconds_of(times);
  const double start = base::now_s();
  std::visit(
      [&](auto& arrays) {
        for (int i = 0; i < times; ++i) multiply(runner, arrays);
      },
      arrays_);
  return base::now_s() - start;
}

double TimingVectors::run_one(const Runner& runner) {
  const auto* device = dynamic_cast<const DeviceRunner*>(&runner);
  if (device == nullptr) return run(runner, 1);
  // Starting and reading a device's timer takes as long as a small product; the difference of two runs has none of it.
  constexpr int more = 8;
  const double once = device->seconds_of(1), several = device->seconds_of(1 + more);
  return several > once ? (several - once) / more : once;
}

std::unique_ptr<hardware::Product> timed_plan(const Plan& plan) { return std::make_unique<TimedPlan>(plan); }
}  // namespace sparsecast::planning
