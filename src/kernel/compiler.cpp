#include "kernel/compiler.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>
#include <sparsecast/error.hpp>
#include <sstream>

#include "core/embedded.hpp"
#include "core/interrupt.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX asks for it, glibc has it too

namespace sparsecast::embedded {
std::span<const File> opencl_prelude();  ///< src/kernel/opencl_prelude.h
}

namespace sparsecast::kernel {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Error(ErrorCode::bad_input, "cannot open the file", {file.string()}, "is the path right?");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// 128 bits of FNV-1a: enough to tell sources apart; nobody gains by a collision in their own cache.
class Digest {
 public:
  void add(std::string_view text) {
    for (const char c : text) {
      a_ = (a_ ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
      b_ = (b_ ^ static_cast<unsigned char>(c) ^ (a_ >> 56)) * 0x9e3779b97f4a7c15u;
    }
    a_ = (a_ ^ 0xff) * 0x100000001b3u;
  }
  [[nodiscard]] std::string text() const { return fmt::format("{:016x}{:016x}", a_, b_); }

 private:
  std::uint64_t a_ = 0xcbf29ce484222325u, b_ = 0x84222325cbf29ce4u;
};

/// Runs a program; its output and messages go to `log`. Returns the exit status.
int run_tool(const std::vector<std::string>& command, const fs::path& log) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  std::vector<char*> arguments;
  for (const auto& a : command) arguments.push_back(const_cast<char*>(a.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failed = posix_spawn(&child, command[0].c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0)
    throw Error(ErrorCode::unavailable, fmt::format("cannot run {}: {}", command[0], std::strerror(failed)), {},
                "is the compiler installed whole?");
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return 1;
  throw_if_interrupted();
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

fs::path cache_folder() {
  auto folder = store_folder() / "kernel-cache";
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    throw Error(ErrorCode::failed, fmt::format("cannot make the folder of compiled kernels: {}", failed.message()),
                {folder.string()}, "set SPARSECAST_HOME to a folder that can be written");
  return folder;
}

fs::path temporary(const fs::path& target) {
  static std::atomic<int> counter = 0;
  return target.string() + fmt::format(".{}.{}", ::getpid(), counter++);
}

/// The source and, as far as they are found beside it, what it includes with quotes.
void add_source(Digest& digest, const fs::path& file, std::set<fs::path>& seen) {
  if (!seen.insert(file.lexically_normal()).second || seen.size() > 1000) return;
  const auto text = read_file(file);
  digest.add(text);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto hash = line.find_first_not_of(" \t");
    if (hash == std::string::npos || line[hash] != '#' || line.find("include") == std::string::npos) continue;
    const auto open = line.find('"'), close = line.find('"', open + 1);
    if (open == std::string::npos || close == std::string::npos) continue;
    const auto included = file.parent_path() / line.substr(open + 1, close - open - 1);
    if (fs::is_regular_file(included)) add_source(digest, included, seen);
  }
}

/// The line of a compiler's messages that says what is wrong, and where.
[[noreturn]] void refuse_source(const fs::path& source, const fs::path& log, const std::string& compiler) {
  std::string first, error;
  {
    std::ifstream in(log);
    for (std::string line; std::getline(in, line);) {
      if (first.empty()) first = line;
      if (error.empty() && line.find("error") != std::string::npos) error = line;
    }
  }
  std::error_code ignored;
  fs::remove(log, ignored);
  throw Error(ErrorCode::bad_input, fmt::format("{} refuses the source: {}", compiler, error.empty() ? first : error),
              {source.string()}, "does it compile by itself, with the same --define?");
}

std::string version_of(const fs::path& tool) {
  std::error_code failed;
  const auto time = fs::last_write_time(tool, failed).time_since_epoch().count();
  return fmt::format("{} {} {}", tool.string(), fs::file_size(tool, failed), time);
}

void finish(const fs::path& from, const fs::path& to) {
  std::error_code failed;
  fs::rename(from, to, failed);
  if (failed)
    throw Error(ErrorCode::failed, fmt::format("cannot store the compiled kernel: {}", failed.message()), {to.string()},
                "is the disk full?");
}

/// Compute capabilities that today's toolkits compile for; older ones are compiled as the oldest.
int compiled_architecture(int architecture) { return std::max(architecture, 75); }

}  // namespace

fs::path store_folder() {
  if (const auto home = environment("SPARSECAST_HOME"); !home.empty()) return home;
  if (const auto data = environment("XDG_DATA_HOME"); !data.empty()) return fs::path(data) / "sparsecast";
  const auto home = environment("HOME");
  return fs::path(home.empty() ? "." : home) / ".local/share/sparsecast";
}

fs::path find_on_path(const std::string& name) {
  std::istringstream folders(environment("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    fs::path candidate = fs::path(folder.empty() ? "." : folder) / name;
    if (::access(candidate.c_str(), X_OK) == 0 && !fs::is_directory(candidate)) return candidate;
  }
  return {};
}

fs::path find_cuda_tool(const std::string& name) {
  if (auto found = find_on_path(name); !found.empty()) return found;
  for (const auto& home : {environment("CUDA_HOME"), environment("CUDA_PATH"), std::string("/usr/local/cuda")}) {
    if (home.empty()) continue;
    fs::path candidate = fs::path(home) / "bin" / name;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

CompiledPtx compile_to_ptx(const CompileRequest& request) {
  const bool opencl = request.source.extension() == ".cl";
  const fs::path compiler = opencl ? find_on_path("clang") : find_cuda_tool("nvcc");
  if (!fs::is_regular_file(request.source))
    throw Error(ErrorCode::bad_input, "cannot open the file", {request.source.string()}, "is the path right?");
  if (compiler.empty())
    throw Error(
        ErrorCode::unavailable,
        opencl ? "OpenCL C is compiled by clang, which is not here" : "CUDA C++ is compiled by nvcc, which is not here",
        {request.source.string()},
        opencl ? "install clang, or give the kernel as .ptx"
               : "install the CUDA toolkit or set CUDA_HOME, or give the kernel as .ptx");
  const int architecture = compiled_architecture(request.architecture);
  std::vector<std::string> options;
  if (opencl) {
    options = {"-x",
               "cl",
               "-cl-std=CL2.0",
               "-target",
               "nvptx64-nvidia-cuda",
               "-nogpulib",
               "-O3",
               "-S",
               fmt::format("-march=sm_{}", std::min(architecture, 86)),
               "-Xclang",
               "-target-feature",
               "-Xclang",
               "+ptx70",
               "-ffp-contract=fast"};
    if (request.line_info) options.emplace_back("-gline-tables-only");
  } else {
    options = {"-std=c++17", fmt::format("-arch=sm_{}", architecture), "-ptx"};
    if (request.line_info) options.emplace_back("-lineinfo");
  }
  for (const auto& define : request.defines) options.push_back("-D" + define);

  Digest digest;
  digest.add(version_of(compiler));
  for (const auto& option : options) digest.add(option);
  if (request.line_info) digest.add(fs::absolute(request.source).string());  // .file names it
  std::set<fs::path> seen;
  add_source(digest, request.source, seen);
  const auto prelude = embedded::opencl_prelude().front();
  if (opencl) digest.add(prelude.text);
  CompiledPtx result;
  result.file = cache_folder() / (digest.text() + ".ptx");
  if (fs::is_regular_file(result.file)) {
    result.cached = true;
    result.text = read_file(result.file);
    return result;
  }
  const auto output = temporary(result.file), log = temporary(fs::path(result.file.string() + ".log"));
  std::vector<std::string> command = {compiler.string()};
  command.insert(command.end(), options.begin(), options.end());
  fs::path header;
  if (opencl) {
    header = temporary(fs::path(result.file.string() + ".h"));
    std::ofstream(header, std::ios::binary) << prelude.text;
    command.insert(command.end(), {"-include", header.string()});
  }
  command.insert(command.end(), {"-o", output.string(), request.source.string()});
  const int status = run_tool(command, log);
  std::error_code ignored;
  if (!header.empty()) fs::remove(header, ignored);
  if (status != 0) {
    fs::remove(output, ignored);
    refuse_source(request.source, log, compiler.filename().string());
  }
  fs::remove(log, ignored);
  finish(output, result.file);
  result.text = read_file(result.file);
  return result;
}

Assembled assemble(const std::string& ptx, int architecture, int most_registers) {
  Assembled result;
  const auto tool = find_cuda_tool("ptxas");
  if (tool.empty()) return result;
  result.architecture = compiled_architecture(architecture);
  Digest digest;
  digest.add(version_of(tool));
  digest.add(std::to_string(result.architecture));
  if (most_registers > 0) digest.add(fmt::format("maxrregcount {}", most_registers));
  digest.add(ptx);
  const auto file = cache_folder() / (digest.text() + ".cubin"), log = cache_folder() / (digest.text() + ".log");
  if (!fs::is_regular_file(file) || !fs::is_regular_file(log)) {
    const auto output = temporary(file), messages = temporary(log), input = temporary(file.string() + ".ptx");
    std::ofstream(input, std::ios::binary) << ptx;
    std::vector<std::string> command = {tool.string(), "--verbose", fmt::format("-arch=sm_{}", result.architecture)};
    if (most_registers > 0) command.push_back(fmt::format("--maxrregcount={}", most_registers));
    command.insert(command.end(), {"-o", output.string(), input.string()});
    const int status = run_tool(command, messages);
    std::error_code ignored;
    fs::remove(input, ignored);
    if (status != 0) {
      fs::remove(output, ignored);
      fs::remove(messages, ignored);
      return result;
    }
    finish(messages, log);
    finish(output, file);
  }
  const auto bytes = read_file(file);
  result.cubin.assign(bytes.begin(), bytes.end());
  result.log = read_file(log);
  result.available = true;
  return result;
}

bool parse_ptxas_log(const std::string& log, const std::string& kernel, KernelResources& resources) {
  std::istringstream lines(log);
  bool ours = false;
  const auto number_before = [](const std::string& line, std::string_view what) -> std::int64_t {
    const auto at = line.find(what);
    if (at == std::string::npos || at == 0) return -1;
    auto begin = at;
    while (begin > 0 && line[begin - 1] == ' ') --begin;
    const auto end = begin;
    while (begin > 0 && std::isdigit(static_cast<unsigned char>(line[begin - 1]))) --begin;
    std::int64_t value = -1;
    std::from_chars(line.data() + begin, line.data() + end, value);
    return value;
  };
  for (std::string line; std::getline(lines, line);) {
    if (line.find("Compiling entry function") != std::string::npos)
      ours = line.find("'" + kernel + "'") != std::string::npos;
    if (!ours) continue;
    if (const auto spill = number_before(line, "bytes spill stores"); spill >= 0) resources.spill_bytes = spill;
    if (const auto registers = number_before(line, "registers"); registers > 0) {
      resources.registers = static_cast<int>(registers);
      resources.shared_bytes = std::max<std::int64_t>(number_before(line, "bytes smem"), 0);
      resources.from_compiler = true;
      return true;
    }
  }
  return false;
}

std::vector<std::string> parameter_names(const std::string& source, const std::string& kernel) {
  // NAME ( … ) somewhere after __global__ or __kernel: the last identifier of every part between commas.
  const auto identifier = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (auto at = source.find(kernel); at != std::string::npos; at = source.find(kernel, at + 1)) {
    if (at > 0 && identifier(source[at - 1])) continue;
    auto open = at + kernel.size();
    while (open < source.size() && std::isspace(static_cast<unsigned char>(source[open]))) ++open;
    if (open >= source.size() || source[open] != '(') continue;
    const auto before = source.substr(at > 400 ? at - 400 : 0, std::min<std::size_t>(at, 400));
    const auto marker =
        std::max({before.rfind("__global__") + 1, before.rfind("__kernel") + 1, before.rfind("kernel ") + 1});
    const auto ended = std::max(before.rfind(';') + 1, before.rfind('}') + 1);
    if (marker == 0 || ended > marker) continue;
    std::vector<std::string> names;
    std::string last;
    int depth = 0;
    bool comment_line = false;
    for (auto i = open; i < source.size(); ++i) {
      const char c = source[i];
      if (comment_line) {
        comment_line = c != '\n';
        continue;
      }
      if (c == '/' && i + 1 < source.size() && source[i + 1] == '/') {
        comment_line = true;
        continue;
      }
      if (c == '(' || c == '<') ++depth;
      if (c == ')' || c == '>') --depth;
      if ((c == ',' && depth == 1) || depth == 0) {
        if (!last.empty() && last != "void") names.push_back(last);
        last.clear();
        if (depth == 0) return names;
        continue;
      }
      if (identifier(c)) {
        std::string word;
        while (i < source.size() && identifier(source[i])) word += source[i++];
        --i;
        if (!std::isdigit(static_cast<unsigned char>(word[0])) && word != "__restrict__" && word != "restrict")
          last = word;
      }
    }
  }
  return {};
}

}  // namespace sparsecast::kernel
