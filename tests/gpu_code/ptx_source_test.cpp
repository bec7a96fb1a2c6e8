// Where PTX comes from: every form of .file, and OpenCL C from its source to the forecast, with the lines of the
// source.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sparsecast/error.hpp>

#include "base/child_process.hpp"
#include "gpu_code/compile/compiler.hpp"
#include "gpu_code/ptx/ptx.hpp"
#include "gpu_code/ptx/ptx_kernel_parser.hpp"
#include "gpu_code/ptx/ptx_parser.hpp"
#include "gpu_code/ptx/ptx_source.hpp"
#include "support/command.hpp"
#include "support/parts.hpp"

namespace sparsecast::gpu_code {
namespace {

const std::string kernel_text = R"(.version 7.0
.target sm_80, debug
.address_size 64
.visible .entry k(.param .u64 p)
{
  .reg .b64 %rd<3>;
  .loc 1 7 3
  ld.param.u64 %rd1, [p];
  .loc 1 0 3
  mov.u64 %rd2, %rd1;
  .loc 2 4 1, function_name $info, inlined_at 1 8 2
  st.global.u64 [%rd2], %rd1;
  ret;
}
)";

std::vector<std::string> files_of(const std::string& directives) {
  return parse_ptx(kernel_text + directives, "k.ptx").source_files;
}

TEST(FileDirective, IsReadInEveryForm) {
  using Files = std::vector<std::string>;
  EXPECT_EQ(files_of(".file 1 \"a.cu\"\n"), (Files{"", "a.cu"}));
  EXPECT_EQ(files_of(".file 1 \"/s/a.cu\", 1700000000, 4242\n.file 2 \"b.h\"\n"), (Files{"", "/s/a.cu", "b.h"}));
  // clang: the folder first, where the compiler was called.
  EXPECT_EQ(files_of("\t.file\t1 \"/s\" \"sub/a.cl\"\n\t.section\t.debug_loc\t{\t}\n"), (Files{"", "/s/sub/a.cl"}));
  EXPECT_EQ(files_of(".file 1 \"/s\" \"/t/a.cl\"\n"), (Files{"", "/t/a.cl"}));
  EXPECT_EQ(files_of(".file 1 \"/s\" \"a.cl\" md5 0x0123456789abcdef0123456789abcdef source \"int;\"\n.file 2 \"b\"\n"),
            (Files{"", "/s/a.cl", "b"}));
  EXPECT_EQ(files_of(R"(.file 1 "/a \"quoted\" folder" "back\\slash.cl")"),
            (Files{"", R"(/a "quoted" folder/back\slash.cl)"}));
}

TEST(FileDirective, MayStandInAKernel) {
  std::string text = kernel_text;
  text.insert(text.find("  .loc 1 7"), "  .file 1 \"/s\" \"a.cl\"\n");
  EXPECT_EQ(parse_ptx(text, "k.ptx").source_files, (std::vector<std::string>{"", "/s/a.cl"}));
}

TEST(FileDirective, IsRefusedWhereItIsNone) {
  for (const char* const bad : {".file", ".file 1", ".file 1 name", ".file 1 \"open", ".file 1 \"a\", \"b\""})
    EXPECT_THROW((void)files_of(bad), Error) << bad;
}

TEST(SourcePlace, OfPtxIsItsOwnLine) {
  const auto module = parse_ptx(kernel_text + ".file 1 \"/s\" \"a.cl\"\n.file 2 \"/s\" \"b.h\"\n", "k.ptx");
  const Place place = source_place(module, module.kernels[0].body[0]);
  EXPECT_EQ(place.file, "k.ptx");
  EXPECT_EQ(place.line, 8);
  EXPECT_EQ(shown_line(module, module.kernels[0].body[0]), 7);
}

TEST(SourcePlace, OfCompiledCodeIsInTheUsersFile) {
  const auto module = parse_ptx(kernel_text + ".file 1 \"/s\" \"sub/a.cl\"\n.file 2 \"/s\" \"b.h\"\n", "sub/a.cl");
  const auto& body = module.kernels[0].body;
  EXPECT_EQ(source_place(module, body[0]).file, "sub/a.cl");
  EXPECT_EQ(source_place(module, body[0]).line, 7);
  EXPECT_EQ(shown_line(module, body[0]), 7);
  EXPECT_EQ(source_place(module, body[1]).line, 0) << "the compiler gives no line";
  EXPECT_EQ(shown_line(module, body[1]), 0);
  EXPECT_EQ(source_place(module, body[2]).file, "/s/b.h");
  EXPECT_EQ(source_place(module, body[2]).line, 4);
  EXPECT_EQ(shown_line(module, body[2]), 0) << "a line of the header is none of the user's file";
}

class OpenCl : public testing::Test {
 protected:
  void SetUp() override {
    if (base::find_program("clang").empty()) SKIP_OR_FAIL(test::parts::clang);
  }
  [[nodiscard]] test::CommandResult forecast(const std::string& file, std::vector<std::string> more) const {
    std::vector<std::string> words{"kernel", file, "--grid", "64", "--block", "128", "--device", "nvidia-a100"};
    words.insert(words.end(), more.begin(), more.end());
    return test::sparsecast(words, {"SPARSECAST_HOME=" + folder.path().string()});
  }
  const test::TemporaryFolder folder;
};

TEST_F(OpenCl, RunsFromItsSourceToTheForecast) {
  const std::string file = folder.write("axpy.cl", R"(
__kernel void axpy(__global const float* x, __global float* y, float a, int n) {
  const int i = get_global_id(0);
  if (i < n)
    y[i] = y[i] + a * x[i];
}
)");
  const std::string graph = folder.path() / "g.json";
  const auto result = forecast(file, {"--kernel", "axpy", "--arg", "n=8192", "--json", "--graph", graph});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto document = nlohmann::json::parse(result.out);
  EXPECT_EQ(document["kernel"], "axpy");
  for (const auto& estimate : document["estimates"]) EXPECT_GT(estimate["seconds"].get<double>(), 0);
  // Two loads and a store of 4 bytes for each of the 8192 threads.
  EXPECT_EQ(document["overlap"]["l2_bytes"].get<double>(), 3 * 4 * 8192);
  std::set<int> lines;
  const auto drawn = nlohmann::json::parse(test::read_text(graph));
  for (const auto& node : drawn["nodes"])
    if (node.contains("line")) lines.insert(node["line"].get<int>());
  ASSERT_FALSE(lines.empty());
  EXPECT_TRUE(lines.contains(5)) << "the line of the loads";
  EXPECT_GE(*lines.begin(), 2);
  EXPECT_LE(*lines.rbegin(), 5);
}

TEST_F(OpenCl, NamesTheUsersLine) {
  const std::string text = R"(__kernel void sums(__global const int* ends, __global float* y, float a) {
  const int i = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < ends[i]; ++k)
    sum = sum * a + y[k];
  y[i] = sum;
}
)";
  // The same text twice: what is kept of the first must not name the first file for the second.
  for (const char* const name : {"one.cl", "two.cl"}) {
    const auto result = forecast(folder.write(name, text), {});
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_NE(result.err.find(std::string("/") + name + ":4: the trip count of the loop"), std::string::npos)
        << result.err;
  }
}

}  // namespace
}  // namespace sparsecast::gpu_code
