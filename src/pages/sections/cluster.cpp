// Iterated products on clusters: how the schemes scale, where the time of an iteration goes, what was measured.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.hpp"
#include "pages/picture.hpp"
#include "pages/section.hpp"
#include "pages/table.hpp"

namespace sparsecast::pages {
namespace {

std::string scheme_of(const Json& entry) { return text(entry, "way") + ", " + text(entry, "format"); }

Element scaling_picture(const Json& entries, const char* title) {
  std::map<std::string, std::vector<std::pair<double, double>>> lines;
  std::vector<double> across, up;
  for (const Json& entry : entries)
    if (const auto processes = number(entry, "processes"), seconds = number(entry, "seconds"); processes && seconds) {
      lines[scheme_of(entry)].emplace_back(*processes, *seconds);
      across.push_back(*processes);
      up.push_back(*seconds);
    }
  Plot plot(title, {"processes", Scale::logarithmic(across, Unit::count)},
            {"one iteration", Scale::logarithmic(up, Unit::seconds)}, 340);
  int style = 0;
  for (auto& [scheme, points] : lines) {
    std::ranges::sort(points);
    const std::string classes = fmt::format("{} d{}", style_class(style), style);
    plot.line(points, classes + " winner", scheme);
    const auto mark = static_cast<Plot::Mark>(style % 4);
    for (const auto& [processes, seconds] : points)
      plot.point(
          processes, seconds, mark, style_class(style),
          fmt::format("{}\n{} processes: {}", scheme, shown(processes, Unit::count), base::format_seconds(seconds)));
    if (!points.empty()) plot.name(points.back().first, points.back().second, scheme, classes);
    ++style;
  }
  return figure(title, plot.element(), "Both axes are logarithmic.");
}

Element parts_picture(const Json& entries) {
  double longest = 0;
  for (const Json& entry : entries) longest = std::max(longest, number(entry, "seconds").value_or(0));
  Element bars("div", "bars");
  constexpr std::size_t most = 24;
  std::size_t drawn = 0;
  for (const Json& entry : entries) {
    const auto seconds = number(entry, "seconds"), core = number(entry, "core_s"),
               messages = number(entry, "communication_s");
    if (!seconds || !core || !messages || *core + *messages <= 0 || drawn++ == most) continue;
    const std::string name =
        fmt::format("{}, {} processes", scheme_of(entry), shown(number(entry, "processes").value_or(0), Unit::count));
    const std::vector<BarPart> parts{
        {*core / longest, 0, "products", fmt::format("{}\nproducts: {}", name, base::format_seconds(*core))},
        {*messages / longest, 1, "messages", fmt::format("{}\nmessages: {}", name, base::format_seconds(*messages))}};
    bars.add(stacked_bar(name, parts, base::format_seconds(*seconds)));
  }
  if (drawn == 0) return Element("div");
  const std::vector<std::pair<std::string, int>> entries_of_legend{{"products", 0}, {"messages", 1}};
  return figure("Where the time of one iteration goes",
                Element("div").add(legend(entries_of_legend)).add(bars.with("data-long", "")));
}

}  // namespace

MaybeElement cluster_forecast_section(const Json& document, const std::string& prefix, const Json& /*page*/) {
  const Json& forecasts = list(document, "forecasts");
  if (forecasts.empty()) return {};
  const Json &best = member(document, "recommended"), &cluster = member(document, "cluster");
  Element out("div");
  if (best.is_object())
    out.add(Element("p", "answer")
                .text("Take ")
                .add("strong", scheme_of(best))
                .text(" on ")
                .add("strong", shown(number(best, "processes").value_or(0), Unit::count) + " processes")
                .text(fmt::format(" of {}: {} an iteration; {}.", text(cluster, "name"),
                                  base::format_seconds(number(best, "seconds").value_or(0)), text(best, "reason"))));
  const Json& scaling = list(document, "scaling");
  out.add(scaling_picture(scaling.empty() ? forecasts : scaling, "Time of one iteration over the processes"));
  out.add(parts_picture(forecasts));
  Table table(prefix + "cluster", "Forecasts",
              {{"way", "scheme", Unit::plain, true},
               {"format", "format", Unit::plain, true},
               {"processes", "processes", Unit::count},
               {"nodes", "nodes", Unit::count},
               {"model", "model", Unit::plain, true},
               {"seconds", "one iteration", Unit::seconds},
               {"core_s", "in products", Unit::seconds},
               {"communication_s", "in messages", Unit::seconds},
               {"remark", "", Unit::plain, true}});
  for (const Json& f : forecasts)
    table.add({text(f, "way"), text(f, "format"), number(f, "processes"), number(f, "nodes"), text(f, "model"),
               number(f, "seconds"), number(f, "core_s"), number(f, "communication_s"),
               flag(f, "extrapolated") ? "extrapolated" : ""},
              scheme_of(f) == scheme_of(best) && number(f, "processes") == number(best, "processes") ? "chosen" : "");
  out.add(table.element());
  Table efficiency(prefix + "scaling", "Efficiency",
                   {{"way", "scheme", Unit::plain, true},
                    {"format", "format", Unit::plain, true},
                    {"processes", "processes", Unit::count},
                    {"seconds", "one iteration", Unit::seconds},
                    {"efficiency", "efficiency", Unit::share}});
  for (const Json& p : scaling)
    efficiency.add(
        {text(p, "way"), text(p, "format"), number(p, "processes"), number(p, "seconds"), number(p, "efficiency")});
  return efficiency.empty() ? out : out.add(efficiency.element());
}

MaybeElement cluster_measure_section(const Json& document, const std::string& prefix, const Json& /*page*/) {
  const Json& measurements = list(document, "measurements");
  if (measurements.empty()) return {};
  std::vector<double> times;
  std::set<double> counts;
  for (const Json& m : measurements) {
    for (const char* name : {"low_s", "seconds", "high_s"})
      if (const auto time = number(m, name)) times.push_back(*time);
    counts.insert(number(m, "processes").value_or(0));
  }
  const Track track(Scale::logarithmic(times, Unit::seconds));
  Element out("div");
  if (counts.size() > 1) out.add(scaling_picture(measurements, "Measured time of one iteration over the processes"));
  out.add(parts_picture(measurements));
  Table table(prefix + "cluster", "Measured on " + text(document, "matrix"),
              {{"way", "scheme", Unit::plain, true},
               {"", "time of one iteration", Unit::plain, false, "", track.axis(), true},
               {"format", "format", Unit::plain, true},
               {"processes", "processes", Unit::count},
               {"seconds", "measured", Unit::seconds},
               {"low_s", "5 %", Unit::seconds},
               {"high_s", "95 %", Unit::seconds},
               {"core_s", "in products", Unit::seconds},
               {"communication_s", "in messages", Unit::seconds},
               {"checksum_error", "from one process", Unit::plain, false, "relative difference of the results"},
               {"source", "source", Unit::plain, true}});
  for (const Json& m : measurements) {
    const Track::Value value{number(m, "seconds"), number(m, "low_s"), number(m, "high_s")};
    table.add({text(m, "way"),
               track.row({}, value, fmt::format("{}: {}", scheme_of(m), base::format_seconds(value.value.value_or(0)))),
               text(m, "format"), number(m, "processes"), value.value, value.low, value.high, number(m, "core_s"),
               number(m, "communication_s"), number(m, "checksum_error"), text(m, "source")});
  }
  return out.add(table.element());
}

}  // namespace sparsecast::pages
