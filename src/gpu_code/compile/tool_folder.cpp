#include "gpu_code/compile/tool_folder.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <sparsecast/error.hpp>

#include "base/child_process.hpp"
#include "base/files.hpp"
#include "base/guard/program_rules.hpp"
#include "base/home.hpp"

namespace sparsecast::gpu_code {
namespace {
constexpr double most_seconds = 120;

namespace fs = std::filesystem;
}  // namespace

fs::path find_cuda_tool(const std::string& name) {
  if (auto found = base::find_program(name); !found.empty()) return found;
  for (const auto& home :
       {base::environment("CUDA_HOME"), base::environment("CUDA_PATH"), std::string("/usr/local/cuda")}) {
    if (home.empty()) continue;
    if (auto found = base::find_program((fs::path(home) / "bin" / name).string()); !found.empty()) return found;
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

ToolFolder::ToolFolder()
    : folder_(base::TemporaryPlace{
          .purpose = "the compiler",
          .prefix = "sparsecast-compile",
          .remedy = "set TMPDIR to a folder that you may write, with a path of only letters, digits and . _ - +",
          .suits = plain_path}) {}

void ToolFolder::write(const std::string& name, std::string_view text) const {
  base::write_file_atomically(path() / name, text, {"file for the compiler", "check whether the disk is full"});
}

void ToolFolder::link(const std::string& name, const fs::path& folder) const {
  std::error_code failed;
  fs::create_directory_symlink(fs::absolute(folder), path() / name, failed);
  if (failed)
    throw Error(ErrorCode::failed, fmt::format("cannot create a link for the compiler: {}", failed.message()),
                {folder.string()}, "set TMPDIR to a folder on a file system with links");
}

int ToolFolder::run(const fs::path& tool, const std::vector<std::string>& arguments) {
  if (!plain_path(tool))
    throw Error(ErrorCode::unavailable,
                "a compiler with such a path is not started, because it may pass the path to a shell", {tool.string()},
                "set PATH or CUDA_HOME to a path of only letters, digits and . _ - +");
  base::ChildJob job;
  job.program = tool.string();
  job.arguments = arguments;
  job.folder = path();
  job.writes_beneath = {path()};
  // What tells a tool of other folders than the one it runs in.
  for (const char* const name : {"TMPDIR", "TMP", "TEMP", "PWD", "OLDPWD"}) job.environment.remove(name);
  job.environment.set("TMPDIR", path().string());
  job.environment.set("PWD", path().string());
  job.output = {base::ChildOutput::To::caught};
  job.errors = {base::ChildOutput::To::with_the_output};
  job.most_caught = std::size_t{16} << 20;
  // What a source includes may have no end (/dev/zero, a template that names itself).
  job.time_limit_s = most_seconds;
  job.most_memory_bytes = std::int64_t{16} << 30;
  job.most_file_bytes = std::int64_t{1} << 30;
  auto end = base::run_child(job);
  if (end.timed_out)
    throw Error(ErrorCode::bad_input,
                fmt::format("{} did not finish within {:g} s", tool.filename().string(), most_seconds), {},
                "give a smaller source, or the kernel as .ptx");
  log_ = std::move(end.output);
  return end.exit_status;
}
}  // namespace sparsecast::gpu_code
