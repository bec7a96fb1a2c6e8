#include "gpu_code/compile/tool_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sparsecast/error.hpp>
#include <sstream>

#include "base/interrupt.hpp"
#include "gpu_code/compile/compile_cache.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX asks for it, glibc has it too

namespace sparsecast::gpu_code {
namespace {

namespace fs = std::filesystem;

constexpr const char* log_name = "log";

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// The process's own, but for what tells a tool of other folders than the one it runs in.
std::vector<std::string> environment_in(const std::string& folder) {
  constexpr std::array<std::string_view, 5> replaced{"TMPDIR=", "TMP=", "TEMP=", "PWD=", "OLDPWD="};
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (std::ranges::none_of(replaced, [&](auto name) { return std::string_view(*variable).starts_with(name); }))
      variables.emplace_back(*variable);
  variables.push_back("TMPDIR=" + folder);
  variables.push_back("PWD=" + folder);
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> list;
  list.reserve(words.size() + 1);
  for (auto& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

}  // namespace

fs::path find_on_path(const std::string& name) {
  std::istringstream folders(environment("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    fs::path candidate = fs::absolute(fs::path(folder.empty() ? "." : folder) / name);
    if (::access(candidate.c_str(), X_OK) == 0 && !fs::is_directory(candidate)) return candidate;
  }
  return {};
}

fs::path find_cuda_tool(const std::string& name) {
  if (auto found = find_on_path(name); !found.empty()) return found;
  for (const auto& home : {environment("CUDA_HOME"), environment("CUDA_PATH"), std::string("/usr/local/cuda")}) {
    if (home.empty()) continue;
    fs::path candidate = fs::absolute(fs::path(home) / "bin" / name);
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

bool plain_path(const fs::path& path) {
  constexpr std::string_view signs = "/._-+";
  return std::ranges::all_of(path.string(), [&](char c) {
    const bool other_alphabet = static_cast<unsigned char>(c) >= 0x80;
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || other_alphabet ||
           signs.find(c) != std::string_view::npos;
  });
}

ToolFolder::ToolFolder() {
  std::string tried;
  for (const auto& base : {environment("TMPDIR"), std::string("/tmp"), std::string("/var/tmp")}) {
    std::error_code failed;
    // What a tool asks the system for is the path without links.
    const auto real = fs::canonical(base, failed);
    if (base.empty() || failed || !plain_path(real)) continue;
    std::string name = (real / "sparsecast-compile-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) {
      path_ = name;
      return;
    }
    tried = fmt::format("{}: {}", real.string(), std::strerror(errno));
  }
  throw Error(ErrorCode::failed,
              fmt::format("no temporary folder for the compiler{}{}", tried.empty() ? "" : ", ", tried), {},
              "set TMPDIR to a folder that can be written, its path of letters, digits and . _ - + alone");
}

ToolFolder::~ToolFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void ToolFolder::write(const std::string& name, std::string_view text) const {
  std::ofstream out(path_ / name, std::ios::binary);
  out << text;
  if (!out.flush())
    throw Error(ErrorCode::failed, "cannot write a file for the compiler", {(path_ / name).string()},
                "is the disk full?");
}

void ToolFolder::link(const std::string& name, const fs::path& folder) const {
  std::error_code failed;
  fs::create_directory_symlink(fs::absolute(folder), path_ / name, failed);
  if (failed)
    throw Error(ErrorCode::failed, fmt::format("cannot make a link for the compiler: {}", failed.message()),
                {folder.string()}, "set TMPDIR to a folder whose file system has links");
}

int ToolFolder::run(const fs::path& tool, const std::vector<std::string>& arguments) {
  if (!plain_path(tool))
    throw Error(ErrorCode::unavailable, "a compiler under such a path is not started, since it may hand it to a shell",
                {tool.string()}, "let PATH or CUDA_HOME name it by letters, digits and . _ - + alone");
  std::vector<std::string> words{tool.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  auto variables = environment_in(path_.string());
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, path_.c_str());
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log_name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  const int failed =
      posix_spawn(&child, tool.c_str(), &actions, nullptr, pointers(words).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0)
    throw Error(ErrorCode::unavailable, fmt::format("cannot run {}: {}", tool.string(), std::strerror(failed)), {},
                "is the compiler installed whole?");
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return 1;
  base::throw_if_interrupted();
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

std::string ToolFolder::log() const { return read_file(path_ / log_name); }

}  // namespace sparsecast::gpu_code
