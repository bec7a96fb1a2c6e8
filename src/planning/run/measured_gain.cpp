#include "planning/run/measured_gain.hpp"

#include <map>
#include <sparsecast/error.hpp>

#include "base/median.hpp"
#include "calibration/measurement.hpp"
#include "planning/run/timed_plan.hpp"

namespace sparsecast::planning {
namespace {
// A kernel that is forecast to take so many times the best one's time is not the fastest, and may take gigabytes.
constexpr double hopeless = 10;

// What the rounds say; `plan` and `best` are the series of the plan and of the best single kernel.
void summarize(const std::vector<Turns>& series, const std::map<std::string, std::size_t>& series_of, std::size_t plan,
               std::size_t best, MeasuredGain& measured) {
  for (MeasuredSingle& single : measured.singles) {
    if (single.status != calibration::Measurement::timed_word) continue;
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
}  // namespace

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
      if (memory > 0 && held + bytes > memory / 2)
        throw Error(ErrorCode::too_large, "too large to hold beside the others");
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
}  // namespace sparsecast::planning
