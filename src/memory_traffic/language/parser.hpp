#pragma once
// Tokens into a tree. Whether `a(1)` indexes or calls is decided elsewhere, where names are known (names.hpp).

#include "memory_traffic/language/source_text.hpp"
#include "memory_traffic/language/syntax.hpp"

namespace sparsecast::memory_traffic {
/// Error bad_input with line and column for everything that is not the language of docs/design/traffic.md.
Program parse(const SourceText& source);
}  // namespace sparsecast::memory_traffic
