#include "pages/sections/row_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "pages/base64.hpp"
#include "pages/picture.hpp"

namespace sparsecast::pages {
namespace {

constexpr double flattest = 2.5, tallest = 0.6;  // a picture's proportions, whatever the matrix's
constexpr std::size_t most_blocks = 400;
constexpr double room_for_text = 0.045;  // of the height

std::string rows_text(const Json& block) {
  const auto first = number(block, "first_row"), last = number(block, "last_row");
  return fmt::format("rows {} – {}", shown(first.value_or(0), Unit::count), shown(last.value_or(0), Unit::count));
}

std::string kernel_of(const Json& block) {
  return text(block, "kernel") + (flag(block, "reordered") ? ", rows sorted" : "");
}

Element spy_picture(const MatrixDocuments& documents, const Json& blocks, double rows) {
  Element box("div", "spy");
  box.add(Element("img")
              .with("alt", fmt::format("Where the entries of {} are: the darker, the more", documents.name))
              .with("src", "data:image/png;base64," + base64(*documents.spy)));
  for (std::size_t i = 1; i < std::min(blocks.size(), most_blocks); ++i)
    box.add(
        Element("i", "cut-line").with("style", "top:" + percent(number(blocks[i], "first_row").value_or(0) / rows)));
  return box;
}

Element density(const Json& info) {
  const Json& counts = list(member(info, "structure"), "block_nonzeros");
  double most = 1;
  for (const Json& count : counts) most = std::max(most, count.is_number() ? count.get<double>() : 0.0);
  Element svg("svg");
  svg.with("width", "100%").with("height", "100%").with("role", "img").with("aria-label", "non-zeros over the rows");
  const double high = counts.empty() ? 1 : 1.0 / static_cast<double>(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i].is_number())
      svg.raw(
          fmt::format("<rect class=\"mark bar\" x=\"0\" y=\"{}\" width=\"{}\" height=\"{}\" data-tip=\"{} "
                      "non-zeros\"/>",
                      percent(static_cast<double>(i) * high), percent(counts[i].get<double>() / most), percent(high),
                      shown(counts[i].get<double>(), Unit::count)));
  return Element("div", "density").add(svg);
}

Element cut(const Json& blocks, double rows) {
  Element box("div", "cut");
  std::map<std::string, int> kernels;
  for (std::size_t i = 0; i < std::min(blocks.size(), most_blocks); ++i) {
    const Json& block = blocks[i];
    const std::string kernel = kernel_of(block);
    const int style = kernels.emplace(kernel, static_cast<int>(kernels.size())).first->second;
    const double first = number(block, "first_row").value_or(0), last = number(block, "last_row").value_or(0);
    const double share = (last + 1 - first) / rows;
    Element part("div", "mark part " + style_class(style));
    part.with("style", fmt::format("top:{};height:{}", percent(first / rows), percent(share)));
    part.with("data-tip", fmt::format("{}\n{}\n{} a product", kernel, rows_text(block),
                                      base::format_seconds(number(block, "seconds").value_or(0))));
    if (share > room_for_text) part.add("b", kernel);
    box.add(part);
  }
  return box;
}

}  // namespace

MaybeElement row_map(const MatrixDocuments& documents, const Json& blocks) {
  const double rows = documents.matrix == nullptr ? 0 : number(*documents.matrix, "rows").value_or(0);
  const double cols = documents.matrix == nullptr ? 0 : number(*documents.matrix, "cols").value_or(0);
  if (!(rows > 0) || (documents.spy == nullptr && blocks.empty())) return {};
  Element map("div", documents.spy == nullptr ? "row-map no-spy" : "row-map");
  const double shape = std::clamp(cols / rows, tallest, flattest);
  map.with("style", fmt::format("--shape:{:.4g}", documents.spy == nullptr ? tallest : shape));
  Element heads("div", "row-map-heads"), parts("div", "row-map-parts");
  const auto put = [&](const char* head, const Element& part) {
    heads.add("span", head);
    parts.add(part);
  };
  if (documents.spy != nullptr) put("entries", spy_picture(documents, blocks, rows));
  if (documents.info != nullptr && !list(member(*documents.info, "structure"), "block_nonzeros").empty())
    put("non-zeros", density(*documents.info));
  if (!blocks.empty()) put("kernel of the rows", cut(blocks, rows));
  Element side("div", "row-map-rows");
  side.add("span", "row 0").add("span", shown(rows - 1, Unit::count));
  return map.add(heads).add(parts).add(side);
}

}  // namespace sparsecast::pages
