#pragma once
// A program's outermost regions as they run under Octave, with nothing translated and nothing counted by us: their
// time, and what the processor's cache counters say of them where there are any. Octave computes as the program is
// written, with every intermediate result in memory; what a compiled program needs is the forecast.

#include <sparsecast/profile.hpp>

#include "memory_traffic/run/run_program.hpp"

namespace sparsecast::memory_traffic {
struct MeasuredRun {
  std::optional<double> seconds;  ///< of all regions together; nothing where none can be timed
  /// Lines of loads that missed the first level, asked the last and missed it.
  std::optional<double> first_level_misses, last_level_loads, last_level_misses;
  std::string counters;  ///< what was counted, or why nothing was
};

/// The program's text with calls of SLMclock where its outermost regions begin and end; empty where none stands on
/// lines of its own.
std::string text_with_clocks(const SourceText& source);

/// Runs the program once more. Error as of run_program().
MeasuredRun measure_program(const std::filesystem::path& file, const RunOptions& options);

/// Puts what was measured beside the forecast; lines are those of the machine's first cache.
void add_measured(ProgramLevels& whole, const Profile& machine, const MeasuredRun& measured);
}  // namespace sparsecast::memory_traffic
