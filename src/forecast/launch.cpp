#include "forecast/launch.hpp"

#include <algorithm>
#include <limits>
#include <sparsecast_constants.hpp>

#include "calibration/rounds.hpp"
#include "forecast/physical/core_costs.hpp"
#include "forecast/record_choice.hpp"

namespace sparsecast::forecast {
namespace {
double fastest_product(const Profile& profile, const RecordSet& records) {
  double fastest = std::numeric_limits<double>::infinity();
  for (const Record& record : profile.records)
    if (record.precision == records.precision && record.threads == records.threads && record.seconds > 0)
      fastest = std::min(fastest, record.seconds);
  return fastest;
}

// As the curve has it, at its slowest; 0: there is none.
double measured_launch(const Profile& profile, int threads) {
  const Curve* curve = profile.curve("launch", threads);
  return curve != nullptr && !curve->y.empty() ? std::max(0.0, *std::ranges::max_element(curve->y)) : 0;
}

class NeverBelow final : public FittedModel {
 public:
  NeverBelow(std::unique_ptr<FittedModel> model, double least_s, std::function<double(const std::string&)> least_of)
      : model_(std::move(model)), least_s_(least_s), least_of_(std::move(least_of)) {}

  [[nodiscard]] std::optional<Forecast> forecast(const Structure& structure, const std::string& kernel) const override {
    return lifted(model_->forecast(structure, kernel), least_of(kernel));
  }
  [[nodiscard]] std::optional<Forecast> forecast_at(const Structure& structure, const std::string& kernel,
                                                    double launch_s) const override {
    return lifted(model_->forecast_at(structure, kernel, launch_s),
                  launch_s > 0 ? std::min(launch_s, least_of(kernel)) : least_of(kernel));
  }

 private:
  [[nodiscard]] double least_of(const std::string& kernel) const {
    const double known = least_of_ ? least_of_(kernel) : 0;
    return known > 0 ? std::min(known, least_s_) : least_s_;
  }
  [[nodiscard]] static std::optional<Forecast> lifted(std::optional<Forecast> forecast, double least_s) {
    if (forecast) lift_to(*forecast, least_s);
    return forecast;
  }

  std::unique_ptr<FittedModel> model_;
  double least_s_;
  std::function<double(const std::string&)> least_of_;
};
}  // namespace

void lift_to(Forecast& forecast, double least_s) {
  if (forecast.seconds >= least_s) return;
  // Doubt is as wide as before: a floor is not known better than what was forecast.
  // The order below stays above it, so that the choice among products at the floor is not left to chance.
  const double told = least_s * (1 + constants::floor_order * forecast.seconds / least_s);
  const double ratio = told / forecast.seconds;
  forecast.seconds = told;
  forecast.low_s *= ratio;
  forecast.high_s *= ratio;
  forecast.gflops /= ratio;
  for (ForecastPart& part : forecast.parts) part.seconds *= ratio;
  forecast.extrapolated = true;
}

double launch_seconds(const Profile& profile, const RecordSet& records) {
  const DeviceProperties& p = profile.properties;
  const bool host = p.kind == DeviceKind::host;
  // One thread opens no region: a call through two tables, and a loop begun and left.
  const double call_s = host ? 2 * CoreCosts(profile).turn_s : 0;
  const double measured = measured_launch(profile, host ? std::max(1, records.threads) : 0);
  if (measured > 0) return std::max(call_s, measured);
  const double fastest = fastest_product(profile, records);
  if (host && records.threads <= 1) return std::min(call_s, fastest);
  const double usual = host ? calibration::usual_of_records(profile.records, &Record::launch_s, records.threads) : 0;
  const double described = usual > 0 ? usual : p.launch_s > 0 ? p.launch_s : constants::launch_s;
  return std::min(described, fastest);
}

std::unique_ptr<FittedModel> never_below_launch(std::unique_ptr<FittedModel> model, const Profile& profile,
                                                const RecordSet& records,
                                                const std::function<double(const std::string&)>& least_of) {
  const RecordSet from = records_for(profile, records);
  return std::make_unique<NeverBelow>(
      std::move(model), std::min(launch_seconds(profile, from), fastest_product(profile, from)), least_of);
}
}  // namespace sparsecast::forecast
