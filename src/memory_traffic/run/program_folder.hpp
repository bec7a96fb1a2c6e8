#pragma once
// The folder in which a program runs: a mirror of its own, with the translated files in place of the user's.
//
// Octave looks for functions in the working folder before it looks anywhere else, whatever the path says: a translation
// beside the user's folder would not run where that is the working folder. So the working folder is a temporary one
// that holds the translations and, for all else, links into the user's: functions cannot be shadowed, and files are
// found by relative paths whichever folder the command was started in. (MATLAB's run(), too, makes the program's folder
// the working folder.)

#include <filesystem>
#include <set>
#include <string>

#include "memory_traffic/run/octave.hpp"

namespace sparsecast::memory_traffic {
class ProgramFolder {
 public:
  /// An empty mirror of `own` beneath `workshop`.
  ProgramFolder(std::filesystem::path own, const std::filesystem::path& workshop);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const std::filesystem::path& own() const { return own_; }
  /// A file of the program's, "cg.m" or "private/step.m", in place of the user's. Its path.
  std::filesystem::path write(const std::filesystem::path& name, const std::string& text);
  /// Links for all else; to be called when everything is written.
  void link();
  /// Files that the program has made, into its own folder. What it deleted there stays.
  void bring_back() const;

 private:
  std::filesystem::path own_, path_;
  std::set<std::filesystem::path> written_, linked_;  ///< relative to the folder
  void link(const std::filesystem::path& inside);
};
/// Writes a script's functions where none of its own files can be, so that they can be known before it begins; no path
/// where there are none.
std::filesystem::path define_first(const ProgramFolder& folder, const std::filesystem::path& name,
                                   const std::string& functions);
/// Runs Octave, whose code goes to the mirror (cd), and brings back what is made there, however it ends.
OctaveEnd run_within(const ProgramFolder& folder, OctaveJob job);
}  // namespace sparsecast::memory_traffic
