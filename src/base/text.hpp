#pragma once
// Numbers as people read them: times, sizes, rates and percentages with three significant digits and a unit. Tables of
// them are in page/page.hpp.

#include <cstdint>
#include <span>

#include "base/page/page.hpp"

namespace sparsecast::base {
std::string format_seconds(double seconds);    ///< "12.3 µs"
std::string format_bytes(double bytes);        ///< "1.53 MB" (powers of 1000)
std::string format_count(std::int64_t count);  ///< "4,644,230"
std::string format_percent(double fraction);   ///< "4.2 %"
std::string error_text(int number);            ///< what errno says: "No such file or directory"
std::vector<std::string_view> split(std::string_view text, char separator);
std::string lower_case(std::string_view text);  ///< of A to Z alone, whatever the locale
/// `text` with every `from`, which is not empty, made `to`.
[[nodiscard]] std::string replaced(std::string_view text, std::string_view from, std::string_view to);
/// A word as a shell takes it: in quotes where it has to be.
[[nodiscard]] std::string shell_word(std::string_view word);

// "Did you mean": which of the known names a misspelt one was meant to be.

/// Letters to put in, take out, replace or swap with their neighbour to make one of the other, capital or not.
int edit_distance(std::string_view a, std::string_view b);

/// The known names that are near enough to have been meant, the nearest first, `most` at most; also those that begin
/// with it. Empty where none is.
std::vector<std::string> nearest(std::string_view word, std::span<const std::string> known, std::size_t most = 3);

/// "did you mean csr, csr5?" or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string> known);

// Text inside of HTML, XML and SVG.

/// `text` with the characters that markup reserves as entities; control characters, which XML forbids, are left out
/// (line ends and tabs stay).
[[nodiscard]] std::string markup_escaped(std::string_view text);
}  // namespace sparsecast::base
