#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <sparsecast/recommend.hpp>
#include <sparsecast_constants.hpp>

#include "base/text.hpp"
#include "base/threads.hpp"
#include "forecast/interval.hpp"
#include "forecast/memory_fit.hpp"
#include "forecast/model_set.hpp"
#include "formats/kernels.hpp"

namespace sparsecast {
namespace {
// What cannot be known comes after all that is.
double rank_seconds(const Forecast& forecast, std::int64_t iterations) {
  return iterations > 0 ? total_seconds(forecast, iterations).value_or(std::numeric_limits<double>::infinity())
                        : forecast.seconds;
}

// What is chosen by.
double expected_total(const Forecast& forecast, std::int64_t iterations) {
  Forecast expected = forecast;
  expected.seconds = expected_seconds(forecast);
  return rank_seconds(expected, iterations);
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

// What the best gains over csr, which is how people hold their arrays.
std::string advice_of(const std::vector<Forecast>& forecasts, const Forecast& best, std::int64_t iterations) {
  const auto plain = std::ranges::find(forecasts, formats::default_kernel().name, &Forecast::kernel);
  if (plain == forecasts.end()) return {};
  const std::string total = iterations > 0 && best.preprocess_s
                                ? fmt::format("; {} take {}", base::format_count(iterations),
                                              base::format_seconds(rank_seconds(best, iterations)))
                                : "";
  if (best.kernel == plain->kernel) return "nothing else is forecast to finish first" + total;
  const double ratio = plain->seconds / best.seconds;
  constexpr double never = std::int64_t{1} << 50;  // products
  std::string text = std::round(10 * ratio) <= 10 ? "about as fast as " + plain->kernel
                                                  : fmt::format("{:.1f} × as fast as {}", ratio, plain->kernel);
  const std::optional<double> asked = best.preprocess_s, free = plain->preprocess_s;
  const double spent = asked.value_or(0) - free.value_or(0), saved = plain->seconds - best.seconds;
  if (asked && free && spent <= 0) text += ", needs no conversion";
  if (asked && free && spent > 0 && saved > 0 && spent / saved < never)
    text += fmt::format(", pays back after {} products",
                        base::format_count(static_cast<std::int64_t>(std::ceil(spent / saved))));
  return text + total;
}
// Where no formula reaches, a kernel is not worth naming: its number is extrapolated, or stands in for one.
std::string unknown_text(const std::vector<Forecast>& forecasts) {
  std::set<std::string> models;
  std::set<std::string_view> why;
  for (const Forecast& one : forecasts) {
    models.insert(one.model);
    switch (*one.beyond) {
      case Beyond::never_measured: why.insert("rows longer than any that were measured"); break;
      case Beyond::launch: why.insert("a formula that gives less than the time to start a product"); break;
      case Beyond::grid: why.insert("a matrix outside the measured range of rows and row lengths"); break;
      case Beyond::bandwidth: why.insert("a formula faster than any measured memory bandwidth"); break;
    }
  }
  return fmt::format("model {} applies to none of the kernels for this matrix; all are extrapolated: {}",
                     fmt::join(models, ", "), fmt::join(why, "; "));
}
// Of forecasts that their models' formulas reach.
Recommendation pick(const std::vector<Forecast>& forecasts, std::int64_t iterations) {
  // Without any conversion that is known, products alone are all there is to go by.
  const bool unknown =
      iterations > 0 && std::ranges::none_of(forecasts, [](const Forecast& f) { return f.preprocess_s.has_value(); });
  if (unknown) {
    Recommendation by_product = pick(forecasts, 0);
    by_product.reason += "; the times of conversions are not known";
    return by_product;
  }
  const auto total = [&](const Forecast& forecast) { return rank_seconds(forecast, iterations); };
  const Forecast& best =
      *std::ranges::min_element(forecasts, {}, [&](const Forecast& f) { return expected_total(f, iterations); });
  const Forecast& first = *std::ranges::min_element(forecasts, {}, total);
  Recommendation recommendation{.kernel = best.kernel, .seconds = best.seconds, .reason = {}};
  recommendation.reason =
      iterations > 0 ? fmt::format("finishes {} products first by model {}, conversion included ({})",
                                   base::format_count(iterations), best.model, base::format_seconds(total(best)))
                     : fmt::format("{} product by model {}",
                                   total(first) < total(best) ? "the smallest expected time" : "fastest", best.model);
  if (iterations > 0) recommendation.reason += break_even_text(forecasts, best);
  if (total(first) < total(best))
    recommendation.reason += fmt::format("; {} is forecast to be faster, with less certainty", first.kernel);
  recommendation.advice = advice_of(forecasts, best, iterations);
  // Kernels that the interval of the best does not tell apart from it.
  const double slowest =
      iterations > 0 ? best.preprocess_s.value_or(0) + static_cast<double>(iterations) * best.high_s : best.high_s;
  const double latest = std::max(slowest, (1 + constants::near_tie) * total(best));
  std::vector<std::string>& ties = recommendation.ties;
  for (const Forecast& other : forecasts)
    if (other.kernel != best.kernel && std::ranges::find(ties, other.kernel) == ties.end() && total(other) <= latest)
      ties.push_back(other.kernel);
  if (!ties.empty()) recommendation.reason += fmt::format("; within its interval: {}", fmt::join(ties, ", "));
  return recommendation;
}
}  // namespace

double expected_seconds(const Forecast& forecast) {
  const bool described = forecast.tier == Tier::data_sheet || forecast.tier == Tier::anchors;
  if (!described || forecast.low_s <= 0) return forecast.seconds;
  const double deviation = std::log(forecast.high_s / forecast.low_s) / forecast::interval_deviations;
  return forecast.seconds * std::exp(deviation * deviation / 2);
}

std::optional<double> total_seconds(const Forecast& forecast, std::int64_t iterations) {
  if (!forecast.preprocess_s) return std::nullopt;
  return *forecast.preprocess_s + static_cast<double>(iterations) * forecast.seconds;
}

Recommendation recommend(const std::vector<Forecast>& forecasts, std::int64_t iterations) {
  if (forecasts.empty()) return {.kernel = "", .reason = "no kernel could be forecast"};
  std::vector<Forecast> known;
  std::ranges::copy_if(forecasts, std::back_inserter(known), [](const Forecast& one) { return !one.beyond; });
  if (known.empty()) return {.kernel = "", .reason = unknown_text(forecasts)};
  forecast::keep_what_fits(known);
  return pick(known, iterations);
}
}  // namespace sparsecast
