#pragma once
// The source-to-source translation: an annotated program in, the same program out with code that counts the bytes that
// a compiled implementation would move (Dennis, Jessup, Waite 2010, section 2; docs/design/traffic.md says where and
// why this goes beyond it). The output keeps the user's layout and comments and computes exactly what the original
// does.

#include <string>
#include <vector>

#include "traffic/language/source_text.hpp"
#include "traffic/translate/regions.hpp"

namespace sparsecast::memory_traffic {
struct Translation {
  std::string text;
  std::vector<std::size_t> source_lines;  ///< of each line of the text, from 1
  std::vector<Region> regions;
  std::vector<std::size_t> slot_lines;  ///< line of each counter
  std::vector<OuterLoop> outer_loops;
  std::vector<std::string> called;  ///< names that are called and neither variables nor MATLAB's own
  bool function_file = false;
  std::vector<std::string> first_inputs;  ///< of a function file's first function
  std::string first_function;
};

/// `stem` is the program's name without folder and extension. Error bad_input with line and column.
/// `trace` adds code that follows which arrays are touched in which order, for the levels of a cache hierarchy.
Translation translate(const SourceText& source, const std::string& stem, bool trace = false);
}  // namespace sparsecast::memory_traffic
