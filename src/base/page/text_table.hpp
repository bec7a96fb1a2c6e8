#pragma once
// Tables for a terminal: cells of words are folded, and a table wider than the page goes on below itself.

#include "base/page/text_layout.hpp"

namespace sparsecast::base {
/// A table for a terminal: the first column left-aligned, the others right-aligned, two spaces between.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> head);
  void add(std::vector<std::string> row);
  /// A row about which there is a sentence to say: it stands below the table, under a number that the row has.
  void add_with_note(std::vector<std::string> row, std::string note);
  /// The last column holds words, not numbers: it is left-aligned, and folded where the table is too wide.
  void words_last();
  /// So many columns, and not the first alone, say what a row is about: they stand in every part of a wide table.
  void keys(std::size_t columns);

  /// Lines no wider than the page, if need be by headings in several lines, by folded cells of words, and by going on
  /// in another table below, which begins with the keys again.
  [[nodiscard]] std::string text(const Layout& page = {}) const;

 private:
  std::vector<std::vector<std::string>> rows_;  ///< the head first
  std::vector<std::string> notes_;
  bool words_last_ = false;
  std::size_t keys_ = 1;
};
}  // namespace sparsecast::base
