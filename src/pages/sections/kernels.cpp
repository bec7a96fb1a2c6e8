// Every kernel: its forecast with the 90 % interval against what was measured, as a table with a picture in it.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "pages/picture.hpp"
#include "pages/section.hpp"
#include "pages/sections/kernel_rows.hpp"
#include "pages/table.hpp"

namespace sparsecast::pages {
namespace {

constexpr double most_times_the_fastest = 8;

std::string interval_text(std::string_view what, const Track::Value& value, std::string_view within) {
  if (!value.value) return {};
  std::string out = fmt::format("{} {}", what, base::format_seconds(*value.value));
  if (value.low && value.high)
    out += fmt::format(" ({} {} – {})", within, base::format_seconds(*value.low), base::format_seconds(*value.high));
  return out;
}

std::string tip_of(const KernelRow& row, const Track::Value& forecast, const Track::Value& measured) {
  std::string tip = row.kernel + (row.model.empty() ? "" : ", " + row.model);
  if (forecast.value) tip += "\n" + interval_text("forecast", forecast, "90 %:");
  if (measured.value) tip += "\n" + interval_text("measured", measured, "5 % – 95 %:");
  if (forecast.value && measured.value) tip += fmt::format("\nerror {:+.1f} %", 100 * row.error());
  return tip;
}

// Why there is no measured time; empty where there is one, or where nothing was measured at all.
std::string why_not_measured(const KernelRow& row) {
  if (row.measurement == nullptr || row.measured) return {};
  const std::string status = text(*row.measurement, "status");
  return status.empty() || status == "ok" ? "no time" : status;
}

std::string inside(const KernelRow& row) {
  if (!row.measured || !row.low || !row.high) return {};
  return *row.measured >= *row.low && *row.measured <= *row.high ? "yes" : "no";
}

double shortest_time(const KernelRow& row) {
  constexpr double none = std::numeric_limits<double>::infinity();
  return std::min(row.seconds.value_or(none), row.measured.value_or(none));
}

std::vector<Column> columns_of(const Track& track) {
  return {{"kernel", "kernel", Unit::plain, true},
          {"", "time of one product", Unit::plain, false, "", track.axis(), true},
          {"seconds", "forecast", Unit::seconds},
          {"low_s", "from", Unit::seconds, false, "lower end of the 90 % interval"},
          {"high_s", "to", Unit::seconds, false, "upper end of the 90 % interval"},
          {"measured_s", "measured", Unit::seconds},
          {"measured_low_s", "5 %", Unit::seconds, false, "of the measured times"},
          {"measured_high_s", "95 %", Unit::seconds, false, "of the measured times"},
          {"error", "error", Unit::share, false, "forecast over measured, less one"},
          {"in_interval", "inside", Unit::plain, true, "whether the measured time lies in the 90 % interval"},
          {"gflops", "GFLOP/s", Unit::gflops},
          {"bytes", "storage", Unit::bytes},
          {"preprocess_s", "conversion", Unit::seconds},
          {"preprocess_measured_s", "measured conversion", Unit::seconds},
          {"total_s", "in all", Unit::seconds, false, "conversion and the products asked for"},
          {"bound_by", "bound by", Unit::plain, true},
          {"model", "model", Unit::plain, true},
          {"remark", "", Unit::plain, true}};
}

}  // namespace

std::vector<KernelRow> kernel_rows(const MatrixDocuments& documents) {
  std::vector<KernelRow> rows;
  if (documents.predict != nullptr)
    for (const Json& forecast : list(*documents.predict, "forecasts")) {
      KernelRow& row = rows.emplace_back();
      row.kernel = text(forecast, "kernel");
      row.model = text(forecast, "model");
      row.forecast = &forecast;
      row.seconds = number(forecast, "seconds");
      row.low = number(forecast, "low_s");
      row.high = number(forecast, "high_s");
    }
  if (documents.measure == nullptr) return rows;
  for (const Json& measurement : list(*documents.measure, "measurements")) {
    const std::string kernel = text(measurement, "kernel");
    const auto fill = [&](KernelRow& row) {
      row.measurement = &measurement;
      row.measured = number(measurement, "seconds");
      row.measured_low = number(measurement, "low_s");
      row.measured_high = number(measurement, "high_s");
    };
    bool forecast = false;
    for (KernelRow& row : rows)
      if (row.kernel == kernel) {
        fill(row);
        forecast = true;
      }
    if (forecast) continue;
    KernelRow row;
    row.kernel = kernel;
    fill(row);
    rows.push_back(row);
  }
  return rows;
}

MaybeElement kernels_section(const MatrixDocuments& documents) {
  const std::vector<KernelRow> rows = kernel_rows(documents);
  if (rows.empty()) return {};
  // A kernel that is many times slower would leave nothing to see of the others, and noise may reach beyond.
  std::vector<double> times;
  double last = std::numeric_limits<double>::infinity();
  for (const KernelRow& row : rows) last = std::min(last, most_times_the_fastest * shortest_time(row));
  for (const KernelRow& row : rows)
    for (const auto& time : {row.seconds, row.low, row.high, row.measured})
      if (time && shortest_time(row) <= last) times.push_back(*time);
  const Track track(Scale::logarithmic(times, Unit::seconds));
  const std::string chosen =
      documents.predict == nullptr ? "" : text(member(*documents.predict, "recommended"), "kernel");
  Table table(documents.prefix + "kernels", "Kernels on " + documents.name, columns_of(track));
  Table missing(documents.prefix + "missing", "Not measured",
                {{"kernel", "kernel", Unit::plain, true}, {"reason", "reason", Unit::plain, true}});
  for (const KernelRow& row : rows) {
    if (const std::string reason = why_not_measured(row); !reason.empty()) missing.add({row.kernel, reason});
    if (!row.seconds && !row.measured) continue;
    const Track::Value forecast{row.seconds, row.low, row.high};
    const Track::Value measured{row.measured, row.measured_low, row.measured_high};
    const auto of = [](const Json* entry, const char* name) {
      return entry == nullptr ? std::nullopt : number(*entry, name);
    };
    const Json* main = row.forecast != nullptr ? row.forecast : row.measurement;
    const std::optional<double> error = row.seconds && row.measured ? std::optional<double>(row.error()) : std::nullopt;
    const Element picture = shortest_time(row) <= last ? track.row(forecast, measured, tip_of(row, forecast, measured))
                                                       : Element("span", "beyond").text("beyond →");
    table.add({row.kernel, picture, row.seconds, row.low, row.high, row.measured, row.measured_low, row.measured_high,
               error, inside(row), of(main, "gflops"), of(row.forecast, "bytes"), of(row.forecast, "preprocess_s"),
               of(row.measurement, "preprocess_s"), of(main, "total_s"),
               row.forecast == nullptr ? "" : text(*row.forecast, "bound_by"), row.model,
               row.forecast != nullptr && flag(*row.forecast, "extrapolated") ? "extrapolated" : ""},
              row.kernel == chosen ? "chosen" : "");
  }
  Element out("div");
  Element marks("p", "marks");
  if (documents.predict != nullptr)
    marks
        .raw(
            "<svg width=\"46\" height=\"14\" aria-hidden=\"true\"><line class=\"interval\" x1=\"3\" x2=\"43\" y1=\"7\" "
            "y2=\"7\"/><svg x=\"23\" y=\"7\" overflow=\"visible\" class=\"forecast\"><circle r=\"4.5\"/></svg></svg>")
        .text(" forecast with its 90 % interval ");
  if (documents.measure != nullptr)
    marks
        .raw(
            "<svg width=\"46\" height=\"14\" aria-hidden=\"true\"><line class=\"noise\" x1=\"8\" x2=\"38\" y1=\"7\" "
            "y2=\"7\"/><svg x=\"23\" y=\"7\" overflow=\"visible\" class=\"measured\"><path d=\"M0-6L6 0 0 6-6 "
            "0z\"/></svg></svg>")
        .text(" measured, 5 % to 95 % ");
  if (!chosen.empty()) marks.text(fmt::format("; {} is recommended", chosen));
  out.add(marks);
  if (!table.empty()) out.add(table.element());
  if (!missing.empty()) out.add(Element("details").add("summary", "Not measured").add(missing.element()));
  return out;
}

}  // namespace sparsecast::pages
