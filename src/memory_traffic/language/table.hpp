#pragma once
// The tables in data/, which travel inside the library.

#include <string_view>
#include <vector>

namespace sparsecast::memory_traffic {
/// The rows of a table ("builtins.tsv") that are neither empty nor remarks.
std::vector<std::string_view> rows_of_table(std::string_view name);
}  // namespace sparsecast::memory_traffic
