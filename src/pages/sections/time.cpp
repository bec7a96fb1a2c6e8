// Where the time goes: a bar per kernel, its parts with the bytes that they move.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "pages/picture.hpp"
#include "pages/section.hpp"
#include "pages/sections/kernel_rows.hpp"
#include "pages/table.hpp"

namespace sparsecast::pages {
namespace {

constexpr std::size_t most_bars = 12;

// The number of a part's style: parts of one name look alike in every bar.
int part_style(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  names.push_back(name);
  return static_cast<int>(names.size()) - 1;
}

}  // namespace

MaybeElement time_section(const MatrixDocuments& documents) {
  if (documents.predict == nullptr) return {};
  std::vector<const Json*> forecasts;
  double longest = 0;
  for (const Json& forecast : list(*documents.predict, "forecasts"))
    if (!list(forecast, "parts").empty() && number(forecast, "seconds").value_or(0) > 0) forecasts.push_back(&forecast);
  std::ranges::stable_sort(forecasts, {}, [](const Json* f) { return *number(*f, "seconds"); });
  if (forecasts.empty()) return {};
  // A kernel that is many times slower would leave nothing to see of the others.
  constexpr double too_slow = 5;
  const double fastest = *number(*forecasts.front(), "seconds");
  Element bars("div", "bars");
  std::vector<std::string> names;
  Table table(documents.prefix + "time", "Where the time of " + documents.name + " goes",
              {{"kernel", "kernel", Unit::plain, true},
               {"part", "part", Unit::plain, true},
               {"seconds", "time", Unit::seconds},
               {"share", "share", Unit::share},
               {"bytes", "moves", Unit::bytes}});
  std::size_t shown_bars = 0;
  for (const Json* forecast : forecasts) {
    if (*number(*forecast, "seconds") > too_slow * fastest || shown_bars == most_bars) break;
    ++shown_bars;
    double sum = 0;
    for (const Json& part : list(*forecast, "parts")) sum += std::max(0.0, number(part, "seconds").value_or(0));
    longest = std::max({longest, sum, *number(*forecast, "seconds")});
  }
  for (std::size_t i = 0; i < forecasts.size(); ++i) {
    const Json& forecast = *forecasts[i];
    const double seconds = *number(forecast, "seconds");
    std::vector<BarPart> parts;
    for (const Json& part : list(forecast, "parts")) {
      const std::string name = text(part, "name");
      const double time = number(part, "seconds").value_or(0), bytes = number(part, "bytes").value_or(0);
      const std::string moves = bytes > 0 ? base::format_bytes(bytes) : "";
      const int style = part_style(names, name);
      if (time > 0)
        parts.push_back(
            {time / longest, style, moves.empty() ? name : fmt::format("{} {}", name, moves),
             fmt::format("{}: {}\n{}, {} of the time{}", text(forecast, "kernel"), name, base::format_seconds(time),
                         base::format_percent(time / seconds), moves.empty() ? "" : "\nmoves " + moves)});
      table.add({text(forecast, "kernel"), name, time, time / seconds,
                 bytes > 0 ? std::optional<double>(bytes) : std::nullopt});
    }
    if (i < shown_bars) bars.add(stacked_bar(text(forecast, "kernel"), parts, base::format_seconds(seconds)));
  }
  std::vector<std::pair<std::string, int>> entries;
  for (std::size_t i = 0; i < names.size(); ++i) entries.emplace_back(names[i], static_cast<int>(i));
  std::string note = "Forecast. A learned correction below zero shortens the whole and is not drawn.";
  if (shown_bars < forecasts.size()) note += " Kernels far behind stand in the table alone.";
  return Element("div")
      .add(figure("Where the time of one product goes, and the bytes that it moves",
                  Element("div").add(legend(entries)).add(bars), note))
      .add(Element("details").add("summary", "As a table").add(table.element()));
}

}  // namespace sparsecast::pages
