// The command: documents, exit codes, tables; with the compilers where they are installed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "gpu_code/compile/compiler.hpp"
#include "gpu_code/compile/opencl_vectors.hpp"
#include "gpu_code/compile/source_parameters.hpp"
#include "gpu_code/compile/tool_folder.hpp"
#include "gpu_code/kernel_analysis.hpp"
#include "gpu_code/model_errors.hpp"
#include "gpu_code/times/kernel_times.hpp"
#include "gpu_code/times/occupancy.hpp"
#include "support/command.hpp"
#include "support/parts.hpp"

namespace sparsecast::test {
namespace {

constexpr const char* chain =
    R"({"schema":"sparsecast/kernel-graph/1","nodes":[{"id":"a","kind":"input"},{"id":"b","time":"tau"},{"id":"c","kind":"output"}],
 "arcs":[{"from":"a","to":"b","time":"t","access":"global-load"},{"from":"b","to":"c","time":"T","access":"global-store"}],"times":{"t":1e-6,"T":2e-6,"tau":5e-7,"dt":1e-9,"dT":1e-9},"instances":8,"executors":4})";

TEST(KernelCommand, ForecastsAGraph) {
  const TemporaryFolder folder;
  const auto result = sparsecast({"kernel", folder.write("chain.json", chain).string(), "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto document = nlohmann::json::parse(result.out);
  EXPECT_EQ(document["schema"], "sparsecast/kernel/1");
  EXPECT_EQ(document["height"], 3);
  ASSERT_EQ(document["estimates"].size(), 4u);
  EXPECT_NEAR(document["estimates"][1]["seconds"].get<double>(), 2 * 3.5e-6, 1e-15);
}

TEST(KernelCommand, TellsHeightsAndPowers) {
  const TemporaryFolder folder;
  const auto file = folder.write("chain.json", chain).string();
  const auto document = nlohmann::json::parse(sparsecast({"kernel", file, "--powers", "--json"}).out);
  const auto& naive = document["estimates"][0];
  const auto& operations = document["estimates"][1];
  // a to b 1 µs, b to c 2 µs; with the loop of b, 0.5 µs, three steps.
  EXPECT_EQ(naive["height"], 2);
  EXPECT_NEAR(naive["power"][2][0].get<double>(), 3e-6, 1e-18);
  EXPECT_TRUE(naive["power"][1][1].is_null());
  EXPECT_EQ(operations["height"], 3);
  EXPECT_NEAR(operations["power"][2][0].get<double>(), 3.5e-6, 1e-18);
  EXPECT_NEAR(operations["power"][1][1].get<double>(), 3 * 5e-7, 1e-18);
  EXPECT_FALSE(document["estimates"][3].contains("power")) << "overlapped has no matrix";
  const auto text = sparsecast({"kernel", file, "--powers", "--model", "naive"}).out;
  EXPECT_NE(text.find("height 2"), std::string::npos) << text;
  EXPECT_EQ(text.find("height 3"), std::string::npos) << text;
}

TEST(KernelCommand, ALoopDrawnAsAnArcIsTheNodesTime) {
  const TemporaryFolder folder;
  const auto looped = [&](const char* time, const char* arcs) {
    return sparsecast({"kernel",
                       folder
                           .write("loop.json", fmt::format(R"({{"nodes":[{{"id":"a","kind":"input"}},{{"id":"b"{}}},
 {{"id":"c","kind":"output"}}],"arcs":[{{"from":"a","to":"b","time":1e-6}},{}{{"from":"b","to":"c","time":2e-6}}]}})",
                                                           time, arcs))
                           .string(),
                       "--model", "operations", "--json"});
  };
  const char* loop = R"({"from":"b","to":"b","time":5e-7},)";
  const auto drawn = looped("", loop), told = looped(R"(,"time":5e-7)", "");
  ASSERT_EQ(drawn.exit_code, 0) << drawn.err;
  EXPECT_EQ(nlohmann::json::parse(drawn.out)["estimates"], nlohmann::json::parse(told.out)["estimates"]);
  const auto both = looped(R"(,"time":5e-7)", loop);
  EXPECT_EQ(both.exit_code, 3);
  EXPECT_NE(both.err.find("node 'b'"), std::string::npos) << both.err;
}

TEST(KernelCommand, HasNoTimeFromWhereNoInputReaches) {
  const TemporaryFolder folder;
  const auto refused = [&](const char* nodes, const char* word) {
    const auto result = sparsecast(
        {"kernel",
         folder
             .write("cut.json", fmt::format(R"({{"nodes":[{}],"arcs":[{{"from":"i","to":"x","time":1e-6}}]}})", nodes))
             .string()});
    EXPECT_EQ(result.exit_code, 3) << result.out;
    EXPECT_NE(result.err.find(word), std::string::npos) << result.err;
  };
  refused(R"({"id":"i","kind":"input"},{"id":"x"},{"id":"far","kind":"output"})", "'far'");
  refused(R"({"id":"i","kind":"input"},{"id":"x","kind":"output"},{"id":"far","kind":"output"})", "'far'");
  refused(R"({"id":"i","kind":"input"},{"id":"x"})", "output");
  refused(R"({"id":"i"},{"id":"x","kind":"output"})", "'x'");
}

TEST(KernelCommand, GivesNoNumberForAnUndefinedTime) {
  const TemporaryFolder folder;
  std::string text = chain;
  text.replace(text.find(R"(,"dt":1e-9)"), 10, "");
  const auto file = folder.write("nodt.json", text).string();
  const auto document = nlohmann::json::parse(sparsecast({"kernel", file, "--symbolic", "--json"}).out);
  EXPECT_TRUE(document["estimates"][2]["seconds"].is_null()) << document["estimates"][2];
  EXPECT_NE(document["estimates"][2]["expression"].get<std::string>().find("dt"), std::string::npos);
  const auto screen = sparsecast({"kernel", file, "--symbolic"}).out;
  EXPECT_EQ(screen.find("0.00 ns"), std::string::npos) << screen;
}

// Every alternative may be the longest: sums of subsets of many names.
TEST(KernelCommand, BoundsTheAlternativesOfAnExpression) {
  const TemporaryFolder folder;
  std::string nodes = R"({"id":"n0","kind":"input"})", arcs;
  for (int i = 1; i <= 12; ++i) {
    nodes += fmt::format(R"(,{{"id":"n{0}"{1}}},{{"id":"p{0}"}})", i, i == 12 ? R"(,"kind":"output")" : "");
    arcs += fmt::format(R"({0}{{"from":"n{1}","to":"n{2}","time":"a{2}"}},{{"from":"n{1}","to":"p{2}","time":"b{2}"}},
 {{"from":"p{2}","to":"n{2}"}})",
                        i == 1 ? "" : ",", i - 1, i);
  }
  const auto file = folder.write("many.json", fmt::format(R"({{"nodes":[{}],"arcs":[{}]}})", nodes, arcs)).string();
  const auto result = sparsecast({"kernel", file, "--symbolic", "--model", "naive"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.err.find("alternatives"), std::string::npos) << result.err;
}

TEST(KernelCommand, PathAndMatrixAgree) {
  const TemporaryFolder folder;
  const auto file = folder.write("chain.json", chain).string();
  const auto path = sparsecast({"kernel", file, "--json", "--model", "serialized"}),
             matrix = sparsecast({"kernel", file, "--json", "--model", "serialized", "--evaluation", "matrix"});
  if (matrix.exit_code == 4) SKIP_OR_FAIL(parts::graphblas);
  ASSERT_EQ(matrix.exit_code, 0) << matrix.err;
  EXPECT_NEAR(nlohmann::json::parse(path.out)["estimates"][0]["seconds"].get<double>(),
              nlohmann::json::parse(matrix.out)["estimates"][0]["seconds"].get<double>(), 1e-15);
}

TEST(KernelCommand, DrawsGraphs) {
  const TemporaryFolder folder;
  const auto file = folder.write("chain.json", chain).string();
  for (const std::string name : {"g.svg", "g.dot", "g.json"}) {
    ASSERT_EQ(sparsecast({"kernel", file, "--graph", (folder.path() / name).string()}).exit_code, 0);
    EXPECT_GT(read_text(folder.path() / name).size(), 100u);
  }
  EXPECT_EQ(sparsecast({"kernel", file, "--graph", (folder.path() / "g.png").string()}).exit_code, 2);
}

TEST(KernelCommand, ExitCodesOfWrongInput) {
  const TemporaryFolder folder;
  EXPECT_EQ(sparsecast({"kernel", (folder.path() / "none.ptx").string(), "--grid", "1", "--block", "32"}).exit_code, 3);
  EXPECT_EQ(sparsecast({"kernel", folder.write("x.ptx", "nothing").string(), "--grid", "1", "--block", "32"}).exit_code,
            3);
  EXPECT_EQ(sparsecast({"kernel", folder.write("chain.json", chain).string(), "--model", "best"}).exit_code, 2);
  EXPECT_EQ(sparsecast({"kernel", "no_such_kernel", "--grid", "1", "--block", "32"}).exit_code, 2);
}

// The launches of benchmarks/gpu-kernels/campaign/campaign.cu, and csr_scalar, which needs its row pointers.
constexpr const char* own_launches[][4] = {
    {"vector_add", "65536", "256", "n=16777216"},
    {"saxpy", "65536", "256", "n=16777216 alpha=2"},
    {"triad", "65536", "256", "n=16777216 s=3"},
    {"dot_product", "1024", "256", "n=16777216"},
    {"block_reduce", "65536", "256", ""},
    {"block_scan", "65536", "256", ""},
    {"transpose_naive", "128x512", "32x8", "n=4096"},
    {"transpose_tiled", "128x128", "32x8", "n=4096"},
    {"transpose_padded", "128x128", "32x8", "n=4096"},
    {"stencil5", "128x512", "32x8", "n=4096"},
    {"stencil7", "8x32x256", "32x8", "n=256"},
    {"matmul_naive", "32x128", "32x8", "n=1024"},
    {"matmul_tiled", "64x64", "16x16", "n=1024"},
    {"histogram", "1024", "256", "n=16777216"},
    {"nbody", "64", "256", "n=16384"},
    {"fir", "65536", "256", "n=16777216"},
    {"black_scholes", "65536", "256", "n=16777216"},
    {"mandelbrot", "128x512", "32x8", "width=4096 iterations=256"},
    {"pointer_chase", "1", "32", "steps=10000"},
    {"csr_scalar", "16", "256", "n=4096"},
    {"ell", "2048", "256", "n=524288 width=32"},
};

std::set<std::string> own_kernels() {
  const std::string source = read_text(std::string(SPARSECAST_SOURCE_DIR) + "/benchmarks/gpu-kernels/own.cu");
  const std::regex kernel("__global__ void (\\w+)\\(");
  std::set<std::string> names;
  for (std::sregex_iterator found(source.begin(), source.end(), kernel), end; found != end; ++found)
    names.insert((*found)[1]);
  return names;
}

// The ending says the language: a pipe has none, and a file without one is still a file.
TEST(KernelCommand, AFileThatDoesNotSayWhatItHoldsIsToldSo) {
  const TemporaryFolder folder;
  const std::string source = folder.write("source", "__global__ void k() {}\n");
  for (const std::string& file : {source, std::string("/dev/null")}) {
    const CommandResult done = sparsecast({"kernel", file, "--grid", "1", "--block", "32"});
    EXPECT_EQ(done.exit_code, 2);
    EXPECT_NE(done.err.find(file + ": the file's name does not say what it holds; give a file that ends in .ptx"),
              std::string::npos)
        << done.err;
  }
  const CommandResult folder_itself = sparsecast({"kernel", folder.path().string(), "--grid", "1", "--block", "32"});
  EXPECT_NE(folder_itself.err.find("is a folder"), std::string::npos) << folder_itself.err;
}

TEST(KernelCommand, ForecastsEveryOwnKernelFromItsSource) {
  if (gpu_code::find_cuda_tool("nvcc").empty()) SKIP_OR_FAIL(parts::nvcc);
  const TemporaryFolder folder;
  std::vector<std::int32_t> pointers;
  for (std::int32_t row = 0; row <= 4096; ++row) pointers.push_back(32 * row);
  const auto rows = folder.write(
      "rows", std::string(reinterpret_cast<const char*>(pointers.data()), pointers.size() * sizeof pointers[0]));
  std::string table = "kernel\tgrid\tblock\targs\tbuffers\n";
  std::set<std::string> asked;
  for (const auto& [kernel, grid, block, arguments] : own_launches) {
    const std::string buffers = kernel == std::string("csr_scalar") ? "rows=" + rows.string() : "";
    table += fmt::format("{}\t{}\t{}\t{}\t{}\n", kernel, grid, block, arguments, buffers);
    asked.insert(kernel);
  }
  EXPECT_EQ(asked, own_kernels()) << "own.cu has another kernel: give it a launch here";
  const auto result =
      sparsecast({"kernel", std::string(SPARSECAST_SOURCE_DIR) + "/benchmarks/gpu-kernels/own.cu", "--table",
                  folder.write("own.tsv", table).string(), "--device", "nvidia-a100", "--json"},
                 {"SPARSECAST_HOME=" + folder.path().string()});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto document = nlohmann::json::parse(result.out);
  ASSERT_EQ(document["configurations"].size(), std::size(own_launches));
  for (std::size_t k = 0; k < std::size(own_launches); ++k) {
    const auto& estimates = document["configurations"][k]["estimates"];
    ASSERT_EQ(estimates.size(), 4u) << own_launches[k][0];
    for (const auto& estimate : estimates) EXPECT_GT(estimate["seconds"].get<double>(), 0) << own_launches[k][0];
  }
}

TEST(KernelCommand, KnowsItsOwnKernelsByName) {
  if (gpu_code::find_cuda_tool("nvcc").empty()) SKIP_OR_FAIL(parts::nvcc);
  const TemporaryFolder store;
  const auto result = sparsecast({"kernel", "transpose_tiled", "--grid", "64x64", "--block", "32x8", "--arg", "n=2048",
                                  "--device", "nvidia-a100", "--json"},
                                 {"SPARSECAST_HOME=" + store.path().string()});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto document = nlohmann::json::parse(result.out);
  EXPECT_EQ(document["estimates"].size(), 4u);
  EXPECT_GT(document["occupancy"]["registers"].get<int>(), 0);
  EXPECT_EQ(document["overlap"]["schedule"], "machine code");
}

TEST(TuningSpace, RankCorrelationByHand) {
  EXPECT_DOUBLE_EQ(gpu_code::rank_correlation({1, 2, 3, 4}, {10, 20, 30, 40}), 1);
  EXPECT_DOUBLE_EQ(gpu_code::rank_correlation({1, 2, 3, 4}, {4, 3, 2, 1}), -1);
  EXPECT_DOUBLE_EQ(gpu_code::rank_correlation({1, 2, 3}, {1, 3, 2}), 0.5);
}

TEST(TuningSpace, RegretsByHand) {
  const auto s = gpu_code::summarize("m", {1, 2, 3, 4, 5, 6}, {3, 2, 4, 5, 6, 1});
  EXPECT_DOUBLE_EQ(s.top1_regret, 2);  // the first choice takes 3, the fastest 1
  EXPECT_DOUBLE_EQ(s.top5_regret, 1);
}

TEST(Occupancy, AsTheCudaCalculatorSays) {
  const auto a100 = gpu_code::kernel_times("nvidia-a100");
  EXPECT_EQ(gpu_code::occupancy(a100, {32, 0, 0, true}, 256).warps, 64);
  EXPECT_EQ(gpu_code::occupancy(a100, {128, 0, 0, true}, 256).warps, 16);
  EXPECT_EQ(gpu_code::occupancy(a100, {32, 48 * 1024, 0, true}, 256).blocks, 3);
  const auto turing = gpu_code::kernel_times("nvidia-rtx-2080-ti");
  EXPECT_EQ(gpu_code::occupancy(turing, {32, 0, 0, true}, 32).blocks, 16);
  EXPECT_EQ(gpu_code::occupancy(turing, {177, 16384, 0, true}, 128).blocks, 2);
}

TEST(KernelTimes, AnotherClockLeavesMemoryInNanoseconds) {
  const auto times = gpu_code::kernel_times("nvidia-a100-pcie-40gb");
  const auto slow = gpu_code::at_clock(times, times.clock_hz / 2);
  EXPECT_DOUBLE_EQ(slow.clock_hz, times.clock_hz / 2);
  EXPECT_DOUBLE_EQ(slow.latency.l2, times.latency.l2);
  EXPECT_DOUBLE_EQ(slow.latency.memory - slow.latency.l2, (times.latency.memory - times.latency.l2) / 2);
}

TEST(KernelCommand, RunsAtTheBoostClockUnlessToldOtherwise) {
  const TemporaryFolder folder;
  const auto file = folder
                        .write("spin.ptx", R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry spin(.param .u64 p, .param .u32 n) {
  .reg .pred %q; .reg .b32 %r<3>; .reg .f32 %f<2>; .reg .b64 %d<2>;
  ld.param.u64 %d1, [p];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, 0;
  mov.f32 %f1, 0f3F800000;
LOOP:
  fma.rn.f32 %f1, %f1, %f1, %f1;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %q, %r2, %r1;
  @%q bra LOOP;
  st.global.f32 [%d1], %f1;
  ret;
}
)")
                        .string();
  const auto clock = [&](const std::string& n, std::vector<std::string> more) {
    std::vector<std::string> arguments = {"kernel", file,     "--grid",  "2048",       "--block", "256",
                                          "--arg",  "1=" + n, "--model", "overlapped", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    if (std::find(more.begin(), more.end(), "--device") == more.end())
      arguments.insert(arguments.end(), {"--device", "nvidia-a100-pcie-40gb"});
    const auto result = sparsecast(arguments, {"SPARSECAST_HOME=" + folder.path().string()});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return nlohmann::json::parse(result.out)["overlap"]["clock_hz"].get<double>();
  };
  EXPECT_EQ(clock("1000", {}), 1410e6);  // boosted, however short the work
  EXPECT_EQ(clock("10000000", {}), 1410e6);
  EXPECT_EQ(clock("1000", {"--clock", "1.2e9"}), 1.2e9);
  EXPECT_EQ(clock("1000", {"--clock", "boost"}), 1410e6);
  EXPECT_EQ(clock("10000000", {"--clock", "base"}), 765e6);
  EXPECT_EQ(clock("1000", {"--device", "nvidia-rtx-2080-ti"}), 1545e6);
}

TEST(OpenclTypes, StructuresOfOpenclSourcesAreAligned) {
  const std::string header = "#define __kernel __global__\ntypedef struct\n{ float s0; } float8;\n";
  const auto found = gpu_code::opencl_vector_structures(header);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(gpu_code::aligned_definition(found[0]), "float8=__align__(32) float8");
  EXPECT_TRUE(gpu_code::opencl_vector_structures("typedef struct { float s0; } float8;").empty());  // plain CUDA
  EXPECT_TRUE(gpu_code::opencl_vector_structures("__kernel void k(float8 x) { float8 y = x; }").empty());
}

TEST(Compiler, FindsParameterNames) {
  using gpu_code::parameter_names;
  EXPECT_EQ(parameter_names("__global__ void f(const float* __restrict__ a, int n) {}", "f"),
            (std::vector<std::string>{"a", "n"}));
  EXPECT_EQ(parameter_names("void f(int x); extern \"C\" __global__ void\n__launch_bounds__(32) f(unsigned char "
                            "*input, // raw\n float b)\n{ f(1); }",
                            "f"),
            (std::vector<std::string>{"input", "b"}));
  EXPECT_TRUE(parameter_names("int g() { return f(1); }", "f").empty());
}

}  // namespace
}  // namespace sparsecast::test
