#pragma once
// A program's files, translated into the folder in which it runs: the one that was named, the functions that it calls
// and that are annotated, those without annotations that IncFunc names, and Octave's own solvers.

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "memory_traffic/run/program_folder.hpp"
#include "memory_traffic/run/run_program.hpp"

namespace sparsecast::memory_traffic {
struct TranslatedFile {
  std::string shown;                         ///< as the user knows it
  std::filesystem::path written, functions;  ///< of a script: its functions alone
  Translation translation;
  SourceText source;
};
// By the name that the counters carry.
using TranslatedFiles = std::map<std::string, TranslatedFile>;

class ProgramTranslator {
 public:
  ProgramTranslator(ProgramFolder& folder, const RunOptions& options) : folder_(folder), options_(options) {}

  /// The program's own file, and what it calls.
  const TranslatedFile& add(const std::filesystem::path& file);
  /// Folders of translations of Octave's own programs.
  [[nodiscard]] const std::set<std::filesystem::path>& octave() const { return octave_; }
  [[nodiscard]] TranslatedFiles take() { return std::move(files_); }

 private:
  void add(const std::filesystem::path& file, Surroundings around);
  void add_octave(const std::filesystem::path& file, Surroundings around);
  void translate_file_into(const std::filesystem::path& file, const std::filesystem::path& name,
                           const Surroundings& around);
  [[nodiscard]] Surroundings with_regions(Surroundings around) const;
  [[nodiscard]] std::string free_key(const std::string& stem) const;

  ProgramFolder& folder_;
  const RunOptions& options_;
  TranslatedFiles files_;
  std::map<std::filesystem::path, std::string> keys_;
  std::map<std::string, std::string> regions_;  ///< and the files in which they are
  std::set<std::filesystem::path> octave_;
  bool caught_ = false;  ///< some file of the program may go on behind errors
};

/// Code that defines the functions of the scripts among them, which their first lines may call.
std::string definitions_of(const TranslatedFiles& files);
/// Code that tells the library which functions count for themselves.
std::string analysed_names(const TranslatedFiles& files);
}  // namespace sparsecast::memory_traffic
