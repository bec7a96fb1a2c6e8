#include "forecast/model_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sparsecast/error.hpp>

#include "base/text.hpp"

namespace sparsecast::forecast {
namespace {

void fastest_first(std::vector<Forecast>& forecasts) { std::ranges::stable_sort(forecasts, {}, &Forecast::seconds); }

double total_seconds(const Forecast& forecast, std::int64_t iterations) {
  return iterations > 0 ? forecast.preprocess_s + static_cast<double>(iterations) * forecast.seconds : forecast.seconds;
}

// From how many products on the fastest kernel has earned back what its conversion costs more than the cheapest one's.
std::string break_even_text(const std::vector<Forecast>& forecasts, const Forecast& best) {
  const Forecast& fastest = *std::ranges::min_element(forecasts, {}, &Forecast::seconds);
  const Forecast& cheapest =
      *std::ranges::min_element(forecasts, {}, [](const Forecast& f) { return std::pair(f.preprocess_s, f.seconds); });
  const double saved = cheapest.seconds - fastest.seconds, spent = fastest.preprocess_s - cheapest.preprocess_s;
  if (saved <= 0 || spent <= 0) return {};
  const auto products = static_cast<std::int64_t>(std::ceil(std::min(spent / saved, 1e15)));
  return fmt::format("; {} from {} products on (against {})",
                     fastest.kernel == best.kernel ? "pays" : fastest.kernel + " would pay",
                     base::format_count(products), cheapest.kernel);
}

}  // namespace

ModelSet::ModelSet(const std::string& model, const Profile& profile, const FitOptions& options) {
  const bool fits = std::ranges::any_of(profile.records, [&](const Record& record) {
    return record.precision == options.precision && record.threads == options.threads;
  });
  if (!fits) {
    const std::string threads = options.threads > 0 ? fmt::format(" and {} thread(s)", options.threads) : "";
    throw Error(ErrorCode::failed,
                fmt::format("the profile '{}' has no records in {} precision{}", profile.name,
                            to_string(options.precision), threads),
                {},
                fmt::format("run `sparsecast calibrate --device {} --precision {}{}`", profile.name,
                            to_string(options.precision),
                            options.threads > 0 ? fmt::format(" --threads {}", options.threads) : ""));
  }
  if (model == "best" || model == "all") {
    for (const std::string& name : model_names()) models_.emplace_back(name, fit_model(name, profile, options));
  } else {
    models_.emplace_back(model, fit_model(model, profile, options));
  }
}

std::vector<Forecast> ModelSet::forecasts(const Structure& structure, const std::string& kernel,
                                          double launch_s) const {
  std::vector<Forecast> forecasts;
  for (const auto& [name, model] : models_)
    if (auto forecast = model->forecast_at(structure, kernel, launch_s)) forecasts.push_back(std::move(*forecast));
  return forecasts;
}

std::vector<Forecast> ModelSet::best(const Structure& structure, const std::vector<std::string>& kernels) const {
  std::vector<Forecast> forecasts;
  for (const std::string& kernel : kernels) {
    // The table of models stands in order of preference.
    for (const auto& [name, model] : models_) {
      auto forecast = model->forecast(structure, kernel);
      if (!forecast) continue;
      forecasts.push_back(std::move(*forecast));
      break;
    }
  }
  fastest_first(forecasts);
  return forecasts;
}

std::vector<Forecast> ModelSet::all(const Structure& structure, const std::vector<std::string>& kernels) const {
  std::vector<Forecast> all;
  for (const std::string& kernel : kernels) std::ranges::move(forecasts(structure, kernel), std::back_inserter(all));
  fastest_first(all);
  return all;
}

std::vector<std::string> ModelSet::names() const {
  std::vector<std::string> names;
  for (const auto& [name, model] : models_) names.push_back(name);
  return names;
}

Recommendation recommend(const std::vector<Forecast>& forecasts, std::int64_t iterations) {
  if (forecasts.empty()) return {"", 0, "no kernel could be forecast"};
  const auto total = [&](const Forecast& forecast) { return total_seconds(forecast, iterations); };
  const Forecast& best = *std::ranges::min_element(forecasts, {}, total);
  Recommendation recommendation{best.kernel, best.seconds, {}};
  recommendation.reason =
      iterations > 0 ? fmt::format("finishes {} products first by model {}, conversion included ({})",
                                   base::format_count(iterations), best.model, base::format_seconds(total(best)))
                     : fmt::format("fastest product by model {}", best.model);
  if (iterations > 0) recommendation.reason += break_even_text(forecasts, best);
  // Kernels that the interval of the best does not tell apart from it.
  const double slowest =
      iterations > 0 ? best.preprocess_s + static_cast<double>(iterations) * best.high_s : best.high_s;
  const double latest = std::max(slowest, 1.02 * total(best));  // no interval tells kernels apart that are within 2 %
  std::vector<std::string> ties;
  for (const Forecast& other : forecasts)
    if (other.kernel != best.kernel && std::ranges::find(ties, other.kernel) == ties.end() && total(other) <= latest)
      ties.push_back(other.kernel);
  if (!ties.empty()) recommendation.reason += fmt::format("; within its interval: {}", fmt::join(ties, ", "));
  return recommendation;
}

}  // namespace sparsecast::forecast
