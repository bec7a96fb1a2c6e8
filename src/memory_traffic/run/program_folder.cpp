#include "memory_traffic/run/program_folder.hpp"

#include <algorithm>
#include <sparsecast/error.hpp>
#include <system_error>
#include <utility>

#include "base/files.hpp"
#include "memory_traffic/run/library.hpp"
#include "memory_traffic/run/run_program.hpp"

namespace sparsecast::memory_traffic {
namespace fs = std::filesystem;
namespace {
// Across file systems, too.
void move_over(const fs::path& from, const fs::path& to) {
  std::error_code failed;
  fs::rename(from, to, failed);
  if (!failed) return;
  failed.clear();
  fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::overwrite_existing, failed);
  if (failed)
    throw Error(ErrorCode::failed, "what the program wrote cannot be copied into its folder: " + failed.message(),
                {to.string()}, "check that the folder can be written and its disk is not full");
}
}  // namespace

ProgramFolder::ProgramFolder(fs::path own, const fs::path& workshop)
    : own_(std::move(own)), path_(workshop / "program") {
  fs::create_directory(path_);
}

fs::path ProgramFolder::write(const fs::path& name, const std::string& text) {
  fs::create_directories((path_ / name).parent_path());
  base::write_file_atomically(path_ / name, text, {"translated program", "check whether the disk is full"});
  written_.insert(name);
  return (path_ / name).lexically_normal();
}

fs::path define_first(const ProgramFolder& folder, const fs::path& name, const std::string& functions) {
  if (functions.empty()) return {};
  const fs::path place = folder.path().parent_path() / "functions";
  fs::create_directories(place);
  base::write_file_atomically(place / name, functions, {"translated functions", "check whether the disk is full"});
  return place / name;
}

OctaveEnd run_within(const ProgramFolder& folder, OctaveJob job) {
  job.folder = folder.path().parent_path();  // from where the code goes to the mirror, see driver.m
  const fs::path alone = job.folder / "alone";
  fs::create_directories(alone);
  for (const char* const name : {"keyboard.m", "pause.m"})
    base::write_file_atomically(alone / name, template_text(name), {"function", "check whether the disk is full"});
  job.code = "slm_error = warning('off', 'Octave:shadowed-function'); addpath(" + matlab_text(alone) +
             "); warning(slm_error); " + job.code;
  OctaveEnd end;
  try {
    end = run_octave(job);
  } catch (...) {
    folder.bring_back();
    throw;
  }
  folder.bring_back();
  return end;
}

void ProgramFolder::link() { link({}); }

void ProgramFolder::link(const fs::path& inside) {
  std::error_code unreadable;
  for (const fs::directory_entry& entry : fs::directory_iterator(own_ / inside, unreadable)) {
    const fs::path name = inside / entry.path().filename();
    if (written_.contains(name)) continue;
    std::error_code failed;
    if (fs::is_directory(path_ / name, failed)) {
      link(name);  // holds translations
      continue;
    }
    fs::create_symlink(entry.path(), path_ / name, failed);
    if (failed)
      throw Error(ErrorCode::failed, "the program's folder cannot be mirrored: " + failed.message(),
                  {(path_ / name).string()}, "set TMPDIR to a folder on a file system with links");
    linked_.insert(name);
  }
}

void ProgramFolder::bring_back() const {
  std::error_code gone;
  for (fs::recursive_directory_iterator at(path_, gone), end; at != end; at.increment(gone)) {
    const fs::path name = at->path().lexically_relative(path_);
    const bool ours = written_.contains(name) || (linked_.contains(name) && at->is_symlink());
    const bool holds_ours =
        at->is_directory() && !at->is_symlink() &&
        std::ranges::any_of(written_, [&](const fs::path& file) { return file.parent_path() == name; });
    if (ours || holds_ours) continue;
    if (at->is_directory() && !at->is_symlink()) at.disable_recursion_pending();
    move_over(at->path(), own_ / name);
  }
}
}  // namespace sparsecast::memory_traffic
