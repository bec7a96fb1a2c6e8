#pragma once
// The source-to-source translation: an annotated program in, the same program out with code that counts the bytes that
// a compiled implementation would move (Dennis, Jessup, Waite 2010, section 2; docs/design/traffic.md tells where this
// goes beyond the paper, and why). The output keeps the user's layout and comments and computes exactly what the
// original does.

#include "memory_traffic/translate/directives.hpp"

namespace sparsecast::memory_traffic {
/// A loop of a region that is inside no other loop of it.
struct OuterLoop {
  std::size_t region = 0;  ///< Region::begin
  std::size_t slot = 0;    ///< counter of its turns
};

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

/// What the counters of a file of that stem are called.
std::string counter_name(std::string stem);

/// `stem` is the program's name without folder and extension. Error bad_input with line and column.
/// `trace` adds code that follows which arrays are touched in which order, for the levels of a cache hierarchy.
Translation translate(const SourceText& source, const std::string& stem, bool trace = false);
}  // namespace sparsecast::memory_traffic
