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
}  // namespace sparsecast::base
