#include "pages/sections/overview.hpp"

#include <nlohmann/json.hpp>

#include "pages/picture.hpp"
#include "pages/sections/kernel_rows.hpp"
#include "pages/table.hpp"

namespace sparsecast::pages {
namespace {

struct AtAGlance {
  std::string chosen, fastest;
  Track::Value forecast;
  std::optional<double> chosen_measured, fastest_s;
};

AtAGlance glance_at(const MatrixDocuments& documents) {
  AtAGlance out;
  if (documents.predict != nullptr) out.chosen = text(member(*documents.predict, "recommended"), "kernel");
  for (const KernelRow& row : kernel_rows(documents)) {
    if (row.kernel == out.chosen && !out.forecast.value) {
      out.forecast = {row.seconds, row.low, row.high};
      out.chosen_measured = row.measured;
    }
    if (row.measured && (!out.fastest_s || *row.measured < *out.fastest_s)) {
      out.fastest = row.kernel;
      out.fastest_s = row.measured;
    }
  }
  return out;
}

}  // namespace

Element overview(const std::vector<MatrixDocuments>& matrices) {
  std::vector<AtAGlance> all;
  std::vector<double> times;
  for (const MatrixDocuments& documents : matrices) {
    all.push_back(glance_at(documents));
    const AtAGlance& one = all.back();
    for (const auto& time : {one.forecast.value, one.forecast.low, one.forecast.high, one.fastest_s})
      if (time) times.push_back(*time);
  }
  const Track track(Scale::logarithmic(times, Unit::seconds));
  Table table("matrices", "Matrices",
              {{"matrix", "matrix", Unit::plain, true},
               {"", "time of one product", Unit::plain, false, "", track.axis(), true},
               {"rows", "rows", Unit::count},
               {"cols", "columns", Unit::count},
               {"nonzeros", "non-zeros", Unit::count},
               {"recommended", "recommended", Unit::plain, true},
               {"seconds", "forecast", Unit::seconds},
               {"low_s", "from", Unit::seconds},
               {"high_s", "to", Unit::seconds},
               {"measured_s", "measured", Unit::seconds},
               {"error", "error", Unit::share},
               {"fastest", "fastest measured", Unit::plain, true},
               {"fastest_s", "its time", Unit::seconds},
               {"blocks", "blocks of the plan", Unit::count},
               {"gain", "gain of the best cut", Unit::share},
               {"measured_gain", "measured gain of the plan", Unit::share}});
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    const MatrixDocuments& documents = matrices[i];
    const AtAGlance& one = all[i];
    const Json& m = *documents.matrix;
    const auto planned = [&](const char* name) {
      return documents.optimize == nullptr ? std::nullopt : number(*documents.optimize, name);
    };
    std::optional<double> error, blocks;
    if (one.forecast.value && one.chosen_measured) error = *one.forecast.value / *one.chosen_measured - 1;
    if (documents.optimize != nullptr) blocks = static_cast<double>(list(*documents.optimize, "strategy").size());
    table.add(
        {documents.name,
         track.row(one.forecast, {one.chosen_measured ? one.chosen_measured : one.fastest_s, {}, {}}, documents.name),
         number(m, "rows"), number(m, "cols"), number(m, "nonzeros"), one.chosen, one.forecast.value, one.forecast.low,
         one.forecast.high, one.chosen_measured, error, one.fastest, one.fastest_s, blocks, planned("gain"),
         planned("measured_gain")});
  }
  return table.element();
}

}  // namespace sparsecast::pages
