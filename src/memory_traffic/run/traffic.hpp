#pragma once
// From a program's file to what it moves: translates it (and the annotated functions beside it), runs the translation
// under GNU Octave and reads the counters.

#include <sys/types.h>
#include <sparsecast/profile.hpp>
#include <sparsecast/program_traffic.hpp>

#include "base/page/text_layout.hpp"
#include "memory_traffic/translate/statement_translator.hpp"

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

// A program's outermost regions as they run under Octave, nothing of it translated and nothing counted by us: their
// time, and what the processor's cache counters say of them where it has any. Octave computes as the program is
// written, with every intermediate result in memory; what a compiled program needs is the forecast.

// Cache counters of the processor, read for another process of ours (perf_event_open). Virtual machines and containers
// seldom have them: then the reason is told, and nothing is guessed.

/// What is counted, in lines of the cache: loads that miss the first level, that ask the last level, that miss it.
enum class CounterEvent { first_level_misses, last_level_loads, last_level_misses };
inline constexpr std::size_t counter_events = 3;

class HardwareCounters {
 public:
  /// Counters of a process and of the children that it starts from now on, standing at zero.
  explicit HardwareCounters(pid_t process);
  ~HardwareCounters();
  HardwareCounters& operator=(HardwareCounters&&) = delete;  // nor copied

  /// Why there are none; empty where at least one event is counted.
  [[nodiscard]] const std::string& reason() const { return reason_; }
  /// Counts so far, scaled up where the kernel shared the counters out in time; nullopt for an event that the processor
  /// does not count.
  [[nodiscard]] std::optional<double> read(CounterEvent event) const;

 private:
  std::array<int, counter_events> descriptors_{-1, -1, -1};
  std::string reason_;
};

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

// Runs a program under GNU Octave, bounded in time and stopped by Ctrl-C.

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
