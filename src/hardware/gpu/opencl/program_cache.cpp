#include "hardware/gpu/opencl/program_cache.hpp"

#include <fmt/format.h>
#include <sparsecast/error.hpp>

#include "base/files.hpp"
#include "base/home.hpp"
#include "base/number.hpp"

namespace sparsecast::hardware {
namespace {
constexpr std::int64_t most_bytes = 64 << 20;
}  // namespace

ProgramCache::ProgramCache(std::string_view key) : key_(key) {
  try {
    file_ = base::home_folder() / "opencl" / fmt::format("{:016x}.bin", base::fnv1a(key));
  } catch (const Error&) {
    file_.clear();
  }
}

// What stands before the binary. Drivers trust their binaries (PoCL crashes on half of one), so the file is taken only
// where size and hash of the binary are those that were written.
std::string ProgramCache::head(std::string_view binary) const {
  return fmt::format("{} {} {:016x}\n{}", key_.size(), binary.size(), base::fnv1a(binary), key_);
}

std::string ProgramCache::load() const {
  std::string content;
  try {
    content = base::read_file(file_, {.most_bytes = most_bytes});
  } catch (const Error&) {
    return {};
  }
  const std::size_t line = content.find('\n');
  if (line == std::string::npos || content.size() < line + 1 + key_.size()) return {};
  std::string binary = content.substr(line + 1 + key_.size());
  return content.starts_with(head(binary)) ? binary : std::string{};
}

void ProgramCache::store(std::string_view binary) const {
  if (file_.empty() || binary.empty()) return;
  std::error_code failed;
  std::filesystem::create_directories(file_.parent_path(), failed);
  try {
    // Renamed when it is complete: another run never sees half a file.
    base::write_file_atomically(file_, head(binary).append(binary));
  } catch (const Error&) {
  }
}
}  // namespace sparsecast::hardware
