#include "base/temporary_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <new>
#include <sparsecast/error.hpp>
#include <system_error>
#include <vector>

namespace sparsecast::base {
namespace {
namespace fs = std::filesystem;

std::vector<fs::path> usual_parents() {
  const char* chosen = std::getenv("TMPDIR");
  if (chosen == nullptr || *chosen == '\0') return {"/tmp", "/var/tmp"};
  return {chosen, "/tmp", "/var/tmp"};
}
// With one open file at a time, where remove_all() takes one for each level and a process may have no more.
void remove_by_levels(const fs::path& folder) {
  std::error_code ignored;
  std::vector<fs::path> inside;
  for (fs::directory_iterator at(folder, ignored), end; !ignored && at != end; at.increment(ignored))
    inside.push_back(at->path());
  for (const fs::path& one : inside)
    if (fs::is_directory(fs::symlink_status(one, ignored)))
      remove_by_levels(one);
    else
      fs::remove(one, ignored);
  fs::remove(folder, ignored);
}
}  // namespace

TemporaryFolder::TemporaryFolder(const TemporaryPlace& place) {
  std::error_code failed;
  if (!place.parent.empty()) fs::create_directories(place.parent, failed);
  fs::path tried;
  std::error_code reason;
  for (const fs::path& parent : place.parent.empty() ? usual_parents() : std::vector{place.parent}) {
    // A name as it was given is the one that other machines know; a path without links is what programs ask for.
    const fs::path real = place.suits == nullptr ? fs::absolute(parent, failed) : fs::canonical(parent, failed);
    if (!failed && place.suits != nullptr && !place.suits(real)) continue;
    if (!failed) {
      std::string name = (real / (place.prefix + "-XXXXXX")).string();
      if (::mkdtemp(name.data()) != nullptr) {
        try {
          leftover_.watch(path_ = name);
        } catch (...) {  // no memory
          ::rmdir(name.c_str());
          throw;
        }
        return;
      }
      failed.assign(errno, std::generic_category());
    }
    if (tried.empty()) tried = parent, reason = failed;
  }
  throw Error(
      ErrorCode::failed,
      fmt::format("cannot create a folder for {}{}", place.purpose, reason ? ": " + reason.message() : std::string()),
      {tried.string()}, place.remedy);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code failed;
  fs::remove_all(path_, failed);
  if (!failed) return;
  try {
    remove_by_levels(path_);
  } catch (const std::bad_alloc&) {  // as remove_all() above, which says so to nobody
  }
}
}  // namespace sparsecast::base
