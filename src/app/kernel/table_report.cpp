// See table_report.hpp.

#include "app/kernel/table_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/kernel/kernel_report.hpp"
#include "app/terminal/terminal.hpp"
#include "base/text.hpp"

namespace sparsecast::app {

using namespace gpu_code;

namespace {

/// A line of the table: as moved by anchors, or, of the anchors themselves, as forecast.
struct ShownCase {
  std::int64_t row = 0;
  double seconds = 0, low_s = 0, high_s = 0;
  std::optional<double> measured_s;
};

}  // namespace

nlohmann::ordered_json table_json(const std::vector<TuningRow>& rows, const TuningReport& report,
                                  const std::string& device) {
  nlohmann::ordered_json document{{"kernel", rows.front().kernel}, {"device", device}};
  auto& list = document["configurations"] = nlohmann::ordered_json::array();
  for (const auto& c : report.configurations) {
    nlohmann::ordered_json one{{"row", c.row}, {"estimates", estimates_json(c.estimates, false, false)}};
    if (c.measured_s) one["measured_s"] = *c.measured_s;
    list.push_back(std::move(one));
  }
  auto& cases = document["cases"] = nlohmann::ordered_json::array();
  for (const auto& c : report.cases) {
    nlohmann::ordered_json one{{"row", c.row}};
    if (c.measured_s) one["measured_s"] = *c.measured_s;
    one["seconds"] = c.seconds;
    one["low_s"] = c.low_s;
    one["high_s"] = c.high_s;
    cases.push_back(std::move(one));
  }
  if (report.anchors > 0) document["anchors"] = {{"number", report.anchors}, {"draws", report.draws}};
  auto& summary = document["summary"] = nlohmann::ordered_json::array();
  for (const auto& s : report.summary)
    summary.push_back({{"model", s.model},
                       {"cases", s.cases},
                       {"mean_error", s.mean_error},
                       {"median_error", s.median_error},
                       {"p90_error", s.p90_error},
                       {"max_error", s.max_error},
                       {"rank_correlation", s.rank_correlation},
                       {"top1_regret", s.top1_regret},
                       {"top5_regret", s.top5_regret}});
  return document;
}

std::string table_text(const std::vector<TuningRow>& rows, const TuningReport& report) {
  // Fastest forecast first, by the last model asked for (overlapped, unless another was chosen), moved by the anchors.
  std::vector<ShownCase> ranked;
  for (const auto& c : report.configurations) {
    const auto moved = std::ranges::find(report.cases, c.row, &TuningCase::row);
    const auto& e = c.estimates.back();
    ranked.push_back(moved == report.cases.end()
                         ? ShownCase{c.row, e.seconds, e.low_s, e.high_s, c.measured_s}
                         : ShownCase{c.row, moved->seconds, moved->low_s, moved->high_s, c.measured_s});
  }
  std::ranges::stable_sort(ranked, {}, &ShownCase::seconds);
  const bool intervals = report.configurations.front().estimates.back().high_s > 0;  // the paper's models have none
  std::vector<std::string> head{"row", "configuration", "forecast", "90 %", "measured"};
  if (!intervals) head.erase(head.begin() + 3);
  base::TextTable table(head);
  for (const auto& c : ranked) {
    const auto& row = rows[static_cast<std::size_t>(c.row) - 1];
    std::vector<std::string> line{std::to_string(c.row), fmt::format("{}", fmt::join(row.defines, " ")),
                                  base::format_seconds(c.seconds)};
    if (intervals)
      line.push_back(fmt::format("{} to {}", base::format_seconds(c.low_s), base::format_seconds(c.high_s)));
    line.push_back(c.measured_s ? base::format_seconds(*c.measured_s) : "-");
    table.add(line);
  }
  std::string text = table.text(layout());
  if (report.anchors > 0)
    text += fmt::format("moved by {} measured configuration{}{}\n", report.anchors, report.anchors > 1 ? "s" : "",
                        report.draws > 0 ? fmt::format(", drawn {} times", report.draws) : "");
  if (!report.summary.empty()) {
    base::TextTable errors(
        {"model", "cases", "mean error", "median", "90 %", "worst", "rank corr.", "first loses", "best of five loses"});
    for (const auto& s : report.summary)
      errors.add({s.model, std::to_string(s.cases), base::format_percent(s.mean_error),
                  base::format_percent(s.median_error), base::format_percent(s.p90_error),
                  base::format_percent(s.max_error), fmt::format("{:.3f}", s.rank_correlation),
                  base::format_percent(s.top1_regret), base::format_percent(s.top5_regret)});
    text += "\n" + errors.text(layout());
  }
  return text;
}

}  // namespace sparsecast::app
