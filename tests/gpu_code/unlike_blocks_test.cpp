// Blocks of a launch that do not do the same: none stands for all, and the launch ends with its longest.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/command.hpp"
#include "support/parts.hpp"

namespace sparsecast::test {
namespace {
constexpr const char* every_other =
    "extern \"C\" __global__ void k(float* y, const float* x) {\n"
    "  if (blockIdx.x % 2 == PARITY) {\n    float s = 0;\n"
    "    for (int j = 0; j < 1000; ++j) s += sqrtf(s + x[j]);\n"
    "    y[blockIdx.x * blockDim.x + threadIdx.x] = s;\n  }\n}\n";
constexpr const char* guarded =
    "extern \"C\" __global__ void k(float* y, const float* x, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = x[i];\n}\n";
/// `WHICH` names the block, or the thread, that has 20,000 turns.
constexpr const char* one_long =
    "extern \"C\" __global__ void k(float* y, const float* x) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x, block = blockIdx.x, last = gridDim.x - 1;\n  float s = x[i];\n"
    "  int turns = (WHICH) && block <= last ? 20000 : 10;\n"
    "  for (int j = 0; j < turns; ++j) s = sqrtf(s + 1.0f);\n  y[i] = s;\n}\n";

/// The last block adds to one address again and again, the others once. (OpenCL C: for all devices.)
constexpr const char* one_adds =
    "__kernel void k(__global int* y) {\n"
    "  int block = get_group_id(0), turns = block == get_num_groups(0) - 1 ? 2000 : 1;\n"
    "  for (int j = 0; j < turns; ++j) atomic_add(y + (turns == 1 ? block : 0), 1);\n}\n";

class UnlikeBlocks : public ::testing::Test {
 protected:
  nlohmann::json forecast(const char* source, std::int64_t grid, const std::vector<std::string>& also,
                          const std::string& device = "nvidia-h100") {
    std::vector<std::string> words{"kernel",  folder_.write(source == one_adds ? "k.cl" : "k.cu", source).string(),
                                   "--grid",  std::to_string(grid),
                                   "--block", "256",
                                   "--model", "overlapped",
                                   "--json",  "--device",
                                   device};
    words.insert(words.end(), also.begin(), also.end());
    const auto result = sparsecast(words);
    unavailable_ = result.exit_code == 4;
    EXPECT_TRUE(unavailable_ || result.exit_code == 0) << result.err;
    return result.exit_code == 0 ? nlohmann::json::parse(result.out) : nlohmann::json::parse(nothing);
  }
  static double seconds(const nlohmann::json& answer) { return answer["estimates"].back()["seconds"].get<double>(); }
  static bool tells_of_blocks(const nlohmann::json& answer) {
    return answer["notes"].dump().find("blocks differ") != std::string::npos;
  }
  bool unavailable_ = false;

 private:
  static constexpr const char* nothing = R"({"estimates": [{"seconds": 0, "low_s": 0, "high_s": 0}], "notes": []})";
  TemporaryFolder folder_;
};

TEST_F(UnlikeBlocks, EveryOtherOneTakesHalfOfAll) {
  constexpr std::int64_t blocks = 4096;
  for (const char* device : {"nvidia-h100", "amd-mi250x"}) {
    const auto even = forecast(every_other, blocks, {"--define", "PARITY=0"}, device);
    if (unavailable_) SKIP_OR_FAIL(parts::nvcc);
    const auto odd = forecast(every_other, blocks, {"--define", "PARITY=1"}, device);
    const auto all = forecast(every_other, blocks, {"--define", "PARITY=blockIdx.x % 2"}, device);
    EXPECT_TRUE(tells_of_blocks(even)) << device;
    EXPECT_FALSE(tells_of_blocks(all)) << device;
    EXPECT_NEAR(seconds(even) / seconds(odd), 1, 0.1) << device;
    EXPECT_NEAR(seconds(even) / seconds(all), 0.5, 0.15) << device;
  }
}

TEST_F(UnlikeBlocks, AGridThatIsTooLargeCostsNoLess) {
  const auto of = [&](std::int64_t grid, std::int64_t n) {
    return seconds(forecast(guarded, grid, {"--arg", fmt::format("n={}", n)}));
  };
  constexpr std::int64_t n = 16'777'216;
  const double exact = of(n / 256, n);
  if (unavailable_) SKIP_OR_FAIL(parts::nvcc);
  for (const std::int64_t grid : {131'072, 131'073, 200'000}) EXPECT_GT(of(grid, n), exact) << grid;
  EXPECT_NEAR(of(n / 256, n / 2) / of(n / 256, n / 2 + 1), 1, 0.05);
}

TEST_F(UnlikeBlocks, NoLaunchEndsBeforeItsLongestAndItsPartsAddUp) {
  for (const char* which : {"WHICH=block == last", "WHICH=i == 5"}) {
    double alone = 0;
    for (const std::int64_t grid : {1, 2, 64, 4096}) {
      const auto answer = forecast(one_long, grid, {"--define", which});
      if (unavailable_) SKIP_OR_FAIL(parts::nvcc);
      if (grid == 1) alone = seconds(answer);
      EXPECT_GT(seconds(answer), 0.99 * alone) << grid << ' ' << which;
      const auto& parts = answer["overlap"];
      const auto of = [&](const char* name) { return parts[name].get<double>(); };
      EXPECT_NEAR((of("launch_s") + of("transient_s") + of("waves") * of("wave_s")) / seconds(answer), 1, 1e-6)
          << grid << ' ' << which;
    }
  }
}

TEST_F(UnlikeBlocks, NoLaunchEndsBeforeTheAtomicOperationsOfOne) {
  for (const char* device : {"nvidia-h100", "amd-mi250x"}) {
    const double alone = seconds(forecast(one_adds, 1, {}, device));
    if (unavailable_) SKIP_OR_FAIL(parts::nvcc);
    for (const std::int64_t grid : {64, 4096})
      EXPECT_GT(seconds(forecast(one_adds, grid, {}, device)), 0.99 * alone) << grid;
  }
}
}  // namespace
}  // namespace sparsecast::test
