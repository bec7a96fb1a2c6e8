// AMD devices: what their back end's assembly says, and forecasts from HIP and OpenCL sources through clang alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

#include "gpu_code/amd/amd_assembly.hpp"
#include "gpu_code/amd/amd_model.hpp"
#include "gpu_code/amd/source_statements.hpp"
#include "gpu_code/compile/source_parameters.hpp"
#include "gpu_code/times/kernel_times.hpp"
#include "gpu_code/times/occupancy.hpp"
#include "support/command.hpp"
#include "support/parts.hpp"

namespace sparsecast::gpu_code {
namespace {

// Cut down from what clang 14 writes for gfx90a.
constexpr const char* assembly = R"(
	.text
_Z1kPfi:                                ; @_Z1kPfi
.Lfunc_begin0:
	.file	1 "." "source/k.hip"
	.loc	1 3 0
; %bb.0:
	s_load_dwordx2 s[4:5], s[4:5], 0x0
	v_mov_b32_e32 v1, 0
	.file	2 "." "prelude.h"
	.loc	2 37 3
	v_lshlrev_b32_e32 v0, 2, v0
.LBB0_1:                                ; =>This Loop Header: Depth=1
                                        ;     Child Loop BB0_3 Depth 2
	.loc	1 5 10
	global_load_dwordx2 v[2:3], v0, s[4:5]
	s_waitcnt vmcnt(0)
; %bb.2:                                ;   in Loop: Header=BB0_1 Depth=1
	ds_write_b64 v0, v[2:3]
.LBB0_3:                                ;   Parent Loop BB0_1 Depth=1
                                        ; =>  This Inner Loop Header: Depth=2
	.loc	1 6 12
	ds_read2_b64 v[4:7], v0 offset1:1
	v_fma_f32 v1, v4, v5, v1
	s_cbranch_scc1 .LBB0_3
.LBB0_4:                                ;   in Loop: Header=BB0_1 Depth=1
	s_cbranch_scc1 .LBB0_1
; %bb.5:
	.loc	1 8 3
	buffer_store_dword v1, off, s[0:3], 0 offset:4
	global_store_dword v0, v1, s[4:5]
	s_endpgm
	.section	.rodata,#alloc
	.amdhsa_kernel _Z1kPfi
	.end_amdhsa_kernel
	.text
.Lfunc_end0:
; codeLenInByte = 120
; NumVgprs: 8
; TotalNumVgprs: 8
; ScratchSize: 16
; LDSByteSize: 2048 bytes/workgroup (compile time only)
)";

TEST(AmdAssembly, TellsResourcesLinesAndLoops) {
  const auto k = read_amd_assembly(assembly, "k", "/somewhere/k.hip");
  EXPECT_EQ(k.name, "_Z1kPfi");
  EXPECT_EQ(k.vector_registers, 8);
  EXPECT_EQ(k.scratch_bytes, 16);
  EXPECT_EQ(k.lds_bytes, 2048);
  const auto count = [&](AmdKind kind) { return std::ranges::count(k.instructions, kind, &AmdInstruction::kind); };
  EXPECT_EQ(count(AmdKind::vector), 3);
  EXPECT_EQ(count(AmdKind::lds), 2);
  EXPECT_EQ(count(AmdKind::global), 2);
  EXPECT_EQ(count(AmdKind::scratch), 1);
  std::vector<int> lines, loops;
  int words = 0;
  for (const auto& in : k.instructions) {
    if (in.kind == AmdKind::vector || in.kind == AmdKind::lds) {
      lines.push_back(in.line);
      loops.push_back(in.loop);
    }
    if (in.kind == AmdKind::lds) words += in.dwords;
  }
  EXPECT_EQ(lines, (std::vector<int>{3, 0, 5, 6, 6}));  // the prelude's lines are not the user's
  EXPECT_EQ(loops, (std::vector<int>{0, 0, 2, 4, 4}));
  EXPECT_EQ(words, 2 + 4);
  std::string rdna = assembly;  // has one file of vector registers, and no total
  const std::string total = "; TotalNumVgprs: 8\n";
  rdna.erase(rdna.find(total), total.size());
  EXPECT_EQ(read_amd_assembly(rdna, "k", "k.hip").vector_registers, 8);
  EXPECT_THROW((void)read_amd_assembly(assembly, "other", "k.hip"), Error);
  EXPECT_THROW((void)read_amd_assembly("", "", "k.hip"), Error);
}

TEST(SourceNames, AreThoseOfTheSource) {
  EXPECT_EQ(source_name("_Z1kPfi"), "k");
  EXPECT_EQ(source_name("_ZN5space6kernelIfEEvPT_"), "kernel");
  EXPECT_EQ(source_name("plain"), "plain");
}

constexpr const char* hip_source = R"(#include "hip/hip_runtime.h"
__global__ void sums(const float* in, float* out, int n) {
  __shared__ float part[256];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 256) sum += in[blockIdx.x * n + i];
  part[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = part[0] + part[255];
}
)";

nlohmann::json amd_forecast(const std::string& file, std::vector<std::string> more,
                            const std::string& device = "amd-mi250") {
  std::vector<std::string> command{"kernel", file, "--grid", "10000", "--block", "256", "--device", device, "--json"};
  command.insert(command.end(), more.begin(), more.end());
  const auto result = test::sparsecast(command);
  if (result.exit_code == 4) return {};
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return nlohmann::json::parse(result.out);
}

TEST(AmdForecasts, ComeFromHipAndOpenclSources) {
  const test::TemporaryFolder folder;
  const auto hip = folder.write("sums.hip", hip_source).string();
  const auto document = amd_forecast(hip, {"--arg", "n=4096"});
  if (document.is_null()) SKIP_OR_FAIL(test::parts::clang);
  EXPECT_EQ(document["occupancy"]["shared_bytes"], 1024);
  EXPECT_GT(document["occupancy"]["registers"].get<int>(), 0);
  EXPECT_NE(document["notes"].dump().find("unverified"), std::string::npos);
  const auto& best = document["estimates"].back();
  // 10,000 blocks read 16 KB each: 164 MB take 0.1 ms at 1.64 TB/s and not ten times as long.
  EXPECT_GT(best["seconds"].get<double>(), 1e-4);
  EXPECT_LT(best["seconds"].get<double>(), 1e-3);
  EXPECT_LT(best["low_s"].get<double>(), best["seconds"].get<double>());
  // A loop is passed as often as its bound says: four times the data, about four times the time.
  const auto longer = amd_forecast(hip, {"--arg", "n=16384"});
  EXPECT_NEAR(longer["estimates"].back()["seconds"].get<double>() / best["seconds"].get<double>(), 4, 0.5);

  const auto opencl = folder.write("copy.cl",
                                   "__kernel void copy(__global const float* a, __global float* b) {\n"
                                   "  size_t i = get_global_id(0);\n  b[i] = a[i] + 1;\n}\n");
  EXPECT_GT(amd_forecast(opencl.string(), {})["estimates"].back()["seconds"].get<double>(), 0);
}

TEST(AmdForecasts, WavesOfRdnaHave32Lanes) {
  const test::TemporaryFolder folder;
  const auto hip = folder.write("sums.hip", hip_source).string();
  const auto rdna = amd_forecast(hip, {"--arg", "n=4096"}, "amd-radeon-pro-w7800");
  if (rdna.is_null()) SKIP_OR_FAIL(test::parts::clang);
  EXPECT_EQ(rdna["occupancy"]["warps"].get<int>() % 8, 0);
  EXPECT_EQ(rdna["occupancy"]["warps"].get<int>(), rdna["occupancy"]["blocks"].get<int>() * 8);
  EXPECT_GT(rdna["occupancy"]["registers"].get<int>(), 4);
  // 164 MB at 576 GB/s.
  EXPECT_GT(rdna["estimates"].back()["seconds"].get<double>(), 2.8e-4);
  EXPECT_LT(rdna["estimates"].back()["seconds"].get<double>(), 2.8e-3);
}

TEST(AmdForecasts, CountLoopsOfOneLineTogetherAndWaitOnceForLoadsThatAreOnTheWayTogether) {
  const test::TemporaryFolder folder;
  const auto hip = folder.write("loops.hip", R"(#include "hip/hip_runtime.h"
__global__ void loops(const float* in, float* out, int n) {
  float sum[copies];
#pragma unroll
  for (int k = 0; k < copies; ++k) {
    sum[k] = 0;
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
      const float* at = in + i * 2048 + threadIdx.x;
      sum[k] += at[0] + at[256] + at[512] + at[768];
    }
  }
  float all = 0;
  for (int k = 0; k < copies; ++k) all += sum[k];
  out[blockIdx.x * 256 + threadIdx.x] = all;
}
)");
  const auto cycles = [&](const char* copies, const char* of) {
    const auto document = amd_forecast(hip.string(), {"--define", copies, "--arg", "n=1024"});
    return document.is_null() ? 0.0 : document["overlap"]["cycles_per_block"][of].get<double>();
  };
  const double one = cycles("copies=1", "vector cache");
  if (one == 0) SKIP_OR_FAIL(test::parts::clang);
  // 4 waves, 1024 passes, 4 loads of 256 bytes at 64 a cycle, and what each thread writes.
  EXPECT_NEAR(one, 4 * 1024 * 4 * 4, 100);
  EXPECT_NEAR(cycles("copies=4", "vector cache") / one, 4, 0.1);
  // 1024 passes that wait once for 300 cycles, eight blocks at a time; and up to 30 instructions of 4 cycles each.
  EXPECT_GE(cycles("copies=1", "latency chain"), 1024 * (300 + 4 * 4) / 8);
  EXPECT_LE(cycles("copies=1", "latency chain"), 1024 * (300 + 30 * 4) / 8);
}

TEST(SourceStatements, CountWhateverTheLines) {
  const std::string one = "a = 1; for (i = 0; i < n; ++i) if (x) b[i] += 2; else { c = ';'; } /* ; */ d = 3; // ;";
  std::string many = "#define A ; \\\n ;\n";
  for (const char c : one.substr(0, one.find("/*"))) many += c == ' ' ? '\n' : c;
  many += "\n\n  d\n= 3;";
  const SourceStatements left(one), right(many);
  const auto line_of = [&](const std::string& text, std::size_t at) {
    return static_cast<std::int32_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')) +
           1;
  };
  std::vector<std::int32_t> found;
  for (const char* word : {"a", "for", "b[i]", "c", "d"}) {
    const auto here = one.find(word), there = many.find(word, many.find("a"));
    const auto begin = many.rfind('\n', there);
    found.push_back(left.at(1, static_cast<std::int32_t>(here) + 1));
    EXPECT_EQ(found.back(), right.at(line_of(many, there), static_cast<std::int32_t>(there - begin))) << word;
  }
  EXPECT_TRUE(std::ranges::is_sorted(found));
  EXPECT_EQ(std::ranges::adjacent_find(found), found.end()) << "each is another";
  EXPECT_EQ(left.at(0, 5), 0);
  EXPECT_EQ(SourceStatements("").at(3, 3), 1);
}

/// Every blank of the function that may be one is a line's end, or none is.
TEST(AmdForecasts, DoNotDependOnWhereLinesEnd) {
  const test::TemporaryFolder folder;
  const std::string text =
      "__global__ void k(const float* in, float* out, int n, int m) { float sum = 0; for (int i = 0; i < n; ++i) { "
      "float "
      "part = 1; for (int j = 0; j < m; ++j) part = part * in[j * 256 + threadIdx.x] + 2; sum += part; } "
      "out[blockIdx.x * 256 + threadIdx.x] = sum; }\n";
  const std::string head = "#include \"hip/hip_runtime.h\"\n";
  std::string lines = text, statements = text;
  for (auto& c : lines)
    if (c == ' ') c = '\n';
  for (std::size_t at = 0; (at = statements.find_first_of(";{}", at)) != std::string::npos; at += 2)
    statements.insert(at + 1, "\n");
  const std::vector<std::string> many{"--arg", "n=4", "--arg", "m=1500"}, few{"--arg", "n=4", "--arg", "m=15"};
  for (const char* device : {"amd-mi250x", "amd-radeon-pro-w7800"}) {
    const auto seconds = [&](const char* name, const std::string& source, const std::vector<std::string>& more) {
      const auto document = amd_forecast(folder.write(name, head + source).string(), more, device);
      return document.is_null() ? 0.0 : document["estimates"].back()["seconds"].get<double>();
    };
    const double on_one = seconds("one.hip", text, many);
    if (on_one == 0) SKIP_OR_FAIL(test::parts::clang);
    EXPECT_EQ(on_one, seconds("lines.hip", lines, many)) << device;
    EXPECT_EQ(on_one, seconds("statements.hip", statements, many)) << device;
    const double of_few = seconds("one.hip", text, few);
    EXPECT_GT(on_one, 20 * of_few) << device << ": a hundred times the passes of the inner loop";
  }
}

/// One group of one wave has nothing that hides its chain (LLVM's SISchedule.td: 4 cycles on CDNA 2, 5 on RDNA).
TEST(AmdForecasts, AChainOfResultsIsWaitedFor) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("chain.hip", R"(#include "hip/hip_runtime.h"
__global__ void k(const float* in, float* out, int n) {
  float s[width];
  for (int c = 0; c < width; ++c) s[c] = in[threadIdx.x + c];
  for (int i = 0; i < n; ++i)
    for (int r = 0; r < 240 / width; ++r)
      for (int c = 0; c < width; ++c) s[c] = s[c] * s[c] + 1.5f;
  float all = 0;
  for (int c = 0; c < width; ++c) all += s[c];
  out[threadIdx.x] = all;
}
)");
  struct Case {
    const char* device;
    double cycles, clock_hz, independent;
  };
  for (const Case& c : {Case{"amd-mi250x", 4, 1.7e9, 1.15}, Case{"amd-radeon-pro-w7800", 5, 0, 0.5}}) {
    const auto seconds = [&](const char* width) {
      std::vector<std::string> command{"kernel", file.string(), "--grid",   "1",   "--block", "32",    "--device",
                                       c.device, "--json",      "--define", width, "--arg",   "n=1000"};
      const auto result = test::sparsecast(command);
      return result.exit_code == 0 ? nlohmann::json::parse(result.out)["estimates"].back()["seconds"].get<double>()
                                   : 0.0;
    };
    const double chain = seconds("width=1");
    if (chain == 0) SKIP_OR_FAIL(test::parts::clang);
    const double clock_hz = c.clock_hz > 0 ? c.clock_hz : kernel_times(c.device).clock_hz;
    EXPECT_GE(chain, 0.9 * 240 * 1000 * c.cycles / clock_hz) << c.device;
    EXPECT_LE(chain, 1.5 * 240 * 1000 * c.cycles / clock_hz) << c.device;
    EXPECT_LE(seconds("width=6"), c.independent * chain) << c.device;
  }
}

}  // namespace
}  // namespace sparsecast::gpu_code
