#pragma once
// Macros from outside (the command's, those of a tuning table) for a compiler. They reach it as a header of our own,
// never on its command line: nvcc hands its arguments to a shell, which would run what stands in $( ) or backticks.
//
// NAME=VALUE, or NAME alone for 1. A name is a C identifier that the preprocessor leaves to users. A value is made of
// letters, digits, blanks and _ . , + - * / % & | ^ ~ ! < > = ? : ( ) [ ] { }: numbers, names, types and expressions.
// Anything else (quotes, $, #, backslash, line breaks), comments, ?? and %: are refused.

#include <set>
#include <string>
#include <vector>

#include "fields/wording.hpp"

namespace sparsecast::gpu_code {
/// Error usage unless `define` is as above; `origin`, what it was given as, opens its reason.
void check_define(const std::string& define, const wording::Text& origin);
/// The same, and where `names` has its name already; adds it. A compiler would take the last of two.
void check_define(const std::string& define, const wording::Text& origin, std::set<std::string>& names);
/// One #define a line, in the order given. Error usage as above.
[[nodiscard]] std::string defines_header(const std::vector<std::string>& defines);
}  // namespace sparsecast::gpu_code
