#pragma once
// Numbers as people read them: times, sizes, rates and percentages with three significant digits and a unit; tables of
// them (text_table.hpp).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/page/text_table.hpp"

namespace sparsecast::base {

std::string format_seconds(double seconds);    ///< "12.3 µs"
std::string format_bytes(double bytes);        ///< "1.53 MB" (powers of 1000)
std::string format_count(std::int64_t count);  ///< "4,644,230"
std::string format_percent(double fraction);   ///< "4.2 %"
std::string error_text(int number);            ///< what errno says: "No such file or directory"
std::vector<std::string_view> split(std::string_view text, char separator);
std::string lower_case(std::string_view text);  ///< of A to Z alone, whatever the locale

}  // namespace sparsecast::base
