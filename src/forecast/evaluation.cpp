#include <algorithm>
#include <sparsecast/evaluation.hpp>
#include <sparsecast_constants.hpp>

#include "base/median.hpp"

namespace sparsecast {
namespace {
double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
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
    // Where none is recommended, the fastest forecast.
    const auto rank = [](const EvaluationCase& c) { return std::pair(!c.recommended, c.predicted_s); };
    if (!new_choice && rank(one) < rank(*choice->second)) choice->second = &one;
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
}  // namespace sparsecast
