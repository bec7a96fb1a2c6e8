#include <fmt/format.h>
#include <algorithm>
#include <sparsecast/error.hpp>
#include <sparsecast/evaluation.hpp>
#include <sparsecast/recommend.hpp>
#include <sparsecast_constants.hpp>

#include "base/median.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "forecast/model_set.hpp"
#include "formats/kernels.hpp"

namespace sparsecast {
namespace {
double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

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
}  // namespace

double EvaluationCase::error() const { return std::abs(predicted_s - measured_s) / measured_s; }

std::optional<double> EvaluationCase::preprocess_error() const {
  if (!preprocess_predicted_s || !preprocess_measured_s) return std::nullopt;
  if (*preprocess_measured_s > 0)
    return std::abs(*preprocess_predicted_s - *preprocess_measured_s) / *preprocess_measured_s;
  if (*preprocess_predicted_s > 0) return std::nullopt;  // no share of nothing
  return 0;
}

std::vector<ErrorSummary> summarize(const std::vector<EvaluationCase>& cases) {
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<const EvaluationCase*>> groups;
  for (const EvaluationCase& one : cases) groups[{one.device, one.kernel, one.model}].push_back(&one);
  std::vector<ErrorSummary> summaries;
  for (const auto& [key, group] : groups) {
    ErrorSummary summary;
    std::tie(summary.device, summary.kernel, summary.model) = key;
    summary.cases = static_cast<int>(group.size());
    std::vector<double> errors, spreads, conversions, repeats;
    for (const EvaluationCase* one : group) {
      errors.push_back(one->error());
      spreads.push_back(one->spread);
      if (const auto error = one->preprocess_error()) conversions.push_back(*error);
      if (one->repeat_error) repeats.push_back(*one->repeat_error);
      if (one->low_s <= one->measured_s && one->measured_s <= one->high_s) ++summary.coverage;
    }
    summary.coverage /= summary.cases;
    summary.mean_error = mean(errors);
    summary.mean_spread = mean(spreads);
    if (!conversions.empty()) summary.preprocess_mean_error = mean(conversions);
    if (!repeats.empty()) summary.mean_repeat_error = mean(repeats);
    std::ranges::sort(errors);
    summary.median_error = base::quantile(errors, 0.5);
    summary.p90_error = base::quantile(errors, constants::interval_share);
    summary.max_error = errors.back();
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

std::vector<SelectionSummary> selections(const std::vector<EvaluationCase>& cases) {
  std::map<std::pair<std::string, std::string>, double> fastest;  // (device, matrix) → seconds
  std::map<std::tuple<std::string, std::string, std::string>, const EvaluationCase*> chosen;  // (device, model, matrix)
  for (const EvaluationCase& one : cases) {
    const auto [best, first] = fastest.try_emplace({one.device, one.matrix}, one.measured_s);
    if (!first) best->second = std::min(best->second, one.measured_s);
    const auto [choice, new_choice] = chosen.try_emplace({one.device, one.model, one.matrix}, &one);
    if (!new_choice && one.predicted_s < choice->second->predicted_s) choice->second = &one;
  }
  std::map<std::pair<std::string, std::string>, SelectionSummary> summaries;
  for (const auto& [key, one] : chosen) {
    const auto& [device, model, matrix] = key;
    SelectionSummary& summary = summaries[{device, model}];
    summary.device = device;
    summary.model = model;
    const double regret = one->measured_s / fastest.at({device, matrix}) - 1;
    ++summary.cases;
    summary.hits += regret <= constants::near_tie ? 1 : 0;
    summary.mean_regret += regret;
    summary.max_regret = std::max(summary.max_regret, regret);
  }
  std::vector<SelectionSummary> result;
  for (auto& [key, summary] : summaries) {
    summary.mean_regret /= summary.cases;
    result.push_back(std::move(summary));
  }
  return result;
}

// The kernel to use: from forecasts, or from a profile whose models forecast first.

std::optional<double> total_seconds(const Forecast& forecast, std::int64_t iterations) {
  if (!forecast.preprocess_s) return std::nullopt;
  return *forecast.preprocess_s + static_cast<double>(iterations) * forecast.seconds;
}

Recommendation recommend(const std::vector<Forecast>& forecasts, std::int64_t iterations) {
  if (forecasts.empty()) return {.kernel = "", .reason = "no kernel could be forecast"};
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
  Recommendation recommendation{.kernel = best.kernel, .seconds = best.seconds, .reason = {}};
  recommendation.reason =
      iterations > 0 ? fmt::format("finishes {} products first by model {}, conversion included ({})",
                                   base::format_count(iterations), best.model, base::format_seconds(total(best)))
                     : fmt::format("fastest product by model {}", best.model);
  if (iterations > 0) recommendation.reason += break_even_text(forecasts, best);
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

Recommendation recommend(const Structure& structure, const Profile& profile, const RecommendOptions& options) {
  if (options.iterations < 0)
    throw Error(ErrorCode::usage, fmt::format("{} products cannot be counted", options.iterations));
  forecast::require_row_lengths(structure, profile);
  const int threads = profile.properties.kind == DeviceKind::host ? base::thread_count(options.threads) : 0;
  const forecast::ModelSet models(options.model, profile, {options.precision, threads, options.notice});
  return recommend(models.best(structure, forecast::kernels_of(profile)), options.iterations);
}
}  // namespace sparsecast
