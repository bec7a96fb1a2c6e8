#pragma once
// A folder for the files of one piece of work: open to its owner alone, removed with its contents at the end of the
// scope, however that comes.

#include <filesystem>
#include <sparsecast/wording.hpp>
#include <string>

#include "base/guard/cleanup.hpp"

namespace sparsecast::base {
struct TemporaryPlace {
  std::string purpose = "temporary files";  ///< "no folder for …"
  std::string prefix = "sparsecast";        ///< of its name
  std::filesystem::path parent = {};        ///< made where it is missing; empty: $TMPDIR, /tmp, /var/tmp
  wording::Text remedy = "set TMPDIR to a folder that can be written";
  /// Parents that it does not take are passed over; it is asked for, and the folder has, the path without links.
  bool (*suits)(const std::filesystem::path&) = nullptr;
};

class TemporaryFolder {
 public:
  /// Error failed where no place can be written.
  explicit TemporaryFolder(const TemporaryPlace& place = {});
  ~TemporaryFolder();
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;  // nor copied
  /// Absolute.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  Leftover leftover_;
};
}  // namespace sparsecast::base
