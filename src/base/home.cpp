#include "base/home.hpp"

#include <cstdlib>
#include <sparsecast/error.hpp>
#include <string>
#include <system_error>

namespace sparsecast::base {
namespace {

const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

}  // namespace

std::filesystem::path home_folder() {
  std::filesystem::path folder;
  if (const char* own = variable("SPARSECAST_HOME")) {
    folder = own;
  } else if (const char* data = variable("XDG_DATA_HOME")) {
    folder = std::filesystem::path(data) / "sparsecast";
  } else if (const char* home = variable("HOME")) {
    folder = std::filesystem::path(home) / ".local/share/sparsecast";
  } else {
    throw Error(ErrorCode::failed, "no folder to keep measurements in", {}, "set SPARSECAST_HOME");
  }
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw Error(ErrorCode::failed, "cannot create the folder: " + error.message(), {folder.string()},
                "set SPARSECAST_HOME");
  return folder;
}

}  // namespace sparsecast::base
