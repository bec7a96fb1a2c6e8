#pragma once
// Tokens into a tree. Not for meaning: whether `a(1)` indexes or calls is decided where names are known (names.hpp).

#include "traffic/language/lexer.hpp"
#include "traffic/language/syntax.hpp"

namespace sparsecast::memory_traffic {
/// Error bad_input with line and column for everything that is not the language of docs/design/traffic.md.
Program parse(const SourceText& source);
}  // namespace sparsecast::memory_traffic
