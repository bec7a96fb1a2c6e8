// Machine code against the PTX it came from: both machines must touch the same lines. And what the forecasts make of
// known access patterns. Needs nvcc and ptxas.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sparsecast/error.hpp>

#include "gpu_code/banks_kernel.hpp"
#include "gpu_code/compile/assembler.hpp"
#include "gpu_code/compile/compiler.hpp"
#include "gpu_code/compile/tool_folder.hpp"
#include "gpu_code/kernel_analysis.hpp"
#include "gpu_code/overlap/overlap_model.hpp"
#include "gpu_code/ptx/ptx.hpp"
#include "gpu_code/ptx/ptx_parser.hpp"
#include "gpu_code/sass/cubin.hpp"
#include "gpu_code/sass/sass_machine.hpp"
#include "gpu_code/times/kernel_times.hpp"
#include "gpu_code/trace/warp_run.hpp"
#include "support/command.hpp"
#include "support/parts.hpp"

namespace sparsecast::gpu_code {
namespace {

constexpr const char* source = R"(
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define K(name, index) \
  extern "C" __global__ void name(const float* x, float* y, int n, int s) { int i = I; y[i] = x[index]; }
K(remainder_signed, (i * 32) % n)
K(remainder_unsigned, ((unsigned)i * 32u) % (unsigned)n)
K(remainder_constant, (i * 32) % 1000003)
K(quotient_signed, (i * 5) / s)
K(quotient_constant, (i * 5) / 7)
K(remainder_twice, ((i + s) % n + n) % n)
K(smallest, min(min(i, s), n))
K(clamped, min(max(i - s, 0), n - 1))
K(clamped_constant, max(min(i - 5, n - 1), 0))
K(smaller_unsigned, min((unsigned)i * 3u, (unsigned)n))
K(absolute, abs(i - 1000))
K(field, (i >> 3) & 63)
K(narrow, (int)(short)(i * 7) + 40000)
K(chosen, i < s ? i * 2 : (i < n ? i + s : 7))
K(reversed, __brev(i) >> 8)
K(zeros, __clz(i) * 32)
K(first_set, __ffs(i) * 32)
K(rotated, ((i << 7) | ((unsigned)i >> 25)) & 0xffffff)
K(high_product, __umulhi(i * 65536u, s * 65536u))
K(wide_product, (long long)i * s)
K(hashed, ((i * 2654435761u) ^ (i >> 13)) & 0xfffff)
K(through_float, (int)floorf((float)i * 0.25f))
K(float_smaller, (int)fminf((float)i, 100.5f))
K(difference, __sad(i, s, n))
K(two_dimensions, (threadIdx.x % 16) * s + threadIdx.x / 16 + blockIdx.x * n)
extern "C" __global__ void uniform(const float* x, float* y, int n, int s) {
  int b = blockIdx.x, r = b / s, c = b % s, k = min(r, 5) + max(c, 2);
  y[I] = x[k * n + threadIdx.x];
}
extern "C" __global__ void through_shared(const float* x, float* y, int n, int s) {
  __shared__ int t[256];
  t[threadIdx.x] = (threadIdx.x * 7) & 255;
  __syncthreads();
  y[I] = x[t[threadIdx.x ^ 1] * s];
}
extern "C" __global__ void loop(const float* x, float* y, int n, int s) {
  float a = 0;
  for (int j = threadIdx.x; j < n / 1000; j += s) a += x[j * 3 % n];
  y[I] = a;
}
__constant__ int table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
extern "C" __global__ void from_table(const float* x, float* y, int n, int s) {
  y[I] = x[table[threadIdx.x & 15] * s + blockIdx.x];
}
// Comparisons whose outcome is not known: both sides are walked, whatever the predicate's register held before. (What is
// read in front of them has the addresses computed without a predicate.)
#define D(name, condition) \
  extern "C" __global__ void name(const float* x, float* y, int n, int s) { \
    int i = I; \
    double a = ((const double*)x)[i], b = ((const double*)x)[i + n]; \
    float* where = y + i + n; \
    float c = *where; \
    if (i < n) y[i] = a; \
    if (condition) *where = c + 1; \
  }
D(doubles, a < b)
D(doubles_with_signs, -a > fabs(b) + 2)
D(doubles_and_bounds, fabs(a) > 3.5 || b >= s)
extern "C" __global__ void predicate_of_a_shuffle(const float* x, float* y, int n, int s) {
  int i = I, v = (int)x[i], r = 0;
  float* where = y + i + n;
  if (i < n) y[i] = v + *where;
  asm volatile("{ .reg .pred p; shfl.sync.up.b32 %0|p, %1, 1, 0, -1; @!p mov.b32 %0, 0;\n"
               "  @p st.global.f32 [%2], 0f3F800000; }"
               : "=r"(r) : "r"(v), "l"(where));
  y[i + 2 * n] = r;
}
// Predicates that are kept in a register, and bits of one that become predicates.
extern "C" __global__ void guards(const float* x, float* y, int n, int s) {
  int i = threadIdx.x;
  bool a = i < s, b = i + 32 < s, c = i + 64 < 3 * s, d = i + 96 < 4 * s, e = i < n, f = i + 32 < s * s, g = i + 77 < 99;
  float t = 0;
  for (int k = 0; k < s; ++k) {
    float v = x[k * n + i];
    if (a) t += v;
    if (b) t += x[k * n + 300 + i];
    __syncthreads();
    if (c) t -= x[k * n + 600 + i];
    if (d) y[k * 1000 + i] = t;
    if (e) t += x[k * n + 900 + i];
    if (f) y[k * 1000 + 400 + i] = v;
    if (g) t += y[k * 3 + i];
    __syncthreads();
  }
  y[I] = t;
}
extern "C" __global__ void bits(const float* x, float* y, int n, int s) {
  unsigned m = (I * 2654435761u) >> 4;
  float t = 0;
#pragma unroll
  for (int j = 0; j < 28; ++j)
    if (m & (1u << j)) t += x[j * n + I];
  y[I] = t;
}
)";

class MachineCode : public ::testing::TestWithParam<int> {};

TEST_P(MachineCode, TouchesTheLinesThatItsPtxTouches) {
  if (find_cuda_tool("nvcc").empty() || find_cuda_tool("ptxas").empty()) SKIP_OR_FAIL(test::parts::nvcc);
  const test::TemporaryFolder folder;
  const auto code = load_code(folder.write("k.cu", source), "", {}, test::of_architecture(GetParam()), false);
  const auto module = parse_ptx(code.ptx, code.file);
  const auto assembled = assemble(code.ptx, GetParam());
  ASSERT_TRUE(assembled.available);
  ASSERT_GT(module.kernels.size(), 25u);
  for (const auto& kernel : module.kernels) {
    Launch launch;
    launch.grid = {65536, 1, 1};
    launch.block = {256, 1, 1};
    launch.arguments = {{"2", "16777216"}, {"3", "37"}};
    const PtxCode ptx(module, kernel, launch);
    const auto cubin = read_cubin(assembled.cubin, kernel.name, code.file);
    const SassCode sass(cubin, ptx, launch, assembled.architecture);
    const auto a = run_block(ptx, launch, {32769, 0, 0}, {}), b = run_block(sass, launch, {32769, 0, 0}, {});
    EXPECT_EQ(a.unknown_addresses, 0) << kernel.name;
    EXPECT_EQ(b.unknown_addresses, 0) << kernel.name;
    const auto same = [](const std::vector<LineAccess>& x, const std::vector<LineAccess>& y) {
      return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const LineAccess& p, const LineAccess& q) {
        return p.line == q.line && p.sectors == q.sectors;
      });
    };
    EXPECT_TRUE(same(a.loaded, b.loaded)) << kernel.name;
    EXPECT_TRUE(same(a.stored, b.stored)) << kernel.name;
  }
}

constexpr const char* calling = R"(
__device__ __noinline__ int scaled(int a, int b) {
  int sum = 0;
  for (int k = 0; k < 3; ++k) sum += (a + k) % 1000 * b;
  return sum;
}
extern "C" __global__ void calls(const float* x, float* y, int n, int s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = 0;
  for (int j = 0; j < 5; ++j)
    if (threadIdx.x & 1) a += x[scaled(i + j, s)];
  y[i] = a;
}
)";

TEST_P(MachineCode, FollowsItsOwnFunctions) {
  if (find_cuda_tool("nvcc").empty() || find_cuda_tool("ptxas").empty()) SKIP_OR_FAIL(test::parts::nvcc);
  const test::TemporaryFolder folder;
  const auto code = load_code(folder.write("k.cu", calling), "", {}, test::of_architecture(GetParam()), false);
  const auto module = parse_ptx(code.ptx, code.file);
  const auto assembled = assemble(code.ptx, GetParam());
  ASSERT_TRUE(assembled.available);
  Launch launch;
  launch.grid = {4096, 1, 1};
  launch.block = {64, 1, 1};
  launch.arguments = {{"2", "1000000"}, {"3", "7"}};
  const PtxCode ptx(module, module.kernels.front(), launch);
  const auto cubin = read_cubin(assembled.cubin, "calls", code.file);
  const SassCode sass(cubin, ptx, launch, assembled.architecture);
  // What the source says: lane 1 of the block's first warp reads x[Σ ((6400 + 1 + j + k) % 1000) · 7] for j = 0 to 4.
  std::set<std::uint64_t> wanted;
  for (std::uint64_t thread = 1; thread < 64; thread += 2)
    for (std::uint64_t j = 0; j < 5; ++j) {
      std::uint64_t sum = 0;
      for (std::uint64_t k = 0; k < 3; ++k) sum += (6400 + thread + j + k) % 1000 * 7;
      wanted.insert((buffer_stride + 4 * sum) / 128);
    }
  for (const Code* one : std::initializer_list<const Code*>{&sass, &ptx}) {
    const auto trace = run_block(*one, launch, {100, 0, 0}, {});
    EXPECT_EQ(trace.unknown_addresses, 0);
    std::set<std::uint64_t> lines;
    for (const auto& access : trace.loaded) lines.insert(access.line);
    EXPECT_EQ(lines, wanted);
  }
}

constexpr const char* of_all_widths = R"(
__constant__ short table[4] = {5, -2, 300, -400};
extern "C" __global__ void widths(const float* x, float* y, bool b, signed char c, unsigned char d, short e,
                                  unsigned short f, long long g) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = 0;
  if (b) for (int k = 0; k < 900; ++k) a = a * 1.5f + x[k];
  if (c > 0) a += x[i + 1000];
  for (int k = threadIdx.x; k < d; ++k) a = a * 1.5f + x[k + e];
  y[i + f + g + 64 * table[threadIdx.x & 3]] = a;
}
)";

TEST_P(MachineCode, ReadsParametersAndConstantsOfEveryWidth) {
  if (find_cuda_tool("nvcc").empty() || find_cuda_tool("ptxas").empty()) SKIP_OR_FAIL(test::parts::nvcc);
  const test::TemporaryFolder folder;
  const auto code = load_code(folder.write("k.cu", of_all_widths), "", {}, test::of_architecture(GetParam()), false);
  const auto module = parse_ptx(code.ptx, code.file);
  const auto assembled = assemble(code.ptx, GetParam());
  ASSERT_TRUE(assembled.available);
  Launch launch;
  launch.grid = {4096, 1, 1};
  launch.block = {64, 1, 1};
  launch.arguments = {{"2", "0"}, {"3", "-3"}, {"4", "200"}, {"5", "-300"}, {"6", "40000"}, {"7", "10000000000"}};
  const PtxCode ptx(module, module.kernels.front(), launch);
  const auto cubin = read_cubin(assembled.cubin, "widths", code.file);
  const SassCode sass(cubin, ptx, launch, assembled.architecture);
  // What the source says, of block 1000.
  std::set<std::uint64_t> loaded, stored;
  constexpr int table[] = {5, -2, 300, -400};
  for (std::uint64_t thread = 0; thread < 64; ++thread) {
    for (std::uint64_t k = thread; k < 200; ++k) loaded.insert((buffer_stride + 4 * (k - 300)) / 128);
    const auto part = static_cast<std::uint64_t>(64 * table[thread & 3]);
    stored.insert((2 * buffer_stride + 4 * (64'000 + thread + 40'000 + 10'000'000'000 + part)) / 128);
  }
  for (const Code* one : std::initializer_list<const Code*>{&sass, &ptx}) {
    const auto trace = run_block(*one, launch, {1000, 0, 0}, {});
    EXPECT_FALSE(trace.assumed) << (one == &sass ? "machine code" : "PTX");
    const auto lines = [](const std::vector<LineAccess>& accesses) {
      std::set<std::uint64_t> set;
      for (const auto& access : accesses) set.insert(access.line);
      return set;
    };
    EXPECT_EQ(lines(trace.loaded), loaded);
    EXPECT_EQ(lines(trace.stored), stored);
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, MachineCode, ::testing::Values(75, 80, 86, 90));

constexpr const char* patterns = R"(
#define I (blockIdx.x * blockDim.x + threadIdx.x)
extern "C" __global__ void copy(const float* x, float* y, const int* p, int n, int s) { y[I] = x[I]; }
extern "C" __global__ void strided(const float* x, float* y, const int* p, int n, int s) { y[I] = x[(I * s) % n]; }
extern "C" __global__ void gathered(const float* x, float* y, const int* p, int n, int s) { y[I] = x[p[I]]; }
extern "C" __global__ void broadcast(const float* x, float* y, const int* p, int n, int s) { y[I] = x[blockIdx.x]; }
)";

class Patterns : public ::testing::TestWithParam<const char*> {
 protected:
  double seconds(const std::string& kernel, int n, int s) {
    return report(kernel, n, s).estimates.at(0).seconds.value();
  }
  KernelReport report(const std::string& kernel, int n, int s) {
    const auto times = kernel_times(GetParam());
    const auto file = folder_.write(
        "patterns.cu", patterns + test::banks_kernel("const float* x, float* y, const int* p, int n, int s"));
    const auto code = load_code(file, kernel, {}, times, false);
    Launch launch;
    launch.grid = {65536, 1, 1};
    launch.block = {256, 1, 1};
    launch.arguments = {{"n", std::to_string(n)}, {"s", std::to_string(s)}};
    AnalysisOptions options;
    options.models = {"overlapped"};
    return analyze_code(code, launch, times, options);
  }
  test::TemporaryFolder folder_;
};

TEST_P(Patterns, CostWhatTheirLinesCost) {
  if (find_cuda_tool("nvcc").empty()) SKIP_OR_FAIL(test::parts::nvcc);
  constexpr int n = 1 << 24;
  const double copy = seconds("copy", n, 1);
  EXPECT_LT(seconds("strided", n, 1), 1.3 * copy);                   // the remainder hides behind memory
  EXPECT_GT(seconds("strided", n, 8), 2 * copy);                     // a sector for every element
  EXPECT_GT(seconds("strided", n, 32), 2 * copy);                    // and a line: what wraps round is gone again
  EXPECT_GT(seconds("gathered", n, 1), 2 * copy);                    // nothing known of p: scattered
  EXPECT_LT(seconds("broadcast", n, 1), copy);                       // hardly anything to load
  EXPECT_GT(seconds("banks", n, 32), 8 * seconds("banks", n, 1));    // one bank for all lanes
  EXPECT_LT(seconds("banks", n, 33), 1.1 * seconds("banks", n, 1));  // padded
}

INSTANTIATE_TEST_SUITE_P(Devices, Patterns,
                         ::testing::Values("nvidia-h100", "nvidia-a100-pcie-40gb", "nvidia-rtx-2080-ti"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(Patterns, WhatTheMachineCodeLeavesOpenIsSaid) {
  if (find_cuda_tool("nvcc").empty()) SKIP_OR_FAIL(test::parts::nvcc);
  const auto said = [&](const char* kernel) {
    return std::ranges::any_of(report(kernel, 1 << 24, 1).notes,
                               [](const auto& note) { return note.starts_with("some branches or addresses depend"); });
  };
  EXPECT_TRUE(said("gathered"));
  EXPECT_FALSE(said("copy"));
}

TEST(Sources, CompileForTheCampaign) {
  if (find_cuda_tool("nvcc").empty()) SKIP_OR_FAIL(test::parts::nvcc);
  const std::filesystem::path root = SPARSECAST_SOURCE_DIR;
  CompileRequest request;
  request.source = root / "benchmarks/gpu-kernels/campaign/campaign.cu";
  request.architecture = 90;
  EXPECT_GT(compile_to_ptx(request).text.size(), 1000u);
}

TEST(Sources, OpenClCompilesForPtx) {
  const std::filesystem::path root = SPARSECAST_SOURCE_DIR;
  CompileRequest request;
  request.source = root / "benchmarks/gpu-kernels/own.cl";
  request.architecture = 80;
  try {
    const auto module = parse_ptx(compile_to_ptx(request).text, "own.cl");
    EXPECT_GT(module.kernels.size(), 3u);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unavailable) throw;
    SKIP_OR_FAIL(test::parts::clang);
  }
}

}  // namespace
}  // namespace sparsecast::gpu_code
