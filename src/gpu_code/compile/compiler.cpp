#include "gpu_code/compile/compiler.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <sstream>

#include "base/child_process.hpp"
#include "base/embedded.hpp"
#include "base/files.hpp"
#include "base/guard/program_rules.hpp"
#include "base/home.hpp"
#include "base/temporary_folder.hpp"
#include "base/text.hpp"
#include "gpu_code/compile/source_parameters.hpp"

namespace sparsecast::embedded {
std::span<const File> opencl_prelude();  ///< src/gpu_code/compile/opencl_prelude.h
std::span<const File> hip_prelude();     ///< src/gpu_code/compile/hip_prelude.h
}  // namespace sparsecast::embedded

namespace sparsecast::gpu_code {
namespace {
namespace fs = std::filesystem;

/// What is compiled is written beside and renamed: another run never sees half a file.
const base::FileToWrite kept{"compiled kernel", "is the disk full?"};

/// Compute capabilities that today's toolkits compile for; older ones are compiled as the oldest.
int compiled_architecture(int architecture) { return std::max(architecture, 75); }

/// What a source is compiled as: by its suffix, and for whom.
enum class Language { cuda, hip, opencl };

Language language_of(const CompileRequest& request) {
  const auto suffix = request.source.extension();
  if (suffix == ".cl") return Language::opencl;
  // CUDA texts for AMD are read as HIP, of which their device side is a part.
  return suffix == ".hip" || !request.processor.empty() ? Language::hip : Language::cuda;
}

std::vector<std::string> options_of(Language language, const CompileRequest& request, bool for_amd) {
  const int architecture = compiled_architecture(request.architecture);
  std::vector<std::string> options;
  if (language == Language::cuda) {
    options = {"-std=c++17", fmt::format("-arch=sm_{}", architecture), "-ptx"};
    if (request.line_info) options.emplace_back("-lineinfo");
    return options;
  }
  if (language == Language::opencl) {
    options = {"-x", "cl", "-cl-std=CL2.0", "-nogpulib", "-O3", "-S", "-ffp-contract=fast"};
    const auto target =
        for_amd ? std::vector<std::string>{"-target", "amdgcn-amd-amdhsa", fmt::format("-mcpu={}", request.processor)}
                : std::vector<std::string>{"-target", "nvptx64-nvidia-cuda",
                                           fmt::format("-march=sm_{}", std::min(architecture, 86))};
    options.insert(options.end(), target.begin(), target.end());
  } else {
    options = {"-x",
               for_amd ? "hip" : "cuda",
               "--cuda-device-only",
               "-std=c++17",
               "-nogpulib",
               "-nogpuinc",
               "-O3",
               "-S",
               "-ffp-contract=fast",
               "-Wno-unknown-cuda-version",
               "-I.",
               fmt::format("--offload-arch={}",
                           for_amd ? request.processor : fmt::format("sm_{}", std::min(architecture, 86)))};
  }
  if (!for_amd) options.insert(options.end(), {"-Xclang", "-target-feature", "-Xclang", "+ptx70"});
  options.emplace_back("-fdebug-compilation-dir=.");
  if (request.line_info) options.emplace_back("-gline-tables-only");
  return options;
}

/// What is compiled: our headers, then the user's source by the link to its folder, so that what the source includes
/// with quotes is looked for where it always was.
std::string wrapper(const fs::path& source, bool prelude) {
  const auto name = source.filename().string();
  if (name.find_first_of("\"\n\r") != std::string::npos)
    throw Error(ErrorCode::bad_input, "a source with a quotation mark or a line break in its name cannot be compiled",
                {source.string()}, "give the file another name");
  return fmt::format("{}#include \"defines.h\"\n#include \"{}/{}\"\n", prelude ? "#include \"prelude.h\"\n" : "",
                     linked_folder, name);
}

/// Takes out what differs from run to run: the folder in .file, and the eight digits that nvcc makes of it for names
/// that are local to a file. The content's own digits stand there instead.
void settle(std::string& ptx, const fs::path& folder, const std::string& digest) {
  for (const auto& path : {fmt::format("\"{}/{}/", folder.string(), linked_folder),
                           fmt::format("\"{}/", folder.string()), fmt::format("\"./{}/", linked_folder)})
    ptx = base::replaced(ptx, path, "\"");
  constexpr std::string_view local = "_9_kernel_cu_";
  constexpr std::size_t digits = 8;
  for (auto at = ptx.find(local); at != std::string::npos; at = ptx.find(local, at + local.size())) {
    if (at <= digits || ptx[at - digits - 1] != '_') continue;
    const auto begin = ptx.begin() + static_cast<std::ptrdiff_t>(at - digits);
    if (std::all_of(begin, begin + digits, [](unsigned char c) { return std::isxdigit(c) != 0; }))
      std::copy_n(digest.begin(), digits, begin);
  }
}

/// A preprocessor cannot write the tuners' "#pragma unroll loop_unroll_factor_x": the factor's value stands there
/// instead, and of the value 0 nothing.
std::string with_unroll_factors(std::string text, const std::vector<std::string>& defines) {
  constexpr std::string_view pragma = "#pragma unroll loop_unroll_factor";
  for (auto at = text.find(pragma); at != std::string::npos; at = text.find(pragma, at + 1)) {
    const auto begin = at + std::string_view("#pragma unroll ").size();
    auto end = begin;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_')) ++end;
    const auto name = text.substr(begin, end - begin) + "=";
    const auto define = std::ranges::find_if(defines, [&](const auto& d) { return d.starts_with(name); });
    if (define == defines.end()) continue;
    const auto value = define->substr(name.size());
    text.replace(at, end - at, value == "0" ? "" : "#pragma unroll " + value);
  }
  return text;
}

[[noreturn]] void refuse_without_compiler(Language language, const fs::path& source) {
  throw Error(ErrorCode::unavailable,
              language == Language::cuda     ? "CUDA C++ is compiled by nvcc, which is not here"
              : language == Language::opencl ? "OpenCL C is compiled by clang, which is not here"
                                             : "HIP and AMD's targets are compiled by clang, which is not here",
              {source.string()},
              language != Language::cuda ? "install clang, or give the kernel as .ptx"
                                         : "install the CUDA toolkit or set CUDA_HOME, or give the kernel as .ptx");
}

/// What a source becomes: PTX, or assembly for an AMD processor.
CompiledPtx compiled(const CompileRequest& request, bool for_amd) {
  const auto language = language_of(request);
  const bool by_clang = language != Language::cuda;
  const fs::path compiler = by_clang ? base::find_program("clang") : find_cuda_tool("nvcc");
  if (!fs::is_regular_file(request.source))
    throw Error(ErrorCode::bad_input, "cannot open the file", {request.source.string()}, "is the path right?");
  auto macros = request.defines;
  const auto source = base::read_file(request.source);
  // Tuners say by this macro that they compile.
  if (source.find("kernel_tuner") != std::string::npos &&
      std::ranges::none_of(macros, [](const auto& m) { return m.starts_with("kernel_tuner="); }))
    macros.emplace_back("kernel_tuner=1");
  const auto defines = defines_header(macros);
  auto text = wrapper(request.source, by_clang);
  if (compiler.empty()) refuse_without_compiler(language, request.source);
  auto arguments = options_of(language, request, for_amd);
  const auto prelude =
      language == Language::opencl ? embedded::opencl_prelude().front() : embedded::hip_prelude().front();
  const auto unrolled = with_unroll_factors(source, macros);

  Digest digest;
  digest.add_tool(compiler);
  for (const auto& argument : arguments) digest.add(argument);
  digest.add(defines);
  if (request.line_info) digest.add(request.source.filename().string());  // .file names it
  if (by_clang) digest.add(prelude.text);
  digest.add_source(request.source);
  CompiledPtx result;
  result.file = store_folder("kernel-cache") / (digest.text() + (for_amd ? ".s" : ".ptx"));
  if (fs::is_regular_file(result.file)) {
    result.cached = true;
    result.text = base::read_file(result.file);
    return result;
  }
  ToolFolder folder;
  folder.link(linked_folder, fs::absolute(request.source).parent_path());
  folder.write("defines.h", defines);
  if (by_clang) folder.write("prelude.h", prelude.text);
  if (language == Language::hip) {
    fs::create_directory(folder.path() / "hip");
    folder.write("hip/hip_runtime.h", "");
    folder.write("cuda_runtime.h", "");
  }
  const std::string input = language == Language::opencl ? "kernel.cl" : "kernel.cu", output = "kernel.out";
  if (unrolled != source) {
    folder.write(unrolled_copy, unrolled);
    text.replace(text.rfind("#include"), std::string::npos, fmt::format("#include \"{}\"\n", unrolled_copy));
    arguments.push_back(fmt::format("-I{}", linked_folder));
  }
  folder.write(input, text);
  arguments.insert(arguments.end(), {"-o", output, input});
  if (folder.run(compiler, arguments) != 0)
    refuse_source(request.source, request.defines, compiler.filename().string(), folder);
  result.text = base::read_file(folder.path() / output);
  if (!for_amd) settle(result.text, folder.path(), digest.text());
  base::write_file_atomically(result.file, result.text, kept);
  return result;
}

namespace fs = std::filesystem;

constexpr double most_seconds = 120;
}  // namespace

CompiledPtx compile_to_ptx(const CompileRequest& request) { return compiled(request, false); }

std::string compile_for_amd(const CompileRequest& request) { return compiled(request, true).text; }

Assembled assemble(const std::string& ptx, int architecture, int most_registers) {
  Assembled result;
  const auto tool = find_cuda_tool("ptxas");
  if (tool.empty() || base::program_rules().forbidden) return result;
  result.architecture = compiled_architecture(architecture);
  Digest digest;
  digest.add_tool(tool);
  digest.add(std::to_string(result.architecture));
  if (most_registers > 0) digest.add(fmt::format("maxrregcount {}", most_registers));
  digest.add(ptx);
  const auto folder = store_folder("kernel-cache");
  const auto file = folder / (digest.text() + ".cubin"), log = folder / (digest.text() + ".log");
  if (!fs::is_regular_file(file) || !fs::is_regular_file(log)) {
    ToolFolder tools;
    tools.write("kernel.ptx", ptx);
    std::vector<std::string> arguments = {"--verbose", fmt::format("-arch=sm_{}", result.architecture)};
    if (most_registers > 0) arguments.push_back(fmt::format("--maxrregcount={}", most_registers));
    arguments.insert(arguments.end(), {"-o", "kernel.cubin", "kernel.ptx"});
    if (tools.run(tool, arguments) != 0) return result;
    base::write_file_atomically(log, tools.log(), kept);
    base::write_file_atomically(file, base::read_file(tools.path() / "kernel.cubin"), kept);
  }
  result.cubin = base::read_bytes(file);
  result.log = base::read_file(log);
  result.available = true;
  return result;
}

bool parse_ptxas_log(const std::string& log, const std::string& kernel, KernelResources& resources) {
  std::istringstream lines(log);
  bool ours = false;
  const auto before = [](std::string_view line, std::string_view what) -> std::int64_t {
    const auto at = line.find(what);
    auto end = at == std::string_view::npos ? at : line.find_last_not_of(' ', at - 1) + 1;
    return at == std::string_view::npos || at == 0 ? -1 : number_before(line, end);
  };
  for (std::string line; std::getline(lines, line);) {
    if (line.find("Compiling entry function") != std::string::npos)
      ours = line.find("'" + kernel + "'") != std::string::npos;
    if (!ours) continue;
    if (const auto spill = before(line, "bytes spill stores"); spill >= 0) resources.spill_bytes = spill;
    if (const auto registers = before(line, "registers"); registers > 0) {
      resources.registers = static_cast<int>(registers);
      resources.shared_bytes = std::max<std::int64_t>(before(line, "bytes smem"), 0);
      resources.from_compiler = true;
      return true;
    }
  }
  return false;
}

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
          .remedy = "set TMPDIR to a folder that can be written, its path of letters, digits and . _ - + alone",
          .suits = plain_path}) {}

void ToolFolder::write(const std::string& name, std::string_view text) const {
  base::write_file_atomically(path() / name, text, {"file for the compiler", "is the disk full?"});
}

void ToolFolder::link(const std::string& name, const fs::path& folder) const {
  std::error_code failed;
  fs::create_directory_symlink(fs::absolute(folder), path() / name, failed);
  if (failed)
    throw Error(ErrorCode::failed, fmt::format("cannot make a link for the compiler: {}", failed.message()),
                {folder.string()}, "set TMPDIR to a folder whose file system has links");
}

int ToolFolder::run(const fs::path& tool, const std::vector<std::string>& arguments) {
  if (!plain_path(tool))
    throw Error(ErrorCode::unavailable, "a compiler under such a path is not started, since it may hand it to a shell",
                {tool.string()}, "let PATH or CUDA_HOME name it by letters, digits and . _ - + alone");
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
                fmt::format("{} did not end within {:g} s", tool.filename().string(), most_seconds), {},
                "give a smaller source, or the kernel as .ptx");
  log_ = std::move(end.output);
  return end.exit_status;
}

fs::path store_folder(const std::string& name) {
  auto folder = base::home_folder() / name;
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    throw Error(ErrorCode::failed, fmt::format("cannot make a folder of the store: {}", failed.message()),
                {folder.string()}, "set SPARSECAST_HOME to a folder that can be written");
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
      throw Error(ErrorCode::bad_input, fmt::format("the source includes {}, which is no file", name), {file.string()},
                  "include files alone");
    if (line[open] == '"' && fs::is_regular_file(status)) add_source(included);
  }
}

std::string Digest::text() const { return fmt::format("{:016x}{:016x}", a_, b_); }
}  // namespace sparsecast::gpu_code
