#pragma once
// From a program's file to what it moves: translates it (and the annotated functions beside it), runs the translation
// under GNU Octave and reads the counters.

#include <sparsecast/profile.hpp>
#include <sparsecast/program_traffic.hpp>

#include "base/page/page.hpp"
#include "traffic/translate/translate.hpp"

namespace sparsecast::memory_traffic {
struct RunOptions {
  std::string call;  ///< how to call a function file; empty: without arguments
  double time_limit_s = 600;
  ProgramOutput output = ProgramOutput::nowhere;
  bool trace = false;  ///< for RegionTraffic::load_reach and products
};

/// A path as MATLAB's text.
std::string matlab_text(const std::filesystem::path& path);
/// The statement that runs the program: as asked for, else its file or its first function. Error usage for a function
/// with parameters.
std::string call_of(const Translation& translation, const std::filesystem::path& written, const RunOptions& options,
                    const std::string& program);

SourceText read_program(const std::filesystem::path& file);
Translation translate_file(const std::filesystem::path& file);
/// By what figures per iteration are divided: the turns of its loop, or its calls where it has none and is called
/// several times; 0 where neither is one thing that repeats.
inline double iterations_of(const RegionTraffic& region) {
  return region.loop_line > 0 ? region.turns : region.calls > 1 ? region.calls : 0;
}
/// Fills per_iteration of every region that has such a thing.
void put_iterations(ProgramTraffic& traffic);

/// Error bad_input (syntax, directives), unavailable (no Octave), failed (the program fails, or runs too long) with the
/// line of the user's own program.
ProgramTraffic run_program(const std::filesystem::path& file, const RunOptions& options);

// What a program moves, for people.

/// Two versions of a program side by side: which regions and lines move more.
[[nodiscard]] TrafficComparison compare(ProgramTraffic first, ProgramTraffic second);

/// What the abbreviations of the report mean, a line for each.
std::string legend_text();

/// The tree of regions, an analysis of each in the form of the paper's Figure 1, and the lines that move most.
std::string to_text(const ProgramTraffic& traffic, const base::Layout& page = {});
std::string to_text(const TrafficComparison& comparison, const base::Layout& page = {});

// A region's movement on a machine: how much of it reaches each level of the cache hierarchy, and how long that takes
// at the bandwidths that were measured there, sparse products by the forecast models. Arrays are followed as wholes
// (stack distances of the trace), so reuse inside a single operation is not seen.

/// Seconds of one product of a sparse matrix in CSR with a vector; nullopt where nothing is known.
using ProductForecast = std::function<std::optional<double>(const Structure&)>;

/// Fills levels and seconds of every region; `threads` chooses among the profile's bandwidth curves (0: the first there
/// is). Products that `forecast` knows take its seconds and not those of their bytes. Error bad_input for a profile
/// without caches or without read_bandwidth.
void apply_machine(ProgramTraffic& traffic, const Profile& machine, int threads, const ProductForecast& forecast = {});

/// Bytes/s of reading over the footprint, as read_bandwidth, of a machine of which only the data sheet is known: of
/// memory four fifths of what it says, of a processor's first level two vector registers a cycle and core, of the
/// second one, of the third a quarter; of a GPU 64 bytes a cycle and multiprocessor, of its last cache three times its
/// memory. Rules of thumb, good for a ranking.
Curve described_curve(const DeviceProperties& properties);

/// The outermost regions of the program's own file: those of the script, of its functions where it has none.
std::vector<const RegionTraffic*> outermost_regions(const ProgramTraffic& traffic);
/// Their levels and seconds together, behind apply_machine().
ProgramLevels whole_of(const ProgramTraffic& traffic);
}  // namespace sparsecast::memory_traffic
