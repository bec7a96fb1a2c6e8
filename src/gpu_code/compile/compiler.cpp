#include "gpu_code/compile/compiler.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <span>
#include <sparsecast/error.hpp>

#include "base/child_process.hpp"
#include "base/embedded.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "gpu_code/compile/assembler.hpp"
#include "gpu_code/compile/compiler_messages.hpp"
#include "gpu_code/compile/digest.hpp"
#include "gpu_code/compile/macros.hpp"
#include "gpu_code/compile/opencl_vectors.hpp"
#include "gpu_code/compile/tool_folder.hpp"

namespace sparsecast::embedded {
std::span<const File> opencl_prelude();  ///< src/gpu_code/compile/opencl_prelude.h
std::span<const File> hip_prelude();     ///< src/gpu_code/compile/hip_prelude.h
}  // namespace sparsecast::embedded

namespace sparsecast::gpu_code {
namespace {
namespace fs = std::filesystem;

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
    throw Error(ErrorCode::bad_input, "a source whose name has a quotation mark or a line break cannot be compiled",
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
              language == Language::cuda     ? "CUDA C++ needs nvcc, which is not found"
              : language == Language::opencl ? "OpenCL C needs clang, which is not found"
                                             : "HIP and AMD's targets need clang, which is not found",
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
    throw Error(ErrorCode::bad_input, "cannot open the file", {request.source.string()}, "check the path");
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
  base::write_file_atomically(result.file, result.text, compiled_kernel);
  return result;
}

namespace fs = std::filesystem;
}  // namespace
CompiledPtx compile_to_ptx(const CompileRequest& request) { return compiled(request, false); }

std::string compile_for_amd(const CompileRequest& request) { return compiled(request, true).text; }
}  // namespace sparsecast::gpu_code
