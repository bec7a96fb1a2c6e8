// What a user hands to a compiler stays data: macros, names of files and folders, the store's place. Each way in is
// tried with text that a shell would run; it has to leave no mark, and a forecast that is the one of plain names.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sparsecast/error.hpp>
#include <tuple>
#include <utility>
#include <vector>

#include "base/child_process.hpp"
#include "gpu_code/compile/compiler.hpp"
#include "gpu_code/compile/compiler_messages.hpp"
#include "gpu_code/compile/macros.hpp"
#include "gpu_code/compile/source_parameters.hpp"
#include "gpu_code/compile/tool_folder.hpp"
#include "gpu_code/kernel_analysis.hpp"
#include "hardware/gpu/gpu_kernels.hpp"
#include "support/command.hpp"
#include "support/parts.hpp"

namespace sparsecast::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* cuda_source = R"(#include "factor.h"
extern "C" __global__ void k(float* x) {
  x[blockIdx.x * blockDim.x + threadIdx.x] *= FACTOR * (N);
}
)";
constexpr const char* opencl_source = R"(#include "factor.h"
__kernel void k(__global float* x) {
  x[get_global_id(0)] *= FACTOR * (N);
}
)";

const std::string runs = "$(touch $MARK)", runs_too = "`touch $MARK`";

/// A user's folder and store; $MARK is the file that must not appear.
class CompilerInput : public ::testing::Test {
 protected:
  void SetUp() override {
    if (gpu_code::find_cuda_tool("nvcc").empty()) SKIP_OR_FAIL(parts::nvcc);
  }

  [[nodiscard]] fs::path source(const std::string& folder, const std::string& name, const std::string& text) const {
    fs::create_directories(root_.path() / folder);
    std::ofstream(root_.path() / folder / "factor.h") << "#define FACTOR 3\n";
    std::ofstream(root_.path() / folder / name) << text;
    return root_.path() / folder / name;
  }
  [[nodiscard]] fs::path table(const std::string& define) const {
    return root_.write("table.tsv", "kernel\tgrid\tblock\tdefines\nk\t1024\t256\t" + define + "\n");
  }
  /// `store` and `temporary` by name below the user's folder, so that every run compiles anew.
  CommandResult run(std::vector<std::string> arguments, const std::string& store,
                    const std::string& temporary = "temporary") const {
    fs::create_directories(root_.path() / temporary);
    arguments.insert(arguments.begin(), "kernel");
    arguments.insert(arguments.end(), {"--device", "nvidia-a100", "--json"});
    return sparsecast(arguments, {"SPARSECAST_HOME=" + (root_.path() / store).string(),
                                  "TMPDIR=" + (root_.path() / temporary).string(), "MARK=" + mark().string()});
  }
  CommandResult forecast(const fs::path& file, const std::string& store, const std::string& temporary = "temporary",
                         const std::string& define = "N=2") const {
    return run({file.string(), "--grid", "1024", "--block", "256", "--define", define}, store, temporary);
  }
  /// What plain names give.
  [[nodiscard]] std::string plain() const {
    const auto result = forecast(source("plain", "k.cu", cuda_source), "plain-store");
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  }
  void expect_plain(const CommandResult& result) const {
    EXPECT_FALSE(fs::exists(mark()));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, plain());
  }
  [[nodiscard]] fs::path mark() const { return root_.path() / "mark"; }

  TemporaryFolder root_;
};

TEST_F(CompilerInput, NamesOfSources) {
  for (const std::string& name : {"k " + runs + ".cu", "k" + runs_too + ".cu", std::string("two words.cu"),
                                  std::string("it's; touch $MARK #.cu"), std::string("-o k.cu")}) {
    SCOPED_TRACE(name);
    fs::remove_all(root_.path() / "store");
    expect_plain(forecast(source("plain names", name, cuda_source), "store"));
  }
}

TEST_F(CompilerInput, NamesOfFolders) {
  for (const std::string& name : {"of " + runs, runs_too, std::string("a \"quoted\" one")}) {
    SCOPED_TRACE(name);
    fs::remove_all(root_.path() / "store");
    expect_plain(forecast(source(name, "k.cu", cuda_source), "store"));
  }
}

TEST_F(CompilerInput, TheStoresPlace) {
  for (const std::string& name : {"store " + runs, "store" + runs_too, std::string("a \"store\"")}) {
    SCOPED_TRACE(name);
    expect_plain(forecast(source("plain", "k.cu", cuda_source), name));
    EXPECT_TRUE(fs::exists(root_.path() / name / "kernel-cache"));
  }
}

TEST_F(CompilerInput, TheTemporaryFoldersPlace) {
  expect_plain(forecast(source("plain", "k.cu", cuda_source), "store", "temporary " + runs));
}

TEST_F(CompilerInput, DefinesOfTheCommandLine) {
  const auto file = source("plain", "k.cu", cuda_source);
  for (const auto& value : {runs, runs_too, std::string("2\ntouch"), std::string("2;"), std::string("2\\")}) {
    SCOPED_TRACE(value);
    const auto result = forecast(file, "store", "temporary", "N=" + value);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_NE(result.err.find("--define N="), std::string::npos) << result.err;
    EXPECT_FALSE(fs::exists(mark()));
  }
  expect_plain(forecast(file, "store", "temporary", "N=(1 + 1)"));
}

TEST_F(CompilerInput, DefinesOfATable) {
  for (const auto& [name, text] :
       std::vector<std::pair<std::string, std::string>>{{"k.cu", cuda_source}, {"k.cl", opencl_source}}) {
    SCOPED_TRACE(name);
    const auto file = source("plain", name, text).string();
    const auto refused = run({file, "--table", table("N=2 A=$(touch${IFS}$MARK)").string()}, "store");
    EXPECT_EQ(refused.exit_code, 3) << refused.err;
    EXPECT_NE(refused.err.find("table.tsv:2:16: defines A=$(touch${IFS}$MARK)"), std::string::npos) << refused.err;
    EXPECT_FALSE(fs::exists(mark()));
    if (name == "k.cl" && base::find_program("clang").empty()) SKIP_OR_FAIL(parts::clang);
    const auto good = run({file, "--table", table("N=2").string()}, "store");
    EXPECT_EQ(good.exit_code, 0) << good.err;
    EXPECT_EQ(good.out, run({file, "--table", table("N=(1+1)").string()}, "store").out);
  }
}

TEST_F(CompilerInput, NamesOfOpenClSources) {
  if (base::find_program("clang").empty()) SKIP_OR_FAIL(parts::clang);
  const auto rows = table("N=2").string();
  const auto good = run({source("plain", "k.cl", opencl_source).string(), "--table", rows}, "store");
  ASSERT_EQ(good.exit_code, 0) << good.err;
  const auto odd = run({source("of " + runs, "k" + runs_too + " .cl", opencl_source).string(), "--table", rows},
                       "store " + runs, "temporary " + runs);
  EXPECT_EQ(odd.exit_code, 0) << odd.err;
  EXPECT_EQ(odd.out, good.out);
  EXPECT_FALSE(fs::exists(mark()));
}

TEST_F(CompilerInput, RefusalsNameTheUsersFile) {
  const auto file = source("of " + runs, "k (1).cu", std::string(cuda_source) + "int f() { return unknown; }\n");
  const auto result = forecast(file, "store");
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_NE(result.err.find(file.string() + ":5: nvcc refuses the source: error: "), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("\"unknown\""), std::string::npos) << result.err;

  const auto including = source("error", "k.cu", "#include \"broken.h\"\n");
  std::ofstream(including.parent_path() / "broken.h") << "\n#include \"missing.h\"\n";
  const auto header = forecast(including, "store");
  EXPECT_EQ(header.exit_code, 3) << header.err;
  const auto broken = (including.parent_path() / "broken.h").string();
  EXPECT_NE(header.err.find(broken + ":2:10: nvcc refuses the source: fatal error: missing.h"), std::string::npos)
      << header.err;

  const auto quoted = forecast(source("plain", "a\"b.cu", cuda_source), "store");
  EXPECT_EQ(quoted.exit_code, 3) << quoted.err;
}

TEST_F(CompilerInput, NothingIsLeftInTheTemporaryFolder) {
  EXPECT_EQ(forecast(source("plain", "k.cu", cuda_source), "store").exit_code, 0);
  EXPECT_EQ(forecast(source("plain", "bad.cu", "no source"), "store").exit_code, 3);
  EXPECT_TRUE(fs::is_empty(root_.path() / "temporary"));
  for (const auto& entry : fs::directory_iterator(root_.path() / "store/kernel-cache"))
    EXPECT_TRUE(entry.path().extension() == ".ptx" || entry.path().extension() == ".cubin" ||
                entry.path().extension() == ".log")
        << entry.path();
}

TEST_F(CompilerInput, CompiledTextIsKeptForItsMacrosAndIncludes) {
  gpu_code::CompileRequest request;
  // A text that no store has: the folder's name is new in every run.
  request.source = source("plain", "k.cu", std::string(cuda_source) + "// " + root_.path().string() + "\n");
  request.defines = {"N=2"};
  request.line_info = true;
  const auto first = gpu_code::compile_to_ptx(request);
  EXPECT_FALSE(first.cached);
  EXPECT_TRUE(gpu_code::compile_to_ptx(request).cached);
  EXPECT_NE(first.text.find("\"k.cu\""), std::string::npos);  // .file, without the folder where it was compiled
  request.defines = {"N=5"};
  const auto other = gpu_code::compile_to_ptx(request);
  EXPECT_FALSE(other.cached);
  EXPECT_NE(other.text, first.text);
  std::ofstream(request.source.parent_path() / "factor.h") << "#define FACTOR 7\n";
  EXPECT_FALSE(gpu_code::compile_to_ptx(request).cached);
  for (const auto& made : {first, other}) fs::remove(made.file);
  fs::remove(gpu_code::compile_to_ptx(request).file);
}

TEST_F(CompilerInput, NamesLocalToAFileAreTheSameInEveryRun) {
  gpu_code::CompileRequest request;
  request.source = source("plain", "local.cu", R"(#include "factor.h"
namespace { __global__ void hidden(float* x) { x[threadIdx.x] = FACTOR; } }
void start() { hidden<<<1, 1>>>(nullptr); }
)");
  const auto first = gpu_code::compile_to_ptx(request);
  fs::remove(first.file);
  const auto second = gpu_code::compile_to_ptx(request);
  fs::remove(second.file);
  EXPECT_FALSE(second.cached);
  EXPECT_EQ(first.text, second.text);
  EXPECT_NE(first.text.find("hidden"), std::string::npos);
}

TEST(ToolFolder, IsItsOwnersAloneAndGoes) {
  fs::path path;
  {
    const gpu_code::ToolFolder folder;
    path = folder.path();
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
    EXPECT_TRUE(gpu_code::plain_path(path)) << path;
    folder.link("beside", "/");
  }
  EXPECT_FALSE(fs::exists(path));
  EXPECT_TRUE(fs::exists("/"));
}

TEST(ToolFolder, StartsNoToolUnderAPathThatAShellMayRun) {
  const TemporaryFolder root;
  const auto tool = root.path() / "$(true)" / "nvcc";
  fs::create_directories(tool.parent_path());
  fs::create_symlink("/bin/true", tool);
  gpu_code::ToolFolder folder;
  try {
    (void)folder.run(tool, {});
    FAIL() << "was started";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unavailable);
  }
}

TEST(Defines, AreAHeader) {
  EXPECT_EQ(gpu_code::defines_header({"A=1", "B", "C=", "T=float4", "M=-1", "E=(a+b)*1.5e-3f", "U=unsigned int",
                                      "float8=__align__(32) float8", "P=x?y:z", "L={1,2}"}),
            "#define A 1\n#define B 1\n#define C \n#define T float4\n#define M -1\n#define E (a+b)*1.5e-3f\n"
            "#define U unsigned int\n#define float8 __align__(32) float8\n#define P x?y:z\n#define L {1,2}\n");
}

TEST(Defines, RefuseWhatIsMoreThanAValue) {
  for (const std::string define :
       {"",      "=1",   "1A=1",   "A-B=1",  "F(x)=x",  "A b=1",  "defined=1", "__VA_ARGS__=1", "__has_include=1",
        "and=1", "$A=1", "A=$(x)", "A=`x`",  "A=\"x\"", "A='x'",  "A=#x",      "A=\\x",         "A=1\n#error",
        "A=1\r", "A=1;", "A=@",    "A=1//x", "A=1/*x",  "A=?\?/", "A=%:x",     "A=\x01",        "A=\xc3\xa4",
        "A\n=1"}) {
    SCOPED_TRACE(define);
    try {
      gpu_code::check_define(define, "--define");
      ADD_FAILURE() << "was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage);
      EXPECT_EQ(std::string(error.what()).find_first_of("\n\r\x01"), std::string::npos) << error.what();
      EXPECT_FALSE(error.remedy().empty());
    }
  }
  EXPECT_THROW(gpu_code::check_define(std::string("A=1\0B", 5), "--define"), Error);
}

TEST(Defines, OfOurOwnKernelsAreNamesAndNumbers) {
  for (const auto& function : hardware::gpu_functions())
    for (const auto precision : {Precision::single_, Precision::double_})
      for (const int offset_bits : {32, 64})
        for (const auto& macro : hardware::gpu_source(function, "opencl.h", precision, offset_bits, 32).macros) {
          SCOPED_TRACE(macro);
          EXPECT_NO_THROW(gpu_code::check_define(macro, "macro"));
          // Run-time compilers take them as one line of options: a blank would begin another.
          EXPECT_EQ(macro.find_first_of(" -"), std::string::npos);
        }
}

TEST(CompilerMessages, SayWhere) {
  const auto at = [](const std::string& line) {
    const auto m = gpu_code::parse_message(line);
    return std::make_tuple(m.place.file, m.place.line, m.place.column, m.text);
  };
  EXPECT_EQ(at("beside/k.cu(3): error: x"), std::make_tuple("beside/k.cu", 3, 0, "error: x"));
  EXPECT_EQ(at("beside/k $(a).cu(3): error: x"), std::make_tuple("beside/k $(a).cu", 3, 0, "error: x"));
  EXPECT_EQ(at("beside/a: b.cl:3:14: error: x: y"), std::make_tuple("beside/a: b.cl", 3, 14, "error: x: y"));
  EXPECT_EQ(at("beside/k.cu:3: error: x"), std::make_tuple("beside/k.cu", 3, 0, "error: x"));
  EXPECT_EQ(at("nvcc fatal   : no"), std::make_tuple("", 0, 0, "nvcc fatal   : no"));
}

}  // namespace
}  // namespace sparsecast::test
