#pragma once
// Tables of a page: numbers as people read them, each with its exact value, by which the page's script sorts and which
// it saves as CSV.

#include <optional>
#include <string>
#include <vector>

#include "pages/element.hpp"
#include "pages/scale.hpp"

namespace sparsecast::pages {

struct Column {
  std::string name;     ///< in saved tables: as in the document, with its unit ("low_s")
  std::string heading;  ///< what people read
  Unit unit = Unit::plain;
  bool words = false;     ///< texts, left-aligned
  std::string help = {};  ///< explains the heading
  std::string axis = {};  ///< markup above a column of pictures
  bool picture = false;   ///< pictures: not saved, not sorted by
};

/// A text, a number or a picture; nothing where it is not known.
class Cell {
 public:
  Cell() = default;
  Cell(std::string text) : text_(std::move(text)) {}
  Cell(const char* text) : text_(text) {}
  Cell(std::optional<double> number) : number_(number) {}
  Cell(double number) : number_(number) {}
  Cell(const Element& picture) : picture_(picture.html()) {}

  [[nodiscard]] bool empty() const { return !number_ && text_.empty() && picture_.empty(); }
  [[nodiscard]] Element element(const Column& column) const;

 private:
  std::optional<double> number_;
  std::string text_, picture_;
};

class Table {
 public:
  Table(std::string id, std::string caption, std::vector<Column> columns);

  void add(std::vector<Cell> cells, std::string_view classes = {});
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  /// Columns that no row says anything in are left out, and rows beyond `most`, which is said below the table.
  [[nodiscard]] Element element(std::size_t most = 500) const;

 private:
  struct Row {
    std::vector<Cell> cells;
    std::string classes;
  };
  [[nodiscard]] Element head(const std::vector<bool>& used) const;

  std::string id_, caption_;
  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace sparsecast::pages
