#pragma once
// The %SLM directives of a program and the regions that they mark (Dennis, Jessup, Waite 2010, section 2).

#include "memory_traffic/language/source_text.hpp"
#include "memory_traffic/language/syntax.hpp"

namespace sparsecast::memory_traffic {
enum class DirectiveKind { start, end, func_start, func_end, print, func, inc_func };

struct Directive {
  DirectiveKind kind = DirectiveKind::print;
  std::vector<std::string> names;  ///< one but for Func and IncFunc
};

/// "%SLM start NAME;". Error bad_input where the comment is no directive.
Directive parse_directive(const SourceText& source, const Node& comment);

/// A part of the program to analyse.
struct Region {
  std::string name;
  bool function = false;
  std::size_t first_line = 0, last_line = 0;
  std::size_t begin = 0, end = 0;  ///< offsets of the two directives, or of the body
  bool whole = false;              ///< a function without directives, counted because IncFunc names it
};

/// All regions of a program, in the order of their beginnings. Error bad_input for directives that do not match: each
/// region must end in the block in which it starts, and a printed name must be a region's.
std::vector<Region> find_regions(const SourceText& source, const Program& program);
}  // namespace sparsecast::memory_traffic
