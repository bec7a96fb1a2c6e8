// The kernel to use: from forecasts, or from a profile whose models forecast first.

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <sparsecast/error.hpp>
#include <sparsecast/recommend.hpp>
#include <sparsecast_constants.hpp>

#include "base/text.hpp"
#include "base/threads.hpp"
#include "forecast/model_set.hpp"

namespace sparsecast {
namespace {
// What cannot be known comes after all that is.
double rank_seconds(const Forecast& forecast, std::int64_t iterations) {
  return iterations > 0 ? total_seconds(forecast, iterations).value_or(std::numeric_limits<double>::infinity())
                        : forecast.seconds;
}

// From how many products on the fastest kernel has earned back what its conversion costs more than the cheapest one's.
std::string break_even_text(const std::vector<Forecast>& forecasts, const Forecast& best) {
  const Forecast& fastest = *std::ranges::min_element(forecasts, {}, &Forecast::seconds);
  const auto conversion = [](const Forecast& f) {
    return f.preprocess_s.value_or(std::numeric_limits<double>::infinity());
  };
  const Forecast& cheapest =
      *std::ranges::min_element(forecasts, {}, [&](const Forecast& f) { return std::pair(conversion(f), f.seconds); });
  if (!fastest.preprocess_s || !cheapest.preprocess_s) return {};
  const double saved = cheapest.seconds - fastest.seconds, spent = *fastest.preprocess_s - *cheapest.preprocess_s;
  if (saved <= 0 || spent <= 0) return {};
  constexpr double most = std::int64_t{1} << 50;
  const auto products = static_cast<std::int64_t>(std::ceil(std::min(spent / saved, most)));
  return fmt::format("; {} from {} products on (against {})",
                     fastest.kernel == best.kernel ? "pays" : fastest.kernel + " would pay",
                     base::format_count(products), cheapest.kernel);
}
}  // namespace

std::optional<double> total_seconds(const Forecast& forecast, std::int64_t iterations) {
  if (!forecast.preprocess_s) return std::nullopt;
  return *forecast.preprocess_s + static_cast<double>(iterations) * forecast.seconds;
}

Recommendation recommend(const std::vector<Forecast>& forecasts, std::int64_t iterations) {
  if (forecasts.empty()) return {"", 0, "no kernel could be forecast"};
  // Without any conversion that is known, products alone are all there is to go by.
  const bool unknown =
      iterations > 0 && std::ranges::none_of(forecasts, [](const Forecast& f) { return f.preprocess_s.has_value(); });
  if (unknown) {
    Recommendation by_product = recommend(forecasts, 0);
    by_product.reason += "; what conversions take is not known";
    return by_product;
  }
  const auto total = [&](const Forecast& forecast) { return rank_seconds(forecast, iterations); };
  const Forecast& best = *std::ranges::min_element(forecasts, {}, total);
  Recommendation recommendation{best.kernel, best.seconds, {}};
  recommendation.reason =
      iterations > 0 ? fmt::format("finishes {} products first by model {}, conversion included ({})",
                                   base::format_count(iterations), best.model, base::format_seconds(total(best)))
                     : fmt::format("fastest product by model {}", best.model);
  if (iterations > 0) recommendation.reason += break_even_text(forecasts, best);
  // Kernels that the interval of the best does not tell apart from it.
  const double slowest =
      iterations > 0 ? best.preprocess_s.value_or(0) + static_cast<double>(iterations) * best.high_s : best.high_s;
  const double latest = std::max(slowest, (1 + constants::near_tie) * total(best));
  std::vector<std::string> ties;
  for (const Forecast& other : forecasts)
    if (other.kernel != best.kernel && std::ranges::find(ties, other.kernel) == ties.end() && total(other) <= latest)
      ties.push_back(other.kernel);
  if (!ties.empty()) recommendation.reason += fmt::format("; within its interval: {}", fmt::join(ties, ", "));
  return recommendation;
}

Recommendation recommend(const Structure& structure, const Profile& profile, const RecommendOptions& options) {
  if (options.iterations < 0)
    throw Error(ErrorCode::usage, fmt::format("{} products cannot be counted", options.iterations));
  forecast::require_row_lengths(structure, profile);
  const int threads = profile.properties.kind == DeviceKind::host ? base::thread_count(options.threads) : 0;
  const forecast::ModelSet models(options.model, profile, {options.precision, threads, options.notice});
  return recommend(models.best(structure, forecast::kernels_of(profile)), options.iterations);
}
}  // namespace sparsecast
