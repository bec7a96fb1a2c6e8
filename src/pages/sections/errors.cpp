// What evaluate found: errors and intervals of every model and kernel, what its choices cost, and every case.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "pages/picture.hpp"
#include "pages/section.hpp"
#include "pages/table.hpp"

namespace sparsecast::pages {
namespace {

constexpr std::size_t most_points = 600;

struct Case {
  const Json* entry;
  double predicted, measured;
  [[nodiscard]] double ratio() const { return predicted / measured; }
  [[nodiscard]] bool inside() const {
    const auto low = number(*entry, "low_s"), high = number(*entry, "high_s");
    return low && high && measured >= *low && measured <= *high;
  }
};

std::vector<Case> cases_of(const Json& document) {
  std::vector<Case> cases;
  for (const Json& entry : list(document, "cases"))
    if (const auto predicted = number(entry, "predicted_s"), measured = number(entry, "measured_s");
        predicted && measured && *predicted > 0 && *measured > 0)
      cases.push_back({&entry, *predicted, *measured});
  return cases;
}

std::vector<std::string> models_of(const std::vector<Case>& cases) {
  std::vector<std::string> models;
  for (const Case& one : cases)
    if (const std::string model = text(*one.entry, "model"); std::ranges::find(models, model) == models.end())
      models.push_back(model);
  return models;
}

Element errors_answer(const std::vector<Case>& cases, const std::string& model) {
  std::vector<double> errors;
  int inside = 0;
  for (const Case& one : cases) {
    if (text(*one.entry, "model") != model) continue;
    errors.push_back(std::abs(one.ratio() - 1));
    inside += one.inside() ? 1 : 0;
  }
  std::ranges::sort(errors);
  return Element("p", "answer")
      .text("Of ")
      .add("strong", base::format_count(static_cast<std::int64_t>(errors.size())))
      .text(fmt::format(" forecasts by {} half are within ", model))
      .add("strong", base::format_percent(errors[errors.size() / 2]))
      .text(" of what was measured, and ")
      .add("strong", base::format_percent(inside / static_cast<double>(errors.size())))
      .text(" of the measured times lie in their 90 % intervals.");
}

Element ratio_picture(const std::vector<Case>& cases) {
  std::vector<double> times, ratios{0.8, 1.25};
  for (const Case& one : cases) {
    times.push_back(one.measured);
    ratios.push_back(one.ratio());
  }
  Plot plot(fmt::format("Forecast over measured time of {} cases, over the measured time", cases.size()),
            {"measured time", Scale::logarithmic(times, Unit::seconds)},
            {"forecast over measured", Scale::logarithmic(ratios, Unit::ratio)}, 360);
  const Scale x = Scale::logarithmic(times, Unit::seconds);
  plot.line(std::vector<std::pair<double, double>>{{x.low(), 1}, {x.high(), 1}}, "exact");
  const std::size_t step = (cases.size() + most_points - 1) / most_points;
  for (std::size_t i = 0; i < cases.size(); i += std::max<std::size_t>(1, step)) {
    const Case& one = cases[i];
    const bool inside = one.inside();
    plot.point(one.measured, one.ratio(), inside ? Plot::Mark::circle : Plot::Mark::cross, inside ? "forecast" : "miss",
               fmt::format("{}, {}\n{}\nforecast {}, measured {}\nerror {:+.1f} %, {} its interval",
                           text(*one.entry, "matrix"), text(*one.entry, "kernel"), text(*one.entry, "model"),
                           base::format_seconds(one.predicted), base::format_seconds(one.measured),
                           100 * (one.ratio() - 1), inside ? "inside" : "outside"));
  }
  std::string note = "Circles: the measured time lies in the forecast's 90 % interval; crosses: it does not.";
  if (step > 1) note += fmt::format(" One case in {} is drawn.", step);
  return figure("Forecast over measured, every case", plot.element(), note);
}

}  // namespace

MaybeElement errors_section(const Json& document, const std::string& prefix, const Json& /*page*/) {
  Table table(prefix + "errors", "Errors by kernel and model",
              {{"kernel", "kernel", Unit::plain, true},
               {"model", "model", Unit::plain, true},
               {"cases", "cases", Unit::count},
               {"mean_error", "mean error", Unit::share, false, "|forecast − measured| / measured"},
               {"median_error", "median", Unit::share},
               {"p90_error", "90th", Unit::share, false, "nine in ten cases are nearer"},
               {"max_error", "largest", Unit::share},
               {"coverage", "in interval", Unit::share, false,
                "cases whose measured time lies in the 90 % interval; 90 % is right"},
               {"mean_spread", "repeat spread", Unit::share, false, "of the measured times themselves"},
               {"preprocess_mean_error", "conversion's error", Unit::share}});
  for (const Json& s : list(document, "summary"))
    table.add({text(s, "kernel"), text(s, "model"), number(s, "cases"), number(s, "mean_error"),
               number(s, "median_error"), number(s, "p90_error"), number(s, "max_error"), number(s, "coverage"),
               number(s, "mean_spread"), number(s, "preprocess_mean_error")});
  if (table.empty()) return {};
  const std::vector<Case> cases = cases_of(document);
  Element out("div");
  if (!cases.empty()) {
    for (const std::string& model : models_of(cases)) out.add(errors_answer(cases, model));
    out.add(ratio_picture(cases));
  }
  return out.add(table.element());
}

MaybeElement choices_section(const Json& document, const std::string& prefix, const Json& /*page*/) {
  Table table(prefix + "choices", "Kernels chosen by each model",
              {{"model", "model", Unit::plain, true},
               {"cases", "matrices", Unit::count},
               {"hits", "within 2 % of the fastest", Unit::count},
               {"mean_regret", "mean regret", Unit::share, false, "time lost against the fastest kernel"},
               {"max_regret", "largest", Unit::share}});
  for (const Json& s : list(document, "selection"))
    table.add(
        {text(s, "model"), number(s, "cases"), number(s, "hits"), number(s, "mean_regret"), number(s, "max_regret")});
  return table.empty() ? MaybeElement() : table.element();
}

MaybeElement cases_section(const Json& document, const std::string& prefix, const Json& /*page*/) {
  Table table(prefix + "cases", "Every case, the largest error first",
              {{"matrix", "matrix", Unit::plain, true},
               {"kernel", "kernel", Unit::plain, true},
               {"model", "model", Unit::plain, true},
               {"predicted_s", "forecast", Unit::seconds},
               {"low_s", "from", Unit::seconds},
               {"high_s", "to", Unit::seconds},
               {"measured_s", "measured", Unit::seconds},
               {"error", "error", Unit::share},
               {"in_interval", "inside", Unit::plain, true},
               {"spread", "repeat spread", Unit::share},
               {"preprocess_predicted_s", "conversion", Unit::seconds},
               {"preprocess_measured_s", "measured", Unit::seconds}});
  std::vector<Case> cases = cases_of(document);
  std::ranges::stable_sort(cases, std::ranges::greater{},
                           [](const Case& one) { return number(*one.entry, "error").value_or(0); });
  for (const Case& one : cases) {
    const Json& c = *one.entry;
    table.add({text(c, "matrix"), text(c, "kernel"), text(c, "model"), one.predicted, number(c, "low_s"),
               number(c, "high_s"), one.measured, number(c, "error"), one.inside() ? "yes" : "no", number(c, "spread"),
               number(c, "preprocess_predicted_s"), number(c, "preprocess_measured_s")},
              one.inside() ? "" : "missed");
  }
  Table skipped(prefix + "skipped", "Not judged",
                {{"matrix", "matrix", Unit::plain, true},
                 {"kernel", "kernel", Unit::plain, true},
                 {"reason", "reason", Unit::plain, true}});
  for (const Json& s : list(document, "skipped"))
    skipped.add({text(s, "matrix"), text(s, "kernel"), text(s, "reason")});
  if (table.empty() && skipped.empty()) return {};
  Element out("div");
  if (!table.empty()) out.add(table.element());
  if (!skipped.empty()) out.add(Element("details").add("summary", "Not judged").add(skipped.element()));
  return out;
}

}  // namespace sparsecast::pages
