#include "pages/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "pages/json_field.hpp"

namespace sparsecast::pages {

Element Cell::element(const Column& column) const {
  Element cell("td", column.picture ? "track" : column.words ? "words" : "");
  if (number_) return cell.with("data-v", exact(*number_)).text(shown(*number_, column.unit));
  if (!picture_.empty()) return cell.raw(picture_);
  if (text_.empty() && !column.words) return cell.add(Element("span", "none").text("–"));
  return cell.text(text_);
}

Table::Table(std::string id, std::string caption, std::vector<Column> columns)
    : id_(std::move(id)), caption_(std::move(caption)), columns_(std::move(columns)) {}

void Table::add(std::vector<Cell> cells, std::string_view classes) {
  cells.resize(columns_.size());
  rows_.push_back({std::move(cells), std::string(classes)});
}

Element Table::head(const std::vector<bool>& used) const {
  Element row("tr");
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!used[i]) continue;
    const Column& column = columns_[i];
    Element cell("th", column.picture ? "track" : column.words ? "words" : "");
    cell.with("scope", "col");
    if (!column.picture) cell.with("data-name", column.name);
    if (!column.help.empty()) cell.with("title", column.help);
    cell.text(column.heading).raw(column.axis);
    row.add(cell);
  }
  return Element("thead").add(row);
}

Element Table::element(std::size_t most) const {
  std::vector<bool> used(columns_.size(), false);
  used[0] = true;
  for (const Row& row : rows_)
    for (std::size_t i = 0; i < columns_.size(); ++i) used[i] = used[i] || !row.cells[i].empty();
  Element body("tbody");
  for (std::size_t r = 0; r < std::min(most, rows_.size()); ++r) {
    Element line("tr");
    if (!rows_[r].classes.empty()) line.with("class", rows_[r].classes);
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (used[i]) line.add(rows_[r].cells[i].element(columns_[i]));
    body.add(line);
  }
  Element table("table");
  table.with("id", id_).add(Element("caption").text(caption_)).add(head(used)).add(body);
  Element box("div", "table");
  box.add(
      Element("div", "scroll").with("tabindex", "0").with("role", "region").with("aria-label", caption_).add(table));
  if (rows_.size() > most)
    box.add(Element("p", "note")
                .text(fmt::format("{} of {} rows; the data in this page holds all",
                                  base::format_count(static_cast<std::int64_t>(most)),
                                  base::format_count(static_cast<std::int64_t>(rows_.size())))));
  return box;
}

}  // namespace sparsecast::pages
