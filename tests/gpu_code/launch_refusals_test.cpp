// Launches, arguments and measured times that no device has: they are refused, not forecast.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "gpu_code/space/tuning_problem.hpp"
#include "gpu_code/times/time_belief.hpp"
#include "gpu_code/tuning_space.hpp"
#include "support/command.hpp"
#include "support/parts.hpp"

namespace sparsecast::test {
namespace {
using namespace gpu_code;

class LaunchRefusals : public ::testing::Test {
 protected:
  /// A kernel of the bounds given that stores one number a thread.
  static std::string kernel(const std::string& bounds, const std::string& parameter = ".u32") {
    return R"(.version 7.8
.target sm_80
.address_size 64
.extern .shared .align 16 .b8 dynamic[];
.visible .entry k(.param .u64 y, .param )" +
           parameter + " n)\n" + bounds + R"(
{
.reg .b32 %r<4>;
.reg .b64 %rd<4>;
ld.param.u64 %rd1, [y];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd2, %r1, 4;
add.s64 %rd3, %rd1, %rd2;
st.global.u32 [%rd3], %r1;
ret;
})";
  }

  [[nodiscard]] CommandResult launched(const std::string& text, const std::vector<std::string>& options,
                                       const std::string& device = "nvidia-a100") const {
    std::vector<std::string> command{"kernel", folder_.write("k.ptx", text).string(), "--device", device, "--json"};
    command.insert(command.end(), options.begin(), options.end());
    return sparsecast(command);
  }

  void refused(const std::string& text, const std::vector<std::string>& options, const std::string& reason) const {
    const auto result = launched(text, options);
    EXPECT_EQ(result.exit_code, 2) << result.out;
    EXPECT_NE(result.err.find(reason), std::string::npos) << result.err;
  }

  TemporaryFolder folder_;
};

// Such a launch fails on the device, or its size was left out: then fewer blocks are resident than was reckoned with.
TEST_F(LaunchRefusals, SharedMemoryThatIsReachedAndWasNotGivenIsTold) {
  std::string shared = kernel("");
  shared.insert(shared.find("mul.wide"),
                "mov.u32 %r2, dynamic;\nshl.b32 %r3, %r1, 2;\nadd.s32 %r3, %r3, %r2;\n"
                "st.shared.u32 [%r3], %r1;\n");
  const auto told = [&](const char* bytes) {
    const auto result = launched(shared, {"--grid", "64", "--block", "256", "--shared-bytes", bytes});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out.find("threads reach byte 1024 of their block's shared memory") != std::string::npos;
  };
  EXPECT_TRUE(told("0"));
  EXPECT_TRUE(told("1023"));
  EXPECT_FALSE(told("1024"));
  EXPECT_FALSE(told("4096"));
}

TEST_F(LaunchRefusals, BlocksBeyondTheKernelsLaunchBounds) {
  const auto bounded = kernel(".maxntid 128, 2, 1\n.minnctapersm 2");
  EXPECT_EQ(launched(bounded, {"--grid", "64", "--block", "256"}).exit_code, 0);
  refused(bounded, {"--grid", "64", "--block", "257"}, "a block of 257x1x1 does not launch: the launch bounds of k");
  const auto required = kernel(".reqntid 64");
  EXPECT_EQ(launched(required, {"--grid", "64", "--block", "64"}).exit_code, 0);
  refused(required, {"--grid", "64", "--block", "32x2"}, "k is compiled for blocks of 64x1x1");
}

// CUDA C++ Programming Guide, technical specifications per compute capability.
TEST_F(LaunchRefusals, GridsAndBlocksBeyondTheDevices) {
  const auto free = kernel("");
  EXPECT_EQ(launched(free, {"--grid", "1x65535", "--block", "1x1x64"}).exit_code, 0);
  refused(free, {"--grid", "1x65536", "--block", "32"}, "65536 blocks in y do not launch: NVIDIA's limit is 65535");
  refused(free, {"--grid", "1x1x65536", "--block", "32"}, "65536 blocks in z");
  refused(free, {"--grid", "1", "--block", "1x1x65"}, "65 threads in z do not launch: NVIDIA's limit is 64");
}

TEST_F(LaunchRefusals, ArgumentsThatAreNotOfTheParametersType) {
  const auto launch = [](const std::string& value) {
    return std::vector<std::string>{"--grid", "64", "--block", "64", "--arg", "n=" + value};
  };
  for (const auto* value : {"4294967295", "-2147483648", "7.0", "0xffffffff"})
    EXPECT_EQ(launched(kernel(""), launch(value)).exit_code, 0) << value;
  for (const auto* value : {"4294967296", "-2147483649", "5.5", "1e12", "0x100000000"})
    refused(kernel(""), launch(value), "not a whole number of 4 bytes");
  // A number without a kind may be a float, as clang writes them.
  for (const auto* value : {"5.5", "1e12", "7"})
    EXPECT_EQ(launched(kernel("", ".b32"), launch(value)).exit_code, 0) << value;
}

// Which of two counted was the order's of a map: nobody is asked to know it.
TEST_F(LaunchRefusals, WhatIsGivenTwice) {
  const auto zeros = folder_.write("zeros", std::string(4, '\0')).string();
  const auto launch = [](std::vector<std::string> more) {
    more.insert(more.end(), {"--grid", "64", "--block", "64"});
    return more;
  };
  refused(kernel(""), launch({"--arg", "n=1", "--arg", "n=2"}), "--arg n=2: n is given twice");
  refused(kernel(""), launch({"--arg", "n=1", "--arg", "1=1"}),
          "parameter 1 of kernel k is given twice, as 1 and as n");
  refused(kernel(""), launch({"--arg", "y=4096", "--buffer", "y=" + zeros}), "as a value and as a buffer");
  refused(kernel(""), launch({"--buffer", "y=" + zeros, "--buffer", "y=" + zeros}), "y is given twice");
  refused(kernel(""), launch({"--trip", "a=1", "--trip", "a=1"}), "a is given twice");
  refused(kernel(""), launch({"--define", "A=1", "--define", "A"}), "--define A: that macro is given twice");
  EXPECT_EQ(launched(kernel(""), launch({"--arg", "n=1", "--arg", "0=4096"})).exit_code, 0);
}

TEST_F(LaunchRefusals, DynamicSharedMemoryWithoutASizeIsSaid) {
  auto text = kernel("");
  text.replace(text.find("mov.u32 %r1, %tid.x;"), 0, "mov.u32 %r2, dynamic;\nst.shared.u32 [%r2], %r2;\n");
  const auto says = [&](const std::vector<std::string>& options) {
    std::vector<std::string> all{"--grid", "64", "--block", "64"};
    all.insert(all.end(), options.begin(), options.end());
    return launched(text, all).out.find("uses dynamic shared memory, whose size was not given") != std::string::npos;
  };
  EXPECT_TRUE(says({}));
  EXPECT_FALSE(says({"--shared-bytes", "1024"}));
  text = kernel("");
  EXPECT_FALSE(says({})) << "it is declared and not used";
}

TEST_F(LaunchRefusals, BlocksThatASpaceDoesNotTell) {
  const std::string cache = R"({"kernel_name": "k", "problem_size": [4096], "tune_params_keys": ["bx"],
    "tune_params": {"bx": [32, 64]}, "cache": {"32": {"bx": 32}, "64": {"bx": 64}}})";
  const auto first_row = [&](const ProblemSettings& settings) {
    return TuningProblem(cache, "cache.json", settings).row(std::vector<std::uint16_t>{0});
  };
  EXPECT_EQ(first_row({"", {}, "", "bx"}).block[0], 32);
  EXPECT_THROW((void)first_row({}), Error);
}

std::vector<TuningRow> two_rows() {
  std::vector<TuningRow> rows(2);
  rows[0].defines = {"bx=32", "tile=1"};
  rows[1].defines = {"bx=32", "tile=2"};
  return rows;
}

/// Each is forecast to take 1 ms.
KernelTable forecast_of(const std::vector<TuningRow>& rows) {
  KernelTable table;
  for (std::size_t i = 0; i < rows.size(); ++i)
    table.configurations.push_back(
        {static_cast<std::int64_t>(i) + 1, {{"overlapped", 1e-3, 0.9e-3, 1.1e-3, "issue"}}, {}, rows[i].defines});
  return table;
}

TEST(AnchorRefusals, NameOneRowOnce) {
  const auto rows = two_rows();
  const auto anchored = [&](const std::vector<std::string>& anchors) {
    std::vector<KernelAnchor> parsed;
    for (const auto& text : anchors) parsed.push_back(parse_anchor(text));
    return anchored_report(forecast_of(rows), rows, kernel_times("nvidia-a100"), parsed, 0);
  };
  EXPECT_EQ(anchored({"bx=32,tile=2=0.002"}).cases.size(), 1u);
  EXPECT_EQ(anchored({"tile=1=0.002"}).cases.size(), 1u);
  EXPECT_THROW((void)anchored({"bx=32=0.002"}), Error) << "both rows";
  EXPECT_THROW((void)anchored({"1=0.002", "1=0.003"}), Error) << "two times of one row";
  EXPECT_THROW((void)anchored({"tile=1=0.002", "1=0.002"}), Error);
}

// Milliseconds, microseconds: a forecast moved so far lay outside of its own interval.
TEST(AnchorRefusals, AreOfTheForecastsUnit) {
  const auto times = kernel_times("nvidia-a100");
  for (const double off : {0.05, 20.0}) {
    const TimeBelief belief(times, 0.1, {{1, off, false}});
    EXPECT_LT(belief.interval(1, false).low_s, belief.scale(false));
    EXPECT_GT(belief.interval(1, false).high_s, belief.scale(false));
  }
  for (const double off : {1e-3, 1e3, 1e6}) EXPECT_THROW(TimeBelief(times, 0.1, {{1, off, false}}), Error) << off;
}

// One instantiation of a template has other resources than another, on AMD's boards too.
TEST_F(LaunchRefusals, KernelsAreToldApartAsTheSourceNamesThem) {
  const std::string text =
      "template <int N> __global__ void k(float* y, float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  float s = 0; for (int j = 0; j < N; ++j) s += x[i + j * 4096]; y[i] = s; }\n"
      "template __global__ void k<1>(float*, float*, int);\ntemplate __global__ void k<64>(float*, float*, int);\n"
      "namespace a { __global__ void one(float* y) { y[threadIdx.x] = 1; } }\n"
      "namespace b { __global__ void one(float* y) { y[threadIdx.x] = 2; } }\n";
  for (const auto& [file, device] : {std::pair{"k.cu", "nvidia-a100"}, {"k.hip", "amd-mi250x"}}) {
    const auto source = folder_.write(file, text).string();
    const auto asked = [&](const std::string& kernel) {
      return sparsecast(
          {"kernel", source, "--kernel", kernel, "--grid", "4096", "--block", "256", "--device", device, "--json"});
    };
    const auto one = asked("k<1>"), many = asked("k< 64 >");
    if (one.exit_code == 4) SKIP_OR_FAIL(parts::nvcc);
    ASSERT_EQ(one.exit_code, 0) << one.err;
    ASSERT_EQ(many.exit_code, 0) << many.err;
    const auto seconds = [](const CommandResult& result) {
      return nlohmann::json::parse(result.out)["estimates"].back()["seconds"].get<double>();
    };
    EXPECT_GT(seconds(many), 3 * seconds(one)) << device;
    EXPECT_EQ(asked("a::one").exit_code, 0);
    EXPECT_EQ(
        sparsecast({"kernel", source, "--kernel", "k<1>", "--grid", "64", "--block", "64", "--arg", "n=1"}).exit_code,
        0);
    EXPECT_NE(asked("none").err.find("k<1>, k<64>, a::one, b::one"), std::string::npos) << asked("none").err;
    for (const auto* several : {"k", "one"})
      EXPECT_NE(asked(several).err.find("there is more than one kernel"), std::string::npos) << several;
  }
}

TEST_F(LaunchRefusals, OptionsThatATableDecides) {
  const auto source =
      folder_.write("k.cu",
                    "extern \"C\" __global__ void k(float* y) { y[blockIdx.x * N + threadIdx.x] = M; }\n"
                    "extern \"C\" __global__ void other(float* y) { y[threadIdx.x] = 1; }\n");
  const auto asked = [&](const std::string& table, const std::vector<std::string>& options) {
    std::vector<std::string> command{"kernel", source.string(), "--table", folder_.write("t.tsv", table).string(),
                                     "--json"};
    command.insert(command.end(), options.begin(), options.end());
    return sparsecast(command);
  };
  const std::string unnamed = "grid\tblock\tdefines\n64\t64\tN=64\n";
  const auto both = asked(unnamed, {"--kernel", "k", "--define", "M=2"});
  if (both.exit_code == 4) SKIP_OR_FAIL(parts::nvcc);
  ASSERT_EQ(both.exit_code, 0) << both.err;
  EXPECT_EQ(nlohmann::json::parse(both.out)["kernel"], "k");
  const std::string of_other = "kernel\tgrid\tblock\tdefines\nother\t64\t64\tN=64 M=1\n";
  EXPECT_EQ(asked(of_other, {"--kernel", "k"}).exit_code, 2);
  EXPECT_EQ(asked(of_other, {"--define", "N=32"}).exit_code, 2);
  EXPECT_EQ(asked(of_other, {"--grid", "64", "--block", "64"}).exit_code, 2);
  EXPECT_EQ(asked(of_other, {"--define", "N=64"}).exit_code, 0);
  const auto again = asked("kernel\tgrid\tblock\tdefines\nother\t64\t64\tN=64 M=1 N=32\n", {});
  EXPECT_EQ(again.exit_code, 3);
  EXPECT_NE(again.err.find(":2:22: defines N=32: that macro is given twice"), std::string::npos) << again.err;
  EXPECT_NE(asked("grid\tblock\tseconds\tseconds\n64\t64\t1\t2\n", {}).err.find(":1:20: column 'seconds' occurs twice"),
            std::string::npos);
  EXPECT_EQ(asked("grid\tblock\targs\n64\t64\ty=1 y=2\n", {"--kernel", "other"}).exit_code, 3);
}
}  // namespace
}  // namespace sparsecast::test
