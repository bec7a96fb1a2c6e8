#pragma once
// What a MATLAB prototype moves between memory and processor: of its regions and lines, and of two programs side by
// side. Bytes are counts, shown as whole numbers.
//
// Thread safety: values.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <sparsecast/structure.hpp>
#include <sparsecast/tier.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// Where what the program prints goes.
enum class ProgramOutput { nowhere, standard_output, standard_error };

/// What the abbreviations of reports mean.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 4> traffic_legend{{
    {"SR", "storage requirement: bytes of the variables that live at once"},
    {"WSL", "working set loaded: bytes from the second-level cache into the first"},
    {"WSS", "working set stored: bytes that are written"},
    {"±",
     "what may be read again: an operand of a sparse product, blocks of a dense one, of a factorization or a sort"},
}};

/// Bytes that reach a level: L1 gets every load, each further one what the levels before it do not hold.
struct LevelTraffic {
  std::string level;  ///< name of the level: L1, …, memory
  double load_bytes = 0, store_bytes = 0;
};

/// Of one turn of a region's only outer loop; of one call where it has none.
struct IterationTraffic {
  double iterations = 0;      ///< number of iterations of the loop over all calls, or of calls
  std::size_t loop_line = 0;  ///< 0: it has no such loop
  double load_bytes = 0, store_bytes = 0;
  std::optional<double> seconds = {};  ///< time on that machine
};

/// What a region moves.
struct RegionTraffic {
  std::string name;
  std::string file;  ///< as the user named the program's file; a function beside it: its path
  std::size_t first_line = 0, last_line = 0;
  int depth = 0;  ///< number of regions of the same file around it
  double calls = 0;
  double storage_bytes = 0;     ///< SR
  double load_bytes = 0;        ///< WSL
  double load_uncertainty = 0;  ///< bytes that may be read again
  double store_bytes = 0;       ///< WSS
  double dense_bytes = 0;       ///< part of WSL in dense matrix products
  double sparse_bytes = 0;      ///< part of WSL in sparse operations
  double sparse_uncertainty = 0;
  double dense_uncertainty = 0;
  std::vector<LevelTraffic> levels = {};       ///< with a machine
  std::optional<double> seconds = {};          ///< with a machine
  std::optional<double> product_seconds = {};  ///< the part of it that comes from a forecast of sparse products
  std::optional<IterationTraffic> per_iteration = {};

  // In no document:
  bool function = false;      ///< a function's body (FuncStart)
  std::size_t loop_line = 0;  ///< of its only outer loop; 0: it has none, or several
  double turns = 0;           ///< of that loop, over all calls
  /// Traced loads and stores by stack distance: bin b holds distances up to 2^((b + 1)/4) bytes, the last first
  /// touches.
  std::vector<double> load_reach = {}, store_reach = {};
  /// Products of ProgramTraffic::operands with one vector each, and the loads that were counted for them.
  std::vector<double> products = {}, product_bytes = {};
};

/// What a line moves.
struct LineTraffic {
  std::string file;
  std::size_t line = 0;
  double load_bytes = 0, store_bytes = 0;
  std::string text = {};  ///< the line; in no document
};

/// A branch's or a loop's body inside a region: what stands in it and in no other within it.
struct ScopeTraffic {
  std::string name;  ///< as the paper names it: "ifLn5", "elseLn7"
  std::string file;
  std::string region;  ///< innermost region around it
  std::size_t line = 0;
  double runs = 0;
  double storage_bytes = 0;                ///< most bytes that its variables took at its end
  double load_bytes = 0, store_bytes = 0;  ///< WSL, WSS
};

/// Calls inside regions of something whose own movement is not counted.
struct UnanalysedTraffic {
  std::string name;
  std::string file;  ///< file of the call
  std::size_t line = 0;
  double calls = 0;  ///< how often the statement ran, times the number of calls in it
};

/// Loads of a program that reach a level.
struct ProgramLevel {
  std::string level;  ///< name of the level: L1, …, memory
  double bytes = 0;
  /// As the processor's counters saw them; nothing where they cannot be read.
  std::optional<double> measured_bytes = {};
};

/// Of a program's outermost regions together: those of the script, or of its functions where the script has none.
struct ProgramLevels {
  std::vector<ProgramLevel> levels = {};
  double seconds = 0;                           ///< time on that machine
  std::optional<double> measured_seconds = {};  ///< the program as it is under Octave; nothing where it was not run
  std::string counters = {};                    ///< what was counted, or why nothing was; empty where nobody asked
};

/// The outermost regions on a machine, all its cores at work.
struct TrafficMachine {
  std::string device;
  Tier tier = Tier::measured;  ///< what is known of it, as Profile::tier
  double seconds = 0;
};

/// One product by one kernel.
struct StorageTime {
  std::string kernel;            ///< as in kernel_table()
  double seconds = 0;            ///< forecast time
  double low_s = 0, high_s = 0;  ///< 90 % interval
};

/// One sparse matrix of the program in every storage that has a forecast on the machine, fastest first.
struct TrafficStorage {
  std::int64_t rows = 0, cols = 0, nonzeros = 0;
  double products = 0;                    ///< number of products with a vector in the outermost regions
  std::vector<StorageTime> kernels = {};  ///< kernels, fastest first
};

/// Result of traffic(): the bytes that a compiled implementation would move.
struct ProgramTraffic {
  std::string program;                             ///< name of the program, as given
  std::vector<RegionTraffic> regions = {};         ///< regions by file and first line
  std::vector<LineTraffic> lines = {};             ///< lines that move anything, by file and line
  std::vector<UnanalysedTraffic> unanalysed = {};  ///< calls that were not analysed, by file and line
  std::vector<std::string> remarks = {};  ///< remarks: regions that never ran, what was not analysed, what is a bound
  std::optional<std::vector<ScopeTraffic>> scopes = {};  ///< where they were asked for, by file and place
  std::optional<ProgramLevels> whole = {};               ///< with a machine
  /// What the abbreviations mean.
  std::vector<std::pair<std::string, std::string>> legend{traffic_legend.begin(), traffic_legend.end()};
  std::vector<TrafficMachine> machines = {};  ///< machines, fastest first, if all of them were requested
  /// Sparse matrices in every storage format, if they were requested.
  std::optional<std::vector<TrafficStorage>> storage = {};

  // In no document:
  std::vector<Structure> operands = {};  ///< sparse matrices that multiplied vectors, where accesses were traced
  double seconds = 0;                    ///< the run, Octave's start included
};

/// Regions of the same name together; two single regions even without. Differences are second less first.
struct RegionDifference {
  std::string name;
  double first_bytes = 0, second_bytes = 0;  ///< bytes; 0 if only the other program has it
  double load_difference = 0, store_difference = 0;
  std::optional<double> difference_s = {};             ///< time on that machine
  std::optional<std::size_t> first = {}, second = {};  ///< among the program's regions; in no document
};

/// A line that moves differently, or is only in one.
struct LineDifference {
  std::string text;  ///< text of the line without leading and trailing blanks
  std::optional<std::size_t> first_line = {}, second_line = {};
  double load_difference = 0, store_difference = 0;
  std::optional<std::size_t> first = {}, second = {};  ///< among the program's lines; in no document
};

/// Result of traffic_compare(), second less first.
struct TrafficComparison {
  ProgramTraffic first, second;
  std::vector<RegionDifference> regions = {};
  std::vector<LineDifference> lines = {};  ///< largest difference first
};

}  // namespace sparsecast
#pragma GCC visibility pop
