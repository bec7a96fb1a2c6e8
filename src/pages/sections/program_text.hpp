#pragma once
// Programs in a page: their lines, and what each of them moves.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pages/json_field.hpp"

namespace sparsecast::pages {

/// The lines of one file that move anything, by their number from 1.
std::map<std::size_t, const Json*> lines_of(const Json& document, const std::string& file);
std::vector<std::string_view> program_lines(std::string_view source);
/// The text of a program that the page carries; empty where it does not.
std::string source_of(const Json& page, const std::string& file);

}  // namespace sparsecast::pages
