#include "base/home.hpp"

#include <sys/stat.h>
#include <cerrno>
#include <cstdlib>
#include <sparsecast/error.hpp>
#include <system_error>

namespace sparsecast::base {
std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

namespace {
// Not every shell, and no file of variables, puts the home folder in the place of "~".
std::filesystem::path without_tilde(const std::string& name) {
  const std::string home = environment("HOME");
  if (home.empty() || (name != "~" && !name.starts_with("~/"))) return name;
  return name == "~" ? std::filesystem::path(home) : std::filesystem::path(home) / name.substr(2);
}
}  // namespace

std::filesystem::path home_folder() {
  std::filesystem::path folder;
  if (const auto own = environment("SPARSECAST_HOME"); !own.empty()) {
    folder = std::filesystem::absolute(without_tilde(own));
  } else if (const auto data = environment("XDG_DATA_HOME"); data.starts_with('/')) {  // others are to be ignored
    folder = std::filesystem::path(data) / "sparsecast";
  } else if (const auto home = environment("HOME"); !home.empty()) {
    folder = std::filesystem::path(home) / ".local/share/sparsecast";
  } else {
    throw Error(ErrorCode::failed, "there is no home folder for measurements", {},
                "set SPARSECAST_HOME to a folder that you may write");
  }
  std::error_code error;
  // What others may not read is not readable for a moment either: the last folder is made by itself.
  if (!std::filesystem::exists(folder, error)) {
    std::filesystem::create_directories(folder.parent_path(), error);
    if (!error && ::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) error.assign(errno, std::generic_category());
  } else {
    std::filesystem::create_directories(folder, error);
  }
  if (error)
    throw Error(ErrorCode::failed, "cannot create the folder: " + error.message(), {folder.string()},
                "set SPARSECAST_HOME to a folder that you may write");
  return folder;
}

std::filesystem::path home_folder_if_any() noexcept try { return home_folder(); } catch (const std::exception&) {
  return {};
}
}  // namespace sparsecast::base
