#pragma once
// A program's file run for what it moves: translates it, and the annotated functions beside it, runs the translation
// under GNU Octave and reads the counters.

#include <filesystem>
#include <sparsecast/program_traffic.hpp>
#include <string>

#include "memory_traffic/translate/translate.hpp"

namespace sparsecast::memory_traffic {
struct RunOptions {
  std::string call;  ///< how to call a function file; empty: without arguments
  double time_limit_s = 600;
  ProgramOutput output = ProgramOutput::nowhere;
  bool scopes = false;  ///< for ProgramTraffic::scopes
  bool trace = false;   ///< for RegionTraffic::load_reach and products
};

/// A path as MATLAB's text.
std::string matlab_text(const std::filesystem::path& path);
/// The statement that runs the program: as asked for, else its file or its first function. Error usage for a function
/// with parameters.
std::string call_of(const Translation& translation, const std::filesystem::path& written, const RunOptions& options,
                    const std::string& program);

/// The other files of the program in that folder, as a translation asks for them; Octave is asked for its own programs
/// among the functions that are called where the program is to run.
Surroundings surroundings_of(const std::filesystem::path& file, bool runs = false);
SourceText read_program(const std::filesystem::path& file);
Translation translate_file(const std::filesystem::path& file);

/// Error bad_input (syntax, directives), unavailable (no Octave), failed (the program fails, or runs too long) with the
/// line of the user's own program.
ProgramTraffic run_program(const std::filesystem::path& file, const RunOptions& options);
}  // namespace sparsecast::memory_traffic
