#pragma once
// Numbers as people read them (times, sizes, counts and shares with three significant digits and a unit), and the small
// work on texts that every reader needs.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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
}  // namespace sparsecast::base
