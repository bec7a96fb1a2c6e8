#pragma once
// Runs a program under GNU Octave, bounded in time and stopped by Ctrl-C.

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace sparsecast::traffic {

struct OctaveJob {
  std::string code;                                              ///< what --eval gets
  std::filesystem::path folder;                                  ///< working folder; empty: the caller's
  std::vector<std::pair<std::string, std::string>> environment;  ///< names and values that are added
  double time_limit_s = 600;
  bool silent = false;             ///< what the program prints goes nowhere
  bool output_to_stderr = false;   ///< what the program prints goes there (else to stdout)
  std::filesystem::path messages;  ///< file that takes what it writes to stderr; empty: passed on
};

struct OctaveEnd {
  int exit_code = 0;  ///< 128 + signal where a signal ended it
  bool timed_out = false;
  double seconds = 0;  ///< from start to end, Octave's own start included
};

/// Path of octave-cli or octave: $SPARSECAST_OCTAVE, else on the PATH. Error unavailable with a remedy.
std::string find_octave();
/// Error interrupted after Ctrl-C; the program has ended then.
OctaveEnd run_octave(const OctaveJob& job);

}  // namespace sparsecast::traffic
