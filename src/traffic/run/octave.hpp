#pragma once
// Runs a program under GNU Octave, bounded in time and stopped by Ctrl-C.

#include <filesystem>
#include <sparsecast/program_traffic.hpp>
#include <string>
#include <string_view>
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

// The run-time library: MATLAB files that translated programs call. They travel inside the executable and are written
// out once, to a folder of the store named by their content, so that the installed command, the build tree and the
// portable executable all find the same one.

/// The folder, complete. Error failed where it cannot be written.
std::filesystem::path library_folder();
/// MATLAB text of templates/, as fmt::format() takes it.
std::string template_text(std::string_view name);
}  // namespace sparsecast::memory_traffic
