// The matrix itself: sizes, lengths of its rows, and where its entries are (unless the plan has shown that).

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sparsecast/structure.hpp>

#include "base/text.hpp"
#include "matrix/view/row_histogram.hpp"
#include "pages/picture.hpp"
#include "pages/section.hpp"
#include "pages/sections/row_map.hpp"
#include "pages/table.hpp"

namespace sparsecast::pages {
namespace {

MaybeElement histogram(const Json& structure) {
  constexpr std::int64_t longest = (std::int64_t{1} << 60) - 1;  // whatever a file claims
  std::vector<RowLengthCount> lengths;
  for (const Json& entry : list(structure, "row_histogram"))
    if (entry.is_array() && entry.size() == 2 && entry[0].is_number_integer() && entry[1].is_number_integer())
      lengths.push_back({entry[0].get<std::int64_t>() & longest, entry[1].get<std::int64_t>() & longest});
  const std::vector<matrix::RowLengthBin> bins = matrix::row_length_bins(lengths);
  if (bins.empty()) return {};
  std::int64_t most = 1, least = bins.front().rows;
  double rows = 0;
  for (const matrix::RowLengthBin& bin : bins) {
    most = std::max(most, bin.rows);
    least = std::min(least, bin.rows);
    rows += static_cast<double>(bin.rows);
  }
  constexpr std::int64_t uneven = 100;
  const bool logarithmic = most > uneven * std::max<std::int64_t>(1, least);
  const std::vector<double> heights{0.5, static_cast<double>(most)};
  const Scale up = logarithmic ? Scale::logarithmic(heights, Unit::count) : Scale::from_zero(heights, Unit::count);
  // Bins stand side by side, whatever lengths they span, and are named below.
  constexpr int high = 300;
  Element svg("svg");
  svg.with("role", "img").with("width", "100%").with("height", "100%");
  svg.with("aria-label", fmt::format("Lengths of the rows, {} to {} non-zeros", bins.front().first, bins.back().last));
  for (const Tick& tick : up.ticks(5)) {
    const std::string y = percent(1 - up.at(tick.value));
    svg.raw(
        fmt::format("<line class=\"grid\" x1=\"0\" x2=\"100%\" y1=\"{0}\" y2=\"{0}\"/><text class=\"tick\" x=\"0\" "
                    "y=\"{0}\" dx=\"-6\" dy=\"0.35em\" text-anchor=\"end\">{1}</text>",
                    y, tick.label));
  }
  const double wide = 1.0 / static_cast<double>(bins.size());
  const std::size_t step = (bins.size() + 11) / 12;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const matrix::RowLengthBin& bin = bins[i];
    const double x = static_cast<double>(i) * wide, top = 1 - up.at(static_cast<double>(bin.rows));
    const std::string name = bin.first == bin.last
                                 ? base::format_count(bin.first)
                                 : fmt::format("{}–{}", base::format_count(bin.first), base::format_count(bin.last));
    svg.raw(
        fmt::format("<rect class=\"mark bar\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" data-tip=\"rows of {} "
                    "non-zeros: {} ({})\"/>",
                    percent(x + 0.06 * wide), percent(top), percent(0.88 * wide), percent(1 - top), name,
                    base::format_count(bin.rows), base::format_percent(static_cast<double>(bin.rows) / rows)));
    if (i % step == 0)
      svg.raw(fmt::format("<text class=\"tick\" x=\"{}\" y=\"100%\" dy=\"1.4em\" text-anchor=\"middle\">{}</text>",
                          percent(x + wide / 2), base::format_count(bin.first)));
  }
  svg.raw(
      "<line class=\"axis\" x1=\"0\" x2=\"100%\" y1=\"100%\" y2=\"100%\"/><text class=\"axis-title\" x=\"100%\" "
      "y=\"100%\" dy=\"2.9em\" text-anchor=\"end\">non-zeros of a row, from</text><text class=\"axis-title\" "
      "x=\"0\" y=\"0\" dx=\"-4.6em\" dy=\"-0.9em\">rows</text>");
  return figure(logarithmic ? "Row lengths (logarithmic)" : "Row lengths",
                Element("div", "plot").with("style", fmt::format("height:{:.4g}rem", high / 16.0)).add(svg));
}

void fact(Element& list_of_facts, const char* name, const std::string& value) {
  if (value.empty()) return;
  list_of_facts.add(Element("div").add("dt", name).add("dd", value));
}

}  // namespace

MaybeElement structure_section(const MatrixDocuments& documents) {
  if (documents.info == nullptr) return {};
  const Json& s = member(*documents.info, "structure");
  if (!s.is_object()) return {};
  Element facts("dl", "facts");
  const auto count = [&](const char* name) {
    const auto value = number(s, name);
    return value ? shown(*value, Unit::count) : std::string();
  };
  fact(facts, "rows", count("rows"));
  fact(facts, "columns", count("cols"));
  fact(facts, "non-zeros", count("nonzeros"));
  if (const auto mean = number(s, "row_mean"); mean)
    fact(facts, "non-zeros of a row",
         fmt::format("{} to {}, {:.3g} in the mean", count("row_min"), count("row_max"), *mean));
  fact(facts, "empty rows", count("empty_rows"));
  fact(facts, "bandwidth", count("diagonal_bandwidth"));
  const Json& symmetry = member(s, "symmetry");
  if (symmetry.is_object()) fact(facts, "symmetric", flag(symmetry, "symmetric") ? "yes" : "no");
  Element pictures("div", "pictures");
  const auto bars = histogram(s);
  // The plan shows where the entries are: then the facts have the room beside the histogram.
  const auto map = documents.optimize == nullptr ? row_map(documents, Json::array()) : MaybeElement();
  if (!map) pictures.add(facts);
  if (bars) pictures.add(*bars);
  if (!map) return pictures;
  pictures.add(figure("Where the entries are", *map, "The darker, the more entries."));
  return Element("div").add(facts).add(pictures);
}

}  // namespace sparsecast::pages
