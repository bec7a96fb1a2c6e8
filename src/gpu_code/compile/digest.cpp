#include "gpu_code/compile/digest.hpp"

#include <fmt/format.h>
#include <sparsecast/error.hpp>

#include "base/files.hpp"
#include "base/home.hpp"
#include "base/text.hpp"

namespace sparsecast::gpu_code {
namespace {
namespace fs = std::filesystem;
}  // namespace

fs::path store_folder(const std::string& name) {
  auto folder = base::home_folder() / name;
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    throw Error(ErrorCode::failed, fmt::format("cannot create a folder in the store: {}", failed.message()),
                {folder.string()}, "set SPARSECAST_HOME to a folder that you may write");
  return folder;
}

void Digest::add(std::string_view text) {
  for (const char c : text) {
    a_ = (a_ ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    b_ = (b_ ^ static_cast<unsigned char>(c) ^ (a_ >> 56)) * 0x9e3779b97f4a7c15u;
  }
  a_ = (a_ ^ 0xff) * 0x100000001b3u;
}

void Digest::add_tool(const fs::path& tool) {
  std::error_code failed;
  const auto time = fs::last_write_time(tool, failed).time_since_epoch().count();
  add(fmt::format("{} {} {}", tool.string(), fs::file_size(tool, failed), time));
  for (const char* name :
       {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"})
    add(base::environment(name));
}

void Digest::add_source(const fs::path& file) {
  if (!seen_.insert(file.lexically_normal()).second || seen_.size() > 1000) return;
  const auto text = base::read_file(file);
  add(text);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto hash = line.find_first_not_of(" \t");
    if (hash == std::string::npos || line[hash] != '#' || line.find("include") == std::string::npos) continue;
    const auto open = line.find_first_of("\"<"), close = line.find_first_of("\">", open + 1);
    if (open == std::string::npos || close == std::string::npos) continue;
    const auto name = line.substr(open + 1, close - open - 1);
    const auto included = file.parent_path() / name;
    std::error_code unknown;
    const auto status = fs::status(included, unknown);
    // A compiler would read a device without end, and wait for a pipe's writer.
    if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status))
      throw Error(ErrorCode::bad_input, fmt::format("the source includes {}, which is not a file", name),
                  {file.string()}, "include only files");
    if (line[open] == '"' && fs::is_regular_file(status)) add_source(included);
  }
}

std::string Digest::text() const { return fmt::format("{:016x}{:016x}", a_, b_); }
}  // namespace sparsecast::gpu_code
