// What must hold between the forecasts of kernels that differ in one thing, whatever the model's numbers are.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "gpu_code/times/kernel_times.hpp"
#include "support/command.hpp"
#include "support/parts.hpp"

namespace sparsecast::test {
namespace {
using Words = std::vector<std::string>;

class Relations : public ::testing::Test {
 protected:
  /// `work` of thread i on arrays p, q of words, x, y of floats.
  nlohmann::json forecast(const std::string& work, const Words& also = {}, int grid = 4096, int block = 256) {
    const auto source =
        folder_.write("k.cu",
                      "extern \"C\" __global__ void k(int* p, const int* q, float* y, const float* x) {\n"
                      "  __shared__ float s[256];\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  s[0] = 0;\n  " +
                          work + ";\n}\n");
    Words words{"kernel",  source.string(), "--grid", std::to_string(grid), "--block",    std::to_string(block),
                "--model", "overlapped",    "--json", "--device",           "nvidia-a100"};
    words.insert(words.end(), also.begin(), also.end());
    const auto result = sparsecast(words);
    unavailable_ = result.exit_code == 4;
    EXPECT_TRUE(unavailable_ || result.exit_code == 0) << work << result.err;
    return result.exit_code == 0 ? nlohmann::json::parse(result.out) : nlohmann::json{};
  }
  static double part(const nlohmann::json& answer, const char* name) {
    return answer.is_null() ? 0 : answer["estimates"].back()[name].get<double>();
  }
  double seconds(const std::string& work, const Words& also = {}, int grid = 4096, int block = 256) {
    return part(forecast(work, also, grid, block), "seconds");
  }
  static bool says(const nlohmann::json& answer, const char* words) {
    return answer["notes"].dump().find(words) != std::string::npos;
  }

  bool unavailable_ = false;
  TemporaryFolder folder_;
};

// One atomic operation a clock is the most that a second level does on one address (Kepler GK110's whitepaper names it
// as new; an RTX 4090 stays below it, see atomics in profiles/kernel-times).
TEST_F(Relations, AtomicOperationsOnOneAddressFollowEachOther) {
  constexpr double warps = 4096 * 8, lanes = 32;
  const double cycle_s = 1 / gpu_code::kernel_times("nvidia-a100").clock_hz;
  const double joined = seconds("atomicAdd(p, 1)");
  if (unavailable_) SKIP_OR_FAIL(parts::nvcc);
  EXPECT_GE(joined, warps * cycle_s) << "compilers join a warp's whole numbers";
  EXPECT_LT(joined, lanes * warps * cycle_s);
  const double floats = seconds("atomicAdd(y, 1.0f)");
  EXPECT_GE(floats, lanes * warps * cycle_s) << "but not its floats";
  EXPECT_GE(seconds("atomicAdd(y, 1.0f)", {}, 8192), 1.8 * floats);
  EXPECT_GE(seconds("atomicAdd(y + threadIdx.x % 8, 1.0f)"), 4 * warps * cycle_s) << "four lanes an address";
  EXPECT_GE(seconds("atomicAdd(y + blockIdx.x % 4, 1.0f)"), lanes * warps * cycle_s / 4) << "of neighbours, but few";
  EXPECT_GE(seconds("p[i] = atomicAdd(p + (1 << 28), 1)"), warps * cycle_s) << "with a result";
  EXPECT_GE(seconds("if (threadIdx.x == 0) atomicAdd(y, x[i])"), 4096 * cycle_s);
  EXPECT_GE(seconds("for (int k = 0; k < 5000; ++k) atomicAdd(y, x[k])", {}, 64), 5000 * 64 * 8 * lanes * cycle_s)
      << "of a loop that is passed over in part";
}

TEST_F(Relations, LoopsThatStoreInsideGrowWithTheirTurns) {
  const auto source = folder_.write("loop.cu", R"(
extern "C" __global__ void k(float* c, const float* a, int n, int stride) {
#pragma unroll 1
  for (int i = threadIdx.x; i < n; i += stride) c[i] = 2 * a[i];
})");
  const auto by_operations = [&](int turns) {
    const auto result =
        sparsecast({"kernel", source.string(), "--grid", "1", "--block", "1", "--arg", fmt::format("n={}", turns),
                    "--arg", "stride=1", "--model", "operations", "--device", "nvidia-a100", "--json"});
    unavailable_ = result.exit_code == 4;
    EXPECT_TRUE(unavailable_ || result.exit_code == 0) << result.err;
    return unavailable_ ? 0 : part(nlohmann::json::parse(result.out), "seconds");
  };
  const double few = by_operations(4000);
  if (unavailable_) SKIP_OR_FAIL(parts::nvcc);
  // One number is added to another in every turn, and a store waits for the last.
  const double add_s = by_operations(40'000) - few;
  const auto times = gpu_code::kernel_times("nvidia-a100");
  EXPECT_NEAR(add_s, times.seconds(36'000 * times.latency.alu), 0.02 * add_s);
}

TEST_F(Relations, AtomicOperationsOnTheirOwnAddressesDoNot) {
  const double apart = seconds("atomicAdd(y + i, 1.0f)");
  if (unavailable_) SKIP_OR_FAIL(parts::nvcc);
  EXPECT_LT(apart, seconds("atomicAdd(y, 1.0f)") / 20);
  const auto answer = forecast("atomicAdd(y + i, 1.0f)");
  EXPECT_EQ(answer["estimates"].back()["bound_by"], "second-level cache bandwidth");
  EXPECT_FALSE(says(answer, "atomic"));
  EXPECT_LT(seconds("atomicAdd(y + 32 * blockIdx.x, 1.0f)"), seconds("atomicAdd(y, 1.0f)") / 8)
      << "each block has a line of its own";
}

TEST_F(Relations, AtomicOperationsAtUnknownAddressesMayMeet) {
  const auto unknown = forecast("atomicAdd(y + q[i], 1.0f)");
  if (unavailable_) SKIP_OR_FAIL(parts::nvcc);
  const double together = seconds("atomicAdd(y, 1.0f)");
  EXPECT_GE(part(unknown, "high_s"), 0.9 * together);
  EXPECT_LT(part(unknown, "seconds"), together / 4);
  EXPECT_TRUE(says(unknown, "depends on data"));
  const auto in_shared =
      forecast("for (int k = 0; k < 16; ++k) atomicAdd((int*)s + (q[i + k] & 255), 1); y[i] = s[threadIdx.x]");
  EXPECT_TRUE(says(in_shared, "depends on data"));
  const auto zeros = folder_.write("zeros.i32", std::string(4 * 1048576, '\0'));
  EXPECT_GE(seconds("atomicAdd(y + q[i], 1.0f)", {"--buffer", "q=" + zeros.string()}), 0.9 * together);
}

TEST_F(Relations, WhatAWarpAgreesOnIsKnown) {
  const auto leader =
      forecast("unsigned m = __activemask(); if ((threadIdx.x & 31) == __ffs(m) - 1) atomicAdd(y, (float)__popc(m))");
  if (unavailable_) SKIP_OR_FAIL(parts::nvcc);
  const double one_a_warp = seconds("if ((threadIdx.x & 31) == 0) atomicAdd(y, 1.0f)");
  EXPECT_NEAR(part(leader, "seconds"), one_a_warp, 0.2 * one_a_warp);
  EXPECT_FALSE(says(leader, "diverge"));
  const auto ballot = forecast(
      "unsigned m = __ballot_sync(~0u, threadIdx.x & 1); if (threadIdx.x % 32 == __ffs(m)) "
      "atomicAdd(y, (float)__popc(m))");
  EXPECT_NEAR(part(ballot, "seconds"), one_a_warp, 0.2 * one_a_warp);
}

TEST_F(Relations, FunctionsOfAnglesGoTheirCommonWay) {
  const double copied = seconds("y[i] = x[i] + 1", {}, 65536);
  if (unavailable_) SKIP_OR_FAIL(parts::nvcc);
  for (const char* work : {"y[i] = sinf(x[i])", "y[i] = cosf(x[i])", "y[i] = tanf(x[i])",
                           "float a, b; sincosf(x[i], &a, &b); y[i] = a * b", "y[i] = sinf(x[i]) + cosf(x[i])"}) {
    const auto answer = forecast(work, {}, 65536);
    EXPECT_LT(part(answer, "seconds"), 1.6 * copied) << work;
    EXPECT_TRUE(says(answer, "105,615")) << work;
  }
  for (const char* work : {"y[i] = expf(x[i])", "y[i] = logf(x[i])", "y[i] = __sinf(x[i])"}) {
    const auto answer = forecast(work, {}, 65536);
    EXPECT_LT(part(answer, "seconds"), 1.2 * copied) << work;
    EXPECT_FALSE(says(answer, "105,615")) << work;
  }
}

// Double precision: their long ways stand in functions, and their coefficients in a table of 128 bytes.
TEST_F(Relations, FunctionsOfDoublesGoTheirCommonWayAndReadTheirTables) {
  const auto doubles = [&](const std::string& work) {
    return forecast("const double* a = (const double*)x; double* b = (double*)y; " + work, {}, 65536);
  };
  const double copied = part(doubles("b[i] = a[i] + 1"), "seconds");
  if (unavailable_) SKIP_OR_FAIL(parts::nvcc);
  for (const char* work : {"b[i] = sin(a[i])", "b[i] = cos(a[i]) + sin(a[i])", "b[i] = tan(a[i])"}) {
    const auto answer = doubles(work);
    EXPECT_LT(part(answer, "seconds"), 2 * copied) << work;
    EXPECT_GE(part(answer, "seconds"), 0.99 * copied) << work;
    EXPECT_TRUE(says(answer, "2,147,483,648")) << work;
  }
  for (const char* work : {"b[i] = exp(a[i])", "b[i] = pow(a[i], 2.5)", "b[i] = atan2(a[i], 2.0)"}) {
    const auto answer = doubles(work);
    EXPECT_LT(part(answer, "seconds"), 3 * copied) << work;
    EXPECT_GE(part(answer, "seconds"), 0.99 * copied) << work;
  }
}

// A table's lines are few, whatever the subscripts.
TEST_F(Relations, UnknownSubscriptsStayWithinATable) {
  const double copied = seconds("y[i] = q[i]", {}, 65536);
  if (unavailable_) SKIP_OR_FAIL(parts::nvcc);
  const double gathered = seconds("y[i] = x[q[i]]", {}, 65536);
  const auto table = [&](int elements) {
    return seconds(fmt::format("static __device__ float t[{}]; y[i] = t[q[i]]", elements), {}, 65536);
  };
  EXPECT_LT(table(32), 1.5 * copied);
  EXPECT_LE(table(32), 1.02 * table(4096));
  EXPECT_GT(table(16'000'000), 0.7 * gathered);
}

// The same work, written otherwise.
TEST_F(Relations, HowSourceIsWrittenDoesNotCount) {
  const double plain = seconds("if (i % 2) y[i] = x[i] * 2; else y[i] = x[i] + 3");
  if (unavailable_) SKIP_OR_FAIL(parts::nvcc);
  const auto near = [&](const char* work, double times) { EXPECT_NEAR(seconds(work), times, 0.03 * times) << work; };
  near("if (i % 2 == 0) y[i] = x[i] + 3; else y[i] = x[i] * 2", plain);
  near("float value_of_x = x[i];\n if (i % 2)\n  y[i] =\n value_of_x * 2;\n else\n y[i] = value_of_x + 3", plain);
  const double loaded = seconds("y[i] = x[i] + 1");
  near("y[i] = __ldg(x + i) + 1", loaded);
  near("long long j = (long long)blockIdx.x * blockDim.x + threadIdx.x; y[j] = x[j] + 1", loaded);
  EXPECT_GE(seconds("y[i] = x[i] + x[i + (1 << 22)] + 1"), loaded) << "more work";
}

TEST_F(Relations, ARowOfATableHasItsOwnInterval) {
  const auto source = folder_.write("k.cu",
                                    "extern \"C\" __global__ void k(float* y, const float* x) { float s = 0; int i "
                                    "= blockIdx.x * blockDim.x + threadIdx.x; for (int k = 0; k < N; ++k) s += "
                                    "x[i + k * 65536]; y[i] = s; }");
  const auto intervals = [&](const std::string& rows) {
    const auto table = folder_.write("t.tsv", "kernel\tgrid\tblock\tdefines\n" + rows);
    const auto result = sparsecast({"kernel", source.string(), "--table", table.string(), "--json"});
    unavailable_ = result.exit_code == 4;
    return result.exit_code == 0 ? nlohmann::json::parse(result.out)["cases"] : nlohmann::json{};
  };
  const auto alone = intervals("k\t4096\t256\tN=4\n");
  if (unavailable_) SKIP_OR_FAIL(parts::nvcc);
  const auto among = intervals("k\t4096\t256\tN=4\nk\t4096\t256\tN=90\nk\t64\t32\tN=1\n");
  ASSERT_EQ(alone.size(), 1U);
  ASSERT_EQ(among.size(), 3U);
  EXPECT_EQ(alone[0]["low_s"], among[0]["low_s"]);
  EXPECT_EQ(alone[0]["high_s"], among[0]["high_s"]);
  const auto single = forecast("(void)0");
  EXPECT_GT(part(single, "high_s"), part(single, "low_s"));
}

TEST_F(Relations, ConfigurationsThatCannotRunAreSkipped) {
  const auto source = folder_.write("k.cu",
                                    "extern \"C\" __global__ void k(float* y) { y[blockIdx.x * block_size_x + "
                                    "threadIdx.x] = block_size_x == 96 ? missing : 1.0f; }\n");
  const auto space = folder_.write("k.json", R"({"ConfigurationSpace": {"TuningParameters": [
      {"Name": "block_size_x", "Type": "int", "Values": [32, 96, 128, 2048]},
      {"Name": "less", "Type": "int", "Values": [0, 128]}], "Conditions": []},
    "KernelSpecification": {"KernelName": "k", "ProblemSize": [1000000], "LocalSize": {"X": "block_size_x - less"},
      "GridDivX": ["block_size_x"]}})");
  const auto source_ok = folder_.write("ok.cu",
                                       "extern \"C\" __global__ void k(float* y) { "
                                       "y[blockIdx.x * block_size_x + threadIdx.x] = 1.0f; }\n");
  const auto result = sparsecast({"kernel", source_ok.string(), "--space", space.string(), "--json"});
  if (result.exit_code == 4) SKIP_OR_FAIL(parts::nvcc);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto answer = nlohmann::json::parse(result.out);
  EXPECT_EQ(answer["refused"], 5) << "blocks of -96, -32, 0 and of 1,920 and 2,048 threads";
  EXPECT_EQ(answer["ranking"].size(), 3U);
  EXPECT_EQ(answer["settled"], true) << "no other is left";
  const auto text = sparsecast({"kernel", source_ok.string(), "--space", space.string()});
  EXPECT_NE(text.out.find("5 configurations were skipped, the first because of this: "), std::string::npos) << text.out;
  const auto broken = sparsecast({"kernel", source.string(), "--space", space.string(), "--json"});
  EXPECT_EQ(broken.exit_code, 3) << "none can be compiled";
}
}  // namespace
}  // namespace sparsecast::test
