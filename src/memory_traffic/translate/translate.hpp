#pragma once
// The source-to-source translation: an annotated program in, the same program out with code that counts the bytes that
// a compiled implementation would move (Dennis, Jessup, Waite 2010, section 2; docs/design/traffic.md tells where this
// goes beyond the paper, and why). The output keeps the user's layout and comments and computes exactly what the
// original does.

#include <functional>
#include <set>

#include "memory_traffic/translate/directives.hpp"

namespace sparsecast::memory_traffic {
/// A loop of a region that is inside no other loop of it.
struct OuterLoop {
  std::size_t region = 0;  ///< Region::begin
  std::size_t slot = 0;    ///< counter of its turns
};

/// A call of something whose movement nothing counts: neither translated nor known to the table of MATLAB's functions.
struct UnanalysedCall {
  std::string name;
  std::size_t slot = 0;  ///< counter whose turns say how often its statement ran
};

/// A function that a directive names.
struct NamedFunction {
  std::string name, directive;  ///< "IncFunc"
  std::size_t line = 0;
};

/// A branch's or a loop's body, which counts what stands in it and in no scope within it (section 2.1).
struct Scope {
  std::string name;      ///< as the paper names it: "ifLn5", "elseLn7"
  std::string region;    ///< innermost around it
  std::size_t slot = 0;  ///< counter of its runs and of its storage
};

/// A file beside the program's, or in its private folder.
enum class Neighbour {
  none,
  plain,
  annotated,
  counted,  ///< its function is a region, which stores what it returns itself
};

/// What the other files of a program say about names.
struct Surroundings {
  std::function<Neighbour(const std::string&)> neighbour = {};  ///< nothing: there are no other files
  std::set<std::string> included, silent;                       ///< by IncFunc and Func
  std::set<std::string> regions;                                ///< names that are taken
  bool scopes = false;                                          ///< branches and loops are asked for, too
  bool whole = false;                                           ///< functions without annotations are counted whole
  std::set<std::string> variables;                              ///< of the script that calls this one
  bool main = false;                                            ///< the program's own file, whose script nothing calls
  bool caught = false;  ///< another file of the program may catch the errors of this one
};

struct Translation {
  std::string text;
  std::string functions;                  ///< of the translated script, see functions_of_script()
  std::vector<std::size_t> source_lines;  ///< of each line of the text, from 1
  std::vector<Region> regions;
  std::vector<std::size_t> slot_lines;  ///< line of each counter
  std::vector<OuterLoop> outer_loops;
  std::vector<Scope> scopes;             ///< where they were asked for
  std::vector<std::size_t> slot_scopes;  ///< of each counter, from 1; 0: no scope but its region
  std::vector<std::string> called;       ///< names that are called and neither variables nor MATLAB's own
  bool function_file = false;
  std::vector<std::string> first_inputs;  ///< of a function file's first function
  std::string first_function;
  std::vector<UnanalysedCall> unanalysed;
  std::set<std::string> analysed;          ///< functions of the program whose calls need no further counting
  std::set<std::string> included, silent;  ///< by this file's directives and those of its surroundings
  std::vector<NamedFunction> named;        ///< by this file's directives
  std::set<std::string> variables;         ///< of a script
  std::set<std::string> mentioned;         ///< what is called or defined, words of its texts among it
};

/// A script's functions with blank lines in place of all else, to be known before its first line calls one (in MATLAB
/// they stand at its end); empty where it has none.
std::string functions_of_script(const SourceText& script);

/// Whether the first function of the file is between FuncStart and FuncEnd.
bool counts_its_function(const SourceText& source);

/// Whether some code of the file may go on behind an error: "try", "eval", …
bool may_catch_errors(const SourceText& source);

/// What the counters of a file of that stem are called.
std::string counter_name(std::string stem);

/// `stem` is the program's name without folder and extension. Error bad_input with line and column.
/// `trace` adds code that follows which arrays are touched in which order, for the levels of a cache hierarchy.
Translation translate(const SourceText& source, const std::string& stem, bool trace = false,
                      const Surroundings& around = {});
}  // namespace sparsecast::memory_traffic
