// What compare found: the machines ranked for each matrix, and over all of them.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "pages/picture.hpp"
#include "pages/section.hpp"
#include "pages/table.hpp"

namespace sparsecast::pages {
namespace {

constexpr std::size_t most_matrices = 20;

std::string mark_of(const Json& entry) {
  if (!flag(entry, "fits")) return "does not fit its memory";
  return flag(entry, "tie") ? "not told apart from the first" : "";
}

std::string first_if(const Json& entry) {
  const Json& flip = member(entry, "first_if");
  const auto factor = number(flip, "factor");
  if (!factor) return {};
  return fmt::format("{:.2f} × {}", *factor, text(flip, "property") == "clock_hz" ? "clock" : "bandwidth");
}

Element ranking_table(const Json& matrix, const std::string& id) {
  const Json& ranking = list(matrix, "ranking");
  std::vector<double> times;
  for (const Json& entry : ranking)
    for (const char* name : {"low_s", "seconds", "high_s"})
      if (const auto time = number(entry, name)) times.push_back(*time);
  const Track track(Scale::logarithmic(times, Unit::seconds));
  Table table(id, "Machines for " + text(matrix, "name"),
              {{"device", "machine", Unit::plain, true},
               {"", "time of one product", Unit::plain, false, "", track.axis(), true},
               {"total_s", "in all", Unit::seconds, false, "the products asked for, with conversion and upload"},
               {"seconds", "one product", Unit::seconds},
               {"low_s", "from", Unit::seconds, false, "lower end of the 90 % interval"},
               {"high_s", "to", Unit::seconds, false, "upper end of the 90 % interval"},
               {"kernel", "kernel", Unit::plain, true},
               {"gflops", "GFLOP/s", Unit::gflops},
               {"preprocess_s", "conversion", Unit::seconds},
               {"upload_s", "upload", Unit::seconds},
               {"roof_share", "of its bandwidth", Unit::share, false, "of the data sheet's; above 100 %: caches"},
               {"bound_by", "bound by", Unit::plain, true},
               {"energy_j", "energy (J)", Unit::plain},
               {"tier", "known by", Unit::plain, true},
               {"first_if", "first with", Unit::plain, true, "what would put it in the first place"},
               {"remark", "", Unit::plain, true}});
  bool first = true;
  for (const Json& entry : ranking) {
    const Track::Value forecast{number(entry, "seconds"), number(entry, "low_s"), number(entry, "high_s")};
    const std::string tip =
        fmt::format("{}, {}\n{} a product ({} – {})", text(entry, "device"), text(entry, "kernel"),
                    base::format_seconds(forecast.value.value_or(0)), base::format_seconds(forecast.low.value_or(0)),
                    base::format_seconds(forecast.high.value_or(0)));
    table.add(
        {text(entry, "device"), track.row(forecast, {}, tip), number(entry, "total_s"), forecast.value, forecast.low,
         forecast.high, text(entry, "kernel"), number(entry, "gflops"), number(entry, "preprocess_s"),
         number(entry, "upload_s"), number(entry, "roof_share"), text(entry, "bound_by"), number(entry, "energy_j"),
         text(entry, "tier"), first_if(entry), mark_of(entry)},
        first                 ? "chosen"
        : flag(entry, "fits") ? ""
                              : "missed");
    first = false;
  }
  return table.element();
}

}  // namespace

MaybeElement ranking_section(const Json& document, const std::string& prefix, const Json& /*page*/) {
  const Json& matrices = list(document, "matrices");
  const auto products = number(document, "iterations");
  Element out("div");
  std::size_t done = 0;
  for (const Json& matrix : matrices) {
    const Json& ranking = list(matrix, "ranking");
    if (done == most_matrices) break;
    if (ranking.empty()) continue;
    const Json& first = ranking.front();
    out.add(Element("p", "answer")
                .text(fmt::format("For {} product{} with {} ({} × {}, {} non-zeros) ",
                                  shown(products.value_or(1), Unit::count), products.value_or(1) == 1 ? "" : "s",
                                  text(matrix, "name"), shown(number(matrix, "rows").value_or(0), Unit::count),
                                  shown(number(matrix, "cols").value_or(0), Unit::count),
                                  shown(number(matrix, "nonzeros").value_or(0), Unit::count)))
                .add("strong", text(first, "device"))
                .text(" finishes first: ")
                .add("strong", base::format_seconds(number(first, "total_s").value_or(0)))
                .text(fmt::format(" with {}.", text(first, "kernel"))));
    out.add(ranking_table(matrix, fmt::format("{}ranking{}", prefix, done++)));
  }
  if (matrices.size() > most_matrices)
    out.add(
        Element("p", "note")
            .text(fmt::format("{} of {} matrices; the data in this page holds all", most_matrices, matrices.size())));
  return done == 0 ? MaybeElement() : out;
}

MaybeElement machines_section(const Json& document, const std::string& prefix, const Json& /*page*/) {
  Table table(
      prefix + "machines", "Machines over all matrices",
      {{"device", "machine", Unit::plain, true},
       {"mean_ratio", "ratio", Unit::ratio, false, "geometric mean of the time over that of each matrix's first"},
       {"first", "first", Unit::count},
       {"tied", "tied", Unit::count},
       {"matrices", "matrices", Unit::count},
       {"total_s", "in all", Unit::seconds},
       {"energy_j", "energy (J)", Unit::plain},
       {"tier", "known by", Unit::plain, true}});
  if (list(document, "matrices").size() < 2) return {};
  for (const Json& row : list(document, "summary"))
    table.add({text(row, "device"), number(row, "mean_ratio"), number(row, "first"), number(row, "tied"),
               number(row, "matrices"), number(row, "total_s"), number(row, "energy_j"), text(row, "tier")});
  return table.empty() ? MaybeElement() : table.element();
}

}  // namespace sparsecast::pages
