#pragma once
// From a program's file to what it moves: translates it (and the annotated functions beside it), runs the translation
// under GNU Octave and reads the counters.

#include <filesystem>
#include <optional>
#include <sparsecast/structure.hpp>
#include <string>
#include <vector>

#include "traffic/translate/translate.hpp"

namespace sparsecast::traffic {

/// Bytes that reach a level: L1 gets every load, each further one what the levels before it do not hold.
struct LevelTraffic {
  std::string level;  ///< "L1", …, "memory"
  double load_bytes = 0, store_bytes = 0;
};

struct RegionTraffic {
  std::string name;
  std::string file;  ///< as the user named the program's file; a function beside it: its path
  std::size_t first_line = 0, last_line = 0;
  int depth = 0;  ///< regions of the same file around it
  double calls = 0;
  double storage_bytes = 0;  ///< SR
  double load_bytes = 0;     ///< WSL
  double load_uncertainty = 0;
  double store_bytes = 0;   ///< WSS
  double dense_bytes = 0;   ///< part of WSL in dense matrix products
  double sparse_bytes = 0;  ///< part of WSL in sparse operations
  double sparse_uncertainty = 0;
  double dense_uncertainty = 0;
  bool function = false;      ///< a function's body (FuncStart)
  std::size_t loop_line = 0;  ///< of its only outer loop; 0: it has none, or several
  double turns = 0;           ///< of that loop, over all calls
  /// Traced loads and stores by stack distance: bin b holds distances up to 2^((b + 1)/4) bytes, the last first
  /// touches.
  std::vector<double> load_reach, store_reach;
  /// Products of ProgramTraffic::operands with one vector each, and the loads that were counted for them.
  std::vector<double> products, product_bytes;
  std::vector<LevelTraffic> levels;  ///< with a machine
  double seconds = 0;                ///< with a machine
  double product_seconds = 0;        ///< the part of it that comes from a forecast of sparse products

  /// By what figures per iteration are divided: the turns of its loop, or its calls where it has none and is called
  /// several times; 0 where neither is one thing that repeats.
  [[nodiscard]] double iterations() const { return loop_line > 0 ? turns : calls > 1 ? calls : 0; }
};

/// Of a program's outermost regions together: those of the script, or of its functions where the script has none.
struct ProgramLevels {
  struct Level {
    std::string level;
    double bytes = 0;                      ///< loads that reach it
    std::optional<double> measured_bytes;  ///< lines that hardware counters saw
  };
  std::vector<Level> levels;
  double seconds = 0;
  std::optional<double> measured_seconds;
  std::string counters;  ///< what was counted, or why nothing was; empty where nobody asked
};

struct LineTraffic {
  std::string file;
  std::size_t line = 0;
  std::string text;  ///< the line
  double load_bytes = 0, store_bytes = 0;
};

struct ProgramTraffic {
  std::string program;
  std::vector<RegionTraffic> regions;  ///< by file and first line
  std::vector<LineTraffic> lines;      ///< those that move anything, by file and line
  std::vector<Structure> operands;     ///< sparse matrices that multiplied vectors, where accesses were traced
  double seconds = 0;                  ///< the run, Octave's start included
  std::optional<ProgramLevels> whole;  ///< with a machine
};

struct RunOptions {
  std::string call;  ///< how to call a function file; empty: without arguments
  double time_limit_s = 600;
  bool output_to_stderr = false;
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
/// Error bad_input (syntax, directives), unavailable (no Octave), failed (the program fails, or runs too long) with the
/// line of the user's own program.
ProgramTraffic run_program(const std::filesystem::path& file, const RunOptions& options);

}  // namespace sparsecast::traffic
