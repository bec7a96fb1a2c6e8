#include "forecast/thread_counts.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <sparsecast_constants.hpp>

#include "forecast/record_choice.hpp"

namespace sparsecast::forecast {
namespace {
class Between final : public FittedModel {
 public:
  Between(std::unique_ptr<FittedModel> below, std::unique_ptr<FittedModel> above, double weight)
      : below_(std::move(below)), above_(std::move(above)), weight_(weight) {}

  [[nodiscard]] std::optional<Forecast> forecast(const Structure& structure, const std::string& kernel) const override {
    std::optional<Forecast> low = below_->forecast(structure, kernel), high = above_->forecast(structure, kernel);
    if (!low || !high || !(low->seconds > 0) || !(high->seconds > 0)) return std::nullopt;
    return between(*low, *high);
  }

 private:
  [[nodiscard]] double mean(double below, double above) const {
    return std::exp((1 - weight_) * std::log(below) + weight_ * std::log(above));
  }
  [[nodiscard]] std::optional<double> mean(const std::optional<double>& below,
                                           const std::optional<double>& above) const {
    if (!below || !above) return std::nullopt;
    return (1 - weight_) * *below + weight_ * *above;
  }

  [[nodiscard]] Forecast between(const Forecast& low, const Forecast& high) const {
    Forecast out = weight_ < 0.5 ? low : high;
    out.seconds = mean(low.seconds, high.seconds);
    // In the middle a quarter of what lies between them.
    const double unknown = weight_ * (1 - weight_) * std::abs(std::log(low.seconds / high.seconds));
    out.low_s = mean(low.low_s, high.low_s) * std::exp(-unknown);
    out.high_s = mean(low.high_s, high.high_s) * std::exp(unknown);
    out.gflops = mean(low.gflops, high.gflops);
    out.preprocess_s = mean(low.preprocess_s, high.preprocess_s);
    out.preprocess_low_s = mean(low.preprocess_low_s, high.preprocess_low_s);
    out.preprocess_high_s = mean(low.preprocess_high_s, high.preprocess_high_s);
    out.extrapolated = low.extrapolated || high.extrapolated;
    out.beyond = low.beyond ? low.beyond : high.beyond;
    const double scale = out.seconds / (weight_ < 0.5 ? low : high).seconds;
    for (ForecastPart& part : out.parts) part.seconds *= scale;
    return out;
  }

  std::unique_ptr<FittedModel> below_, above_;
  double weight_;  // of the count above
};

FitOptions with_count(FitOptions options, int threads) {
  options.threads = threads;
  return options;
}
}  // namespace

std::vector<int> measured_counts(const Profile& profile, const FitOptions& options) {
  std::set<int> counts(profile.shipped.begin(), profile.shipped.end());
  for (const Record& record : profile.records)
    if (record.threads > 0) counts.insert(record.threads);
  std::vector<int> usable;
  for (const int count : counts)
    if (has_records(profile, with_count(options, count))) usable.push_back(count);
  return usable;
}

std::optional<CountsAround> counts_around(const Profile& profile, const FitOptions& options) {
  const std::vector<int> counts = measured_counts(profile, options);
  const auto above = std::ranges::lower_bound(counts, options.threads);
  if (above == counts.begin() || above == counts.end() || *above == options.threads) return std::nullopt;
  return CountsAround{*(above - 1), *above};
}

std::unique_ptr<FittedModel> fit_between(const std::string& model, const Profile& profile, const FitOptions& options,
                                         const CountsAround& around) {
  const auto along = [](int count) { return std::log(static_cast<double>(count)); };
  const double weight = (along(options.threads) - along(around.below)) / (along(around.above) - along(around.below));
  return std::make_unique<Between>(fit_model(model, profile, with_count(options, around.below)),
                                   fit_model(model, profile, with_count(options, around.above)), weight);
}

std::vector<int> counts_to_compare(const std::vector<int>& measured) {
  const int all_up_to = constants::count(constants::all_counts_up_to), part = constants::count(constants::counts_apart);
  std::set<int> counts(measured.begin(), measured.end());
  if (!measured.empty())
    for (int count = measured.front(); count <= measured.back();
         count += count < all_up_to ? 1 : (count + part - 1) / part)
      counts.insert(count);
  return {counts.begin(), counts.end()};
}
}  // namespace sparsecast::forecast
