// The plan: its cut drawn over the rows, its blocks, and every single kernel beside it.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "pages/picture.hpp"
#include "pages/section.hpp"
#include "pages/sections/row_map.hpp"
#include "pages/table.hpp"

namespace sparsecast::pages {
namespace {

Element blocks_table(const MatrixDocuments& documents, const Json& blocks, const char* id, const char* caption) {
  Table table(documents.prefix + id, caption,
              {{"first_row", "first row", Unit::count},
               {"last_row", "last row", Unit::count},
               {"kernel", "kernel", Unit::plain, true},
               {"reordered", "order", Unit::plain, true},
               {"seconds", "forecast", Unit::seconds},
               {"conversion_s", "conversion", Unit::seconds}});
  for (const Json& block : blocks)
    table.add({number(block, "first_row"), number(block, "last_row"), text(block, "kernel"),
               flag(block, "reordered") ? "rows sorted" : "", number(block, "seconds"), number(block, "conversion_s")});
  return table.element();
}

Element singles_table(const MatrixDocuments& documents) {
  const Json& optimize = *documents.optimize;
  Table table(documents.prefix + "singles", "The plan and every single kernel",
              {{"kernel", "choice", Unit::plain, true},
               {"seconds", "forecast", Unit::seconds},
               {"conversion_s", "conversion", Unit::seconds},
               {"measured_s", "measured", Unit::seconds},
               {"status", "", Unit::plain, true}});
  table.add({"the plan", number(optimize, "predicted_s"), number(optimize, "conversion_s"),
             number(optimize, "measured_s"), ""},
            "chosen");
  for (const Json& single : list(optimize, "singles")) {
    const std::string status = text(single, "status");
    table.add({text(single, "kernel"), number(single, "seconds"), number(single, "conversion_s"),
               number(single, "measured_s"), status == "ok" ? "" : status});
  }
  return table.element();
}

std::string measured_text(const Json& optimize) {
  const auto gain = number(optimize, "measured_gain"), low = number(optimize, "measured_gain_low"),
             high = number(optimize, "measured_gain_high");
  if (!gain || !low || !high) return {};
  return fmt::format(" Measured over {} rounds the plan gains {} ({} to {}){}.",
                     shown(number(optimize, "rounds").value_or(0), Unit::count), base::format_percent(*gain),
                     base::format_percent(*low), base::format_percent(*high),
                     flag(optimize, "measured_gain_in_noise") ? ", which is within the noise" : "");
}

}  // namespace

MaybeElement plan_section(const MatrixDocuments& documents) {
  if (documents.optimize == nullptr) return {};
  const Json& optimize = *documents.optimize;
  const Json &blocks = list(optimize, "strategy"), &best_cut = list(optimize, "best_cut");
  if (blocks.empty()) return {};
  Element out("div");
  std::string words =
      fmt::format("{} of {} rows each; {}.", shown(number(optimize, "strips").value_or(0), Unit::count),
                  shown(number(optimize, "strip_rows").value_or(0), Unit::count), text(optimize, "reason"));
  words.insert(words.find(" of "), " strips");
  if (const auto pays = number(optimize, "break_even"); pays && *pays > 0)
    words += fmt::format(" Its conversion pays from {} products on, against CSR.", shown(*pays, Unit::count));
  else if (pays && *pays < 0)
    words += " Its conversion never pays against CSR.";
  out.add("p", words + measured_text(optimize));
  Element pictures("div", "pictures");
  if (const auto map = row_map(documents, blocks)) {
    const std::string title = fmt::format("Which kernel multiplies which rows of {}", documents.name);
    pictures.add(
        figure(title, *map, "The picture's proportions are kept between bounds; the darker, the more entries."));
  }
  out.add(pictures.add(singles_table(documents)));
  if (blocks.size() > 1) out.add(blocks_table(documents, blocks, "blocks", "Blocks of the plan"));
  if (blocks.size() == 1 && best_cut.size() > 1) {
    Element more("details");
    more.add("summary", fmt::format("The best cut that was not taken: {} blocks", best_cut.size()));
    if (const auto map = row_map(documents, best_cut)) more.add(figure("The best cut", *map));
    out.add(more.add(blocks_table(documents, best_cut, "cut", "Blocks of the best cut")));
  }
  return out;
}

}  // namespace sparsecast::pages
