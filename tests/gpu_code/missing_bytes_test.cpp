// What moves bytes is counted, or said not to be.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/command.hpp"
#include "support/parts.hpp"

namespace sparsecast::test {
namespace {
class MissingBytes : public ::testing::Test {
 protected:
  /// `work` of thread i on arrays x and y of 16,777,216 floats.
  nlohmann::json forecast(const std::string& work, const std::string& device = "nvidia-h100") {
    const auto source =
        folder_.write("k.cu",
                      "extern \"C\" __global__ void k(float* y, const float* x, cudaTextureObject_t t) {\n"
                      "  __shared__ float s[256];\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  " +
                          work + ";\n}\n");
    const auto result = sparsecast({"kernel", source.string(), "--grid", "65536", "--block", "256", "--model",
                                    "overlapped", "--json", "--device", device});
    unavailable_ = result.exit_code == 4;
    EXPECT_TRUE(unavailable_ || result.exit_code == 0) << result.err;
    return result.exit_code == 0 ? nlohmann::json::parse(result.out) : nlohmann::json{};
  }
  bool unavailable_ = false;

 private:
  TemporaryFolder folder_;
};
constexpr double array_bytes = 4 * 16'777'216.0;

TEST_F(MissingBytes, AtomicsOfFloatsMoveWhatTheyAddTo) {
  for (const char* device : {"nvidia-a100", "nvidia-h100"}) {
    const auto bytes = [&](const char* work) {
      const auto answer = forecast(work, device);
      return unavailable_ ? 0 : answer["overlap"]["memory_bytes"].get<double>();
    };
    const double without_result = bytes("atomicAdd(y + i, x[i])");
    if (unavailable_) SKIP_OR_FAIL(parts::nvcc);
    EXPECT_GE(without_result, 2 * array_bytes) << device;
    EXPECT_GE(bytes("y[i + (1 << 24)] = atomicAdd(y + i, x[i])"), 3 * array_bytes) << device;
  }
}

TEST_F(MissingBytes, ThoseOfTexturesAndAsynchronousCopiesAreSaidToBe) {
  const auto plain = forecast("y[i] = x[i]");
  if (unavailable_) SKIP_OR_FAIL(parts::nvcc);
  EXPECT_EQ(plain["notes"].dump().find("not counted"), std::string::npos);
  for (const char* work : {"y[i] = tex1Dfetch<float>(t, i)",
                           "asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" :: \"r\"((unsigned)"
                           "__cvta_generic_to_shared(s + threadIdx.x)), \"l\"(x + i)); "
                           "asm volatile(\"cp.async.wait_all;\"); y[i] = s[threadIdx.x]"}) {
    const auto answer = forecast(work);
    EXPECT_NE(answer["notes"].dump().find("not counted"), std::string::npos) << work;
    EXPECT_GE(answer["estimates"].back()["high_s"].get<double>(), plain["estimates"].back()["seconds"].get<double>())
        << work;
  }
}
}  // namespace
}  // namespace sparsecast::test
