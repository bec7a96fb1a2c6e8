// AMD devices: what their back end's assembly says, and forecasts from HIP and OpenCL sources through clang alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

#include "gpu_code/amd/amd_assembly.hpp"
#include "gpu_code/amd/amd_model.hpp"
#include "gpu_code/compile/source_parameters.hpp"
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
  // 1024 passes that wait once for 300 cycles, eight blocks at a time.
  EXPECT_NEAR(cycles("copies=1", "latency chain"), 1024 * 300 / 8, 100);
}

}  // namespace
}  // namespace sparsecast::gpu_code
