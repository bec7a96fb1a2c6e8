#pragma once
// Where text is shown: how wide it is, and text that is to fit into it.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sparsecast::base {
struct Layout {
  int width = 80;       ///< columns
  bool colour = false;  ///< escape sequences are understood
};

/// Columns that a text takes on a terminal: code points, without escape sequences (every one is taken for one column).
std::size_t columns(std::string_view text);

/// The text in lines of at most `width` columns, broken at blanks; a word that is longer is broken within where
/// `break_words` says so. Without blanks at their ends; one empty line where there is no word.
std::vector<std::string> folded_words(std::string_view text, std::size_t width, bool break_words);

/// A text of several lines; each that is wider than the page is folded at blanks, further lines beginning where its
/// last column of words does ("  caches          L1 32 KiB, …": below the L).
std::string folded(std::string_view text, int width);

/// The text as bold or red where the page has colour.
std::string bold(std::string_view text, const Layout& page);
std::string red(std::string_view text, const Layout& page);

// Text for terminals that know nothing but ASCII: "12.3 µs" becomes "12.3 us".

/// The text (UTF-8) in ASCII. Letters with marks lose them; what has no likeness, and bytes that are no UTF-8, become a
/// question mark. Nearly everything becomes one character, so that columns stay in line.
std::string to_ascii(std::string_view text);

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
