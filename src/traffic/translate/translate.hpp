#pragma once
// The source-to-source translation: an annotated program in, the same program out with code that counts the bytes that
// a compiled implementation would move (Dennis, Jessup, Waite 2010, section 2; docs/design/traffic.md says where and
// why this goes beyond it). The output keeps the user's layout and comments and computes exactly what the original
// does.

#include "traffic/language/syntax.hpp"

namespace sparsecast::memory_traffic {
// The %SLM directives of a program and the regions that they mark.

enum class DirectiveKind { start, end, func_start, func_end, print, func, inc_func };

struct Directive {
  DirectiveKind kind = DirectiveKind::print;
  std::vector<std::string> names;  ///< one but for Func and IncFunc
};

/// A part of the program to analyse.
struct Region {
  std::string name;
  bool function = false;
  std::size_t first_line = 0, last_line = 0;
  std::size_t begin = 0, end = 0;  ///< offsets of the two directives
};

/// A loop of a region that is inside no other loop of it.
struct OuterLoop {
  std::size_t region = 0;  ///< Region::begin
  std::size_t slot = 0;    ///< counter of its turns
};

/// All regions of a program, in the order of their beginnings. Error bad_input for directives that do not match: each
/// region must end in the block in which it starts, and a printed name must be a region's.
std::vector<Region> find_regions(const SourceText& source, const Program& program);

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
