#pragma once
// Runs a program under GNU Octave, bounded in time and stopped by Ctrl-C.

#include <filesystem>
#include <sparsecast/program_traffic.hpp>
#include <string>
#include <utility>
#include <vector>

namespace sparsecast::memory_traffic {
struct OctaveJob {
  std::string code;                                              ///< what --eval gets
  std::filesystem::path folder;                                  ///< working folder; empty: the caller's
  std::vector<std::pair<std::string, std::string>> environment;  ///< names and values that are added
  std::vector<std::filesystem::path> writes_beneath = {};  ///< in a sandbox: ours, for what is temporary, and its own
  double time_limit_s = 600;
  ProgramOutput output = ProgramOutput::nowhere;
  std::filesystem::path messages;  ///< takes what it writes to stderr; empty: passed on, or nowhere with the output
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
}  // namespace sparsecast::memory_traffic
