// A tuning space searched by forecast: the fastest configurations, what they have in common, time against parameters.

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

/// The values of one parameter over the ranking, each with its place between 0 and 1.
struct ParameterAxis {
  std::string name;
  std::map<std::string, double> place;
};

std::string value_text(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

/// Parameters of which the ranking has more than one value.
std::vector<ParameterAxis> varied(const Json& ranking) {
  std::vector<ParameterAxis> axes;
  for (const auto& entry : member(ranking.front(), "configuration").items()) {
    std::set<std::pair<double, std::string>> values;
    for (const Json& r : ranking) {
      const Json& value = member(member(r, "configuration"), entry.key().c_str());
      values.emplace(value.is_number() ? value.get<double>() : 0.0, value_text(value));
    }
    if (values.size() < 2) continue;
    ParameterAxis axis{entry.key(), {}};
    double at = 0;
    for (const auto& [number, text] : values) {
      axis.place[text] = at / static_cast<double>(values.size() - 1);
      ++at;
    }
    axes.push_back(std::move(axis));
  }
  return axes;
}

Element parallel_coordinates(const Json& ranking, const std::vector<ParameterAxis>& axes) {
  Plot plot(
      "Configurations as lines over their parameters",
      {"parameters, in the order of the table", Scale::between(0, static_cast<double>(axes.size() - 1), Unit::count)},
      {"least to largest value", Scale::between(0, 1, Unit::plain)}, 300);
  int rank = 0;
  for (const Json& r : ranking) {
    std::vector<std::pair<double, double>> points;
    for (std::size_t a = 0; a < axes.size(); ++a)
      points.emplace_back(static_cast<double>(a),
                          axes[a].place.at(value_text(member(member(r, "configuration"), axes[a].name.c_str()))));
    plot.line(points, style_class(std::min(rank++, styles - 1)),
              fmt::format("{}: {}", rank, base::format_seconds(number(r, "seconds").value_or(0))));
  }
  return figure("The fastest configurations", plot.element(),
                "One line each; the parameters stand in the table's order.");
}

Element against(const Json& ranking, const ParameterAxis& axis, const std::vector<double>& times) {
  Plot plot("Forecast time against " + axis.name, {axis.name, Scale::between(0, 1, Unit::plain)},
            {"forecast", Scale::logarithmic(times, Unit::seconds)}, 220);
  for (const Json& r : ranking) {
    const auto value = value_text(member(member(r, "configuration"), axis.name.c_str()));
    const double seconds = number(r, "seconds").value_or(0);
    plot.point(axis.place.at(value), seconds, Plot::Mark::circle, "forecast",
               fmt::format("{} = {}\n{}", axis.name, value, base::format_seconds(seconds)));
  }
  return figure("Time against " + axis.name, plot.element());
}

}  // namespace

MaybeElement space_section(const Json& document, const std::string& prefix, const Json& /*page*/) {
  const Json& ranking = list(document, "ranking");
  if (ranking.empty()) return {};
  const auto axes = varied(ranking);
  std::vector<Column> columns{{"rank", "", Unit::count}};
  for (const auto& axis : axes) columns.push_back({axis.name, axis.name, Unit::plain, true});
  columns.insert(columns.end(), {{"seconds", "forecast", Unit::seconds},
                                 {"low_s", "from", Unit::seconds},
                                 {"high_s", "to", Unit::seconds},
                                 {"bound_by", "bound by", Unit::plain, true},
                                 {"beats_next_by", "beats the next by", Unit::plain, true}});
  Table table(prefix + "ranking", "The fastest configurations", columns);
  std::vector<double> times;
  double rank = 0;
  for (const Json& r : ranking) {
    std::vector<Cell> cells{++rank};
    for (const auto& axis : axes) cells.emplace_back(value_text(member(member(r, "configuration"), axis.name.c_str())));
    for (const char* field : {"seconds", "low_s", "high_s"}) cells.emplace_back(number(r, field));
    cells.emplace_back(text(r, "bound_by"));
    cells.emplace_back(text(r, "beats_next_by"));
    table.add(std::move(cells));
    times.push_back(number(r, "seconds").value_or(0));
  }
  Element out("div");
  out.add(Element("p", "answer")
              .text(fmt::format("Of {} configurations of {} on {} the fastest is forecast to take ",
                                shown(number(document, "configurations").value_or(0), Unit::count),
                                text(document, "kernel"), text(document, "device")))
              .add("strong", base::format_seconds(times.front()))
              .text("."));
  if (axes.size() > 1) out.add(parallel_coordinates(ranking, axes));
  for (const auto& axis : axes) out.add(against(ranking, axis, times));
  return out.add(table.element());
}

}  // namespace sparsecast::pages
