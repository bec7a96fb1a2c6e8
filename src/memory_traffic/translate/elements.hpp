#pragma once
// Single elements of an array, x(k), in a statement: which of them are the same, and which load anew.

#include <string>

#include "memory_traffic/language/names.hpp"
#include "memory_traffic/language/source_text.hpp"

namespace sparsecast::memory_traffic {
/// The same text for elements that count once together. x(k-1), x(k) and x(k+1) are neighbours: going along k, the
/// statement loads one new element each time. x(1) and x(2), x(j) and x(k), x(2*k) and x(2*k+1) are as many loads as
/// elements.
std::string element_key(const SourceText& source, const VariableScope& scope, const Node& arguments);
}  // namespace sparsecast::memory_traffic
