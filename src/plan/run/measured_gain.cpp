#include "plan/run/measured_gain.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <sparsecast/error.hpp>

#include "base/interrupt.hpp"
#include "plan/run/plan_runner.hpp"

namespace sparsecast::planning {
namespace {

constexpr int fewest_rounds = 5;
// A kernel that is forecast to take so many times the best one's time is not the fastest, and may take gigabytes.
constexpr double hopeless = 10;

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const double position = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (position - static_cast<double>(below)) * (values[above] - values[below]);
}

struct Series {
  devices::Product* product = nullptr;
  int runs = 1;  // of one turn
  std::vector<double> seconds;

  void warm_up(double block_s) {
    (void)product->run(1);
    double taken = product->run(1);
    while (taken * 2 < block_s && runs < (1 << 20)) {
      runs *= 2;
      taken = product->run(runs);
    }
  }
};

// Turn by turn, the order reversed in every other round, so that none always follows the same neighbour.
void take_turns(std::vector<Series>& series, const MeasureOptions& options, int& rounds) {
  for (Series& one : series) {
    base::throw_if_interrupted();
    one.warm_up(options.block_s);
  }
  double spent = 0;
  for (rounds = 0; rounds < options.rounds && (rounds < fewest_rounds || spent < options.most_s); ++rounds) {
    for (std::size_t i = 0; i < series.size(); ++i) {
      base::throw_if_interrupted();
      Series& one = series[rounds % 2 == 0 ? i : series.size() - 1 - i];
      const double seconds = one.product->run(one.runs);
      one.seconds.push_back(seconds / one.runs);
      spent += seconds;
    }
  }
}

double largest_error(const std::vector<double>& y, const std::vector<double>& expected) {
  double error = 0, largest = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    error = std::max(error, std::abs(y[i] - expected[i]));
    largest = std::max(largest, std::abs(expected[i]));
  }
  return largest > 0 ? error / largest : error;
}

// What the rounds say; `plan` and `best` are the series of the plan and of the best single kernel.
void summarize(const std::vector<Series>& series, const std::map<std::string, std::size_t>& series_of, std::size_t plan,
               std::size_t best, MeasuredGain& measured) {
  for (MeasuredSingle& single : measured.singles) {
    if (single.status != "ok") continue;
    single.seconds = quantile(series[series_of.at(single.kernel)].seconds, 0.5);
    if (measured.fastest.empty() || single.seconds < measured.fastest_s) {
      measured.fastest = single.kernel;
      measured.fastest_s = single.seconds;
    }
  }
  measured.plan_s = quantile(series[plan].seconds, 0.5);
  measured.best_single_s = quantile(series[best].seconds, 0.5);
  std::vector<double> gains;
  for (int r = 0; r < measured.rounds; ++r)
    gains.push_back(1 - series[plan].seconds[static_cast<std::size_t>(r)] /
                            series[best].seconds[static_cast<std::size_t>(r)]);
  measured.gain = quantile(gains, 0.5);
  measured.low = quantile(gains, 0.05);
  measured.high = quantile(gains, 0.95);
}

}  // namespace

MeasuredGain measure_gain(const Matrix& matrix, const Plan& plan, const MeasureOptions& options) {
  const Strategy& strategy = plan.strategy();
  const std::unique_ptr<devices::Device> device = devices::open_device(strategy.device, strategy.threads);
  const Structure structure = analyze(matrix);
  MeasuredGain measured;
  measured.conversion_s = plan.conversion_seconds();

  std::vector<std::unique_ptr<devices::Product>> products;
  std::vector<Series> series;
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

  std::vector<double> x(static_cast<std::size_t>(matrix.cols()));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.5 + static_cast<double>(i * 2654435761U % 65536) / 65536;
  measured.largest_error =
      largest_error(series[plan_series].product->multiply(x), series[best->second].product->multiply(x));

  take_turns(series, options, measured.rounds);
  summarize(series, series_of, plan_series, best->second, measured);
  return measured;
}

}  // namespace sparsecast::planning
