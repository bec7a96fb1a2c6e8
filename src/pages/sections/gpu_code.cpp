// The time of a GPU kernel from its code: what each model says, what it waits for, and whole tables of configurations.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "pages/picture.hpp"
#include "pages/section.hpp"
#include "pages/table.hpp"

namespace sparsecast::pages {
namespace {

constexpr std::size_t most_drawn = 600;

Element estimates_part(const Json& document, const std::string& prefix) {
  Element out("div");
  const Json& estimates = list(document, "estimates");
  double longest = 0;
  for (const Json& e : estimates) longest = std::max(longest, number(e, "seconds").value_or(0));
  Element bars("div", "bars");
  Table table(prefix + "estimates", "Time by each model",
              {{"model", "model", Unit::plain, true},
               {"seconds", "time", Unit::seconds},
               {"cycles", "cycles", Unit::count},
               {"bound_by", "bound by", Unit::plain, true},
               {"expression", "expression", Unit::plain, true}});
  for (const Json& e : estimates) {
    const double seconds = number(e, "seconds").value_or(0);
    table.add(
        {text(e, "model"), number(e, "seconds"), number(e, "cycles"), text(e, "bound_by"), text(e, "expression")});
    const std::vector<BarPart> one{{longest > 0 ? seconds / longest : 0, 0, "",
                                    fmt::format("{}: {}", text(e, "model"), base::format_seconds(seconds))}};
    bars.add(stacked_bar(text(e, "model"), one, base::format_seconds(seconds)));
  }
  return out.add(figure("Time by each model", bars)).add(table.element());
}

Element overlap_part(const Json& overlap, const std::string& prefix) {
  Element out("div");
  const Json& cycles = member(overlap, "cycles_per_block");
  Table table(prefix + "resources", "Cycles of a block on each resource",
              {{"resource", "resource", Unit::plain, true}, {"cycles", "cycles a block", Unit::count}});
  if (cycles.is_object()) {
    double most = 1;
    for (const auto& entry : cycles.items()) most = std::max(most, number(cycles, entry.key()).value_or(0));
    Element bars("div", "bars");
    for (const auto& entry : cycles.items()) {
      const double value = number(cycles, entry.key()).value_or(0);
      table.add({entry.key(), value});
      const std::vector<BarPart> one{{value / most, 2, "", fmt::format("{}: {:.0f} cycles", entry.key(), value)}};
      bars.add(stacked_bar(entry.key(), one, shown(value, Unit::count)));
    }
    out.add(figure("What a block keeps busy, in cycles", bars, "The longest bar binds the kernel."));
  }
  Element facts("dl", "facts");
  const auto fact = [&](const char* name, const char* field, Unit unit) {
    if (const auto value = number(overlap, field))
      facts.add(Element("div").add("dt", name).add("dd", shown(*value, unit)));
  };
  fact("launch", "launch_s", Unit::seconds);
  fact("start-up", "transient_s", Unit::seconds);
  fact("a wave", "wave_s", Unit::seconds);
  fact("waves", "waves", Unit::plain);
  fact("moved through memory", "memory_bytes", Unit::bytes);
  fact("through the second-level cache", "l2_bytes", Unit::bytes);
  fact("loads that hit the first level", "l1_hit_share", Unit::share);
  fact("warps resident", "resident_warps", Unit::count);
  fact("warps that would hide all latency", "warps_to_hide", Unit::count);
  fact("clock (Hz)", "clock_hz", Unit::plain);
  out.add(facts);
  return table.empty() ? out : out.add(Element("details").add("summary", "As a table").add(table.element()));
}

double last_estimate(const Json& configuration) {
  const Json& estimates = list(configuration, "estimates");
  return estimates.empty() ? 0 : number(estimates.back(), "seconds").value_or(0);
}

}  // namespace

MaybeElement gpu_code_section(const Json& document, const std::string& prefix, const Json& /*page*/) {
  const Json& estimates = list(document, "estimates");
  if (estimates.empty()) return {};
  const Json& last = estimates.back();
  Element out("div");
  const std::string device = text(document, "device");
  Element answer("p", "answer");
  answer.add("strong", text(document, "kernel")).text(device.empty() ? " takes " : " on " + device + " takes ");
  answer.add("strong", base::format_seconds(number(last, "seconds").value_or(0)));
  answer.text(fmt::format(" by the model {}", text(last, "model")));
  if (const std::string bound = text(last, "bound_by"); !bound.empty()) answer.text(", bound by " + bound);
  out.add(answer.text("."));
  if (const std::string advice = text(document, "advice"); !advice.empty()) out.add("p", advice);
  const auto count = [&](const char* name) { return shown(number(document, name).value_or(0), Unit::count); };
  out.add("p", fmt::format("{} nodes, {} arcs, height {}; {} instances on {} executors.", count("nodes"), count("arcs"),
                           count("height"), count("instances"), count("executors")));
  out.add(estimates_part(document, prefix));
  if (member(document, "overlap").is_object()) out.add(overlap_part(member(document, "overlap"), prefix));
  const Json& occupancy = member(document, "occupancy");
  if (occupancy.is_object())
    out.add("p", fmt::format("{} blocks per multiprocessor, limited by {}; {} registers a thread, {} shared a block.",
                             shown(number(occupancy, "blocks").value_or(0), Unit::count), text(occupancy, "limited_by"),
                             shown(number(occupancy, "registers").value_or(0), Unit::count),
                             base::format_bytes(number(occupancy, "shared_bytes").value_or(0))));
  Element notes("ul");
  for (const Json& note : list(document, "notes"))
    if (note.is_string()) notes.add("li", note.get<std::string>());
  return notes.empty() ? out : out.add(notes);
}

MaybeElement tuning_section(const Json& document, const std::string& prefix, const Json& /*page*/) {
  std::vector<const Json*> configurations;
  for (const Json& c : list(document, "configurations")) configurations.push_back(&c);
  if (configurations.empty()) return {};
  std::ranges::stable_sort(configurations, {}, [](const Json* c) { return last_estimate(*c); });
  Table table(
      prefix + "configurations", "Configurations, the fastest forecast first",
      {{"row", "row", Unit::count}, {"seconds", "forecast", Unit::seconds}, {"measured_s", "measured", Unit::seconds}});
  std::vector<double> times;
  for (const Json* c : configurations) {
    table.add({number(*c, "row"), last_estimate(*c), number(*c, "measured_s")});
    if (const auto measured = number(*c, "measured_s")) {
      times.push_back(*measured);
      times.push_back(last_estimate(*c));
    }
  }
  Element out("div");
  out.add(Element("p", "answer")
              .text(fmt::format("Of {} configurations of {} the one in row ",
                                base::format_count(static_cast<std::int64_t>(configurations.size())),
                                text(document, "kernel")))
              .add("strong", shown(number(*configurations.front(), "row").value_or(0), Unit::count))
              .text(fmt::format(" is forecast to be the fastest: {}.",
                                base::format_seconds(last_estimate(*configurations.front())))));
  if (!times.empty()) {
    const Scale scale = Scale::logarithmic(times, Unit::seconds);
    Plot plot("Forecast over measured time of the configurations", {"measured", scale}, {"forecast", scale}, 380);
    plot.line(std::vector<std::pair<double, double>>{{scale.low(), scale.low()}, {scale.high(), scale.high()}},
              "exact");
    const std::size_t step = (configurations.size() + most_drawn - 1) / most_drawn;
    for (std::size_t i = 0; i < configurations.size(); i += step)
      if (const auto measured = number(*configurations[i], "measured_s"))
        plot.point(
            *measured, last_estimate(*configurations[i]), Plot::Mark::circle, "forecast",
            fmt::format("row {}\nforecast {}, measured {}",
                        shown(number(*configurations[i], "row").value_or(0), Unit::count),
                        base::format_seconds(last_estimate(*configurations[i])), base::format_seconds(*measured)));
    out.add(figure("Forecast against measured", plot.element(), "On the line both are the same."));
  }
  Table summary(prefix + "summary", "Errors of the models",
                {{"model", "model", Unit::plain, true},
                 {"cases", "cases", Unit::count},
                 {"mean_error", "mean error", Unit::share},
                 {"median_error", "median", Unit::share},
                 {"p90_error", "90th", Unit::share},
                 {"max_error", "largest", Unit::share},
                 {"rank_correlation", "rank correlation", Unit::plain},
                 {"top1_regret", "first loses", Unit::share},
                 {"top5_regret", "best of five loses", Unit::share}});
  for (const Json& s : list(document, "summary"))
    summary.add({text(s, "model"), number(s, "cases"), number(s, "mean_error"), number(s, "median_error"),
                 number(s, "p90_error"), number(s, "max_error"), number(s, "rank_correlation"),
                 number(s, "top1_regret"), number(s, "top5_regret")});
  if (!summary.empty()) out.add(summary.element());
  return out.add(table.element());
}

}  // namespace sparsecast::pages
