// The product's own GPU kernels on a matrix, and what sources are written like: names of arguments, the tuners' macros.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/command.hpp"
#include "support/parts.hpp"

namespace sparsecast::test {
namespace {

double overlapped_seconds(const CommandResult& result) {
  EXPECT_EQ(result.exit_code, 0) << result.err;
  if (result.exit_code != 0) return 0;
  return nlohmann::json::parse(result.out)["estimates"].back()["seconds"].get<double>();
}

TEST(OwnProducts, TakeLaunchAndDataFromTheMatrix) {
  const TemporaryFolder folder;
  const auto small = (folder.path() / "small.mtx").string(), large = (folder.path() / "large.mtx").string();
  ASSERT_EQ(sparsecast({"generate", "poisson2d", "--size", "100", "-o", small}).exit_code, 0);
  ASSERT_EQ(sparsecast({"generate", "poisson2d", "--size", "400", "-o", large}).exit_code, 0);
  const auto own = [&](const std::string& kernel, const std::string& matrix) {
    return sparsecast({"kernel", "--own", kernel, "--matrix", matrix, "--device", "nvidia-a100", "--clock", "boost",
                       "--model", "overlapped", "--json"});
  };
  const auto first = own("csr-vector", small);
  if (first.exit_code == 4) SKIP_OR_FAIL(parts::nvcc);
  const double of_small = overlapped_seconds(first);
  // 16 times the rows, and the launch in both.
  EXPECT_GT(overlapped_seconds(own("csr-vector", large)), 1.5 * of_small);
  // Zeros, products and carries are three launches.
  const auto carried = own("coo", small);
  EXPECT_GT(overlapped_seconds(carried), of_small);
  EXPECT_NE(nlohmann::json::parse(carried.out)["notes"].dump().find("sum of 3 launches"), std::string::npos);
  EXPECT_EQ(own("nothing", small).exit_code, 2);
  EXPECT_EQ(sparsecast({"kernel", "--own", "csr-vector"}).exit_code, 2);
  EXPECT_EQ(sparsecast({"kernel"}).exit_code, 2);
}

// What repeats in csr-merge depends on what other warps put to shared memory, which the matrix tells.
TEST(OwnProducts, AskForNoCountThatTheMatrixTells) {
  const TemporaryFolder folder;
  const auto matrix = (folder.path() / "m.mtx").string();
  ASSERT_EQ(sparsecast({"generate", "poisson2d", "--size", "60", "-o", matrix}).exit_code, 0);
  for (const char* device : {"nvidia-a100", "nvidia-v100", "nvidia-rtx-2080-ti"})
    for (const char* kernel : {"csr-merge", "jad"}) {
      const auto result = sparsecast(
          {"kernel", "--own", kernel, "--matrix", matrix, "--device", device, "--model", "overlapped", "--json"});
      if (result.exit_code == 4) SKIP_OR_FAIL(parts::nvcc);
      EXPECT_EQ(result.exit_code, 0) << kernel << " on " << device << ": " << result.err;
    }
}

// predict knows the kernels' machine code by a catalogue; who has a compiler is not told otherwise.
TEST(OwnProducts, AreWhatPredictSaysWithAndWithoutACompiler) {
  const TemporaryFolder folder;
  const auto matrix = (folder.path() / "graph.mtx").string();
  ASSERT_EQ(sparsecast({"generate", "powerlaw", "--rows", "9000", "--row-mean", "8", "-o", matrix}).exit_code, 0);
  const auto predicted = sparsecast({"predict", matrix, "--device", "nvidia-h100", "--all", "--json"});
  ASSERT_EQ(predicted.exit_code, 0) << predicted.err;
  const auto forecasts = nlohmann::json::parse(predicted.out)["forecasts"];
  int ours = 0;
  for (const auto& forecast : forecasts) {
    if (forecast["model"] != "code") continue;
    ++ours;
    const auto kernel = forecast["kernel"].get<std::string>();
    const auto own = [&](const std::vector<std::string>& also) {
      std::vector<std::string> words{"kernel",   "--own",       kernel,    "--matrix",   matrix,
                                     "--device", "nvidia-h100", "--model", "overlapped", "--json"};
      words.insert(words.end(), also.begin(), also.end());
      const auto result = sparsecast(words);
      EXPECT_EQ(result.exit_code, 0) << kernel << result.err;
      return nlohmann::json::parse(result.out)["estimates"].back();
    };
    const auto alone = own({"--no-run"});
    EXPECT_NEAR(alone["seconds"].get<double>() / forecast["seconds"].get<double>(), 1, 1e-9) << kernel;
    EXPECT_NEAR(alone["low_s"].get<double>() / forecast["low_s"].get<double>(), 1, 1e-9) << kernel;
    EXPECT_EQ(own({})["seconds"], alone["seconds"]) << kernel;
  }
  EXPECT_GE(ours, 10) << "all but sell-compact where it stores nothing in less";
}

// One full row makes ELL square: 120 GB for a matrix of 200,000 entries. That is known before it is built.
TEST(OwnProducts, AreRefusedBeforeMemoryIsTakenWhereTheyAreTooLarge) {
  const TemporaryFolder folder;
  constexpr int rows = 100'000;
  std::string text = fmt::format("%%MatrixMarket matrix coordinate pattern general\n{0} {0} {1}\n", rows, 2 * rows - 1);
  for (int k = 1; k <= rows; ++k) text += fmt::format("1 {}\n", k);
  for (int k = 2; k <= rows; ++k) text += fmt::format("{} 1\n", k);
  const auto matrix = folder.write("long.mtx", text).string();
  // With an A100's 40 GB and, on a board that nothing describes, the host's memory: it would take five times the
  // arrays.
  for (const char* device : {"nvidia-a100-pcie-40gb", "nvidia-rtx-3090", "amd-mi250x"}) {
    const auto result = sparsecast({"kernel", "--own", "ell", "--matrix", matrix, "--device", device});
    EXPECT_EQ(result.exit_code, 1) << device;
    EXPECT_NE(result.err.find("too large: "), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("ell"), std::string::npos) << result.err;
    EXPECT_EQ(result.err.find("array of"), std::string::npos) << "found only when it was asked for: " << result.err;
  }
}

// One row of 20,000 entries among short ones: a warp that reads them one after another is what the launch waits for.
TEST(OwnProducts, NoLaunchEndsBeforeItsLongestRow) {
  const TemporaryFolder folder;
  std::string text = "%%MatrixMarket matrix coordinate pattern general\n20000 20000 39999\n";
  for (int k = 1; k <= 20000; ++k) text += "7000 " + std::to_string(k) + "\n";
  for (int k = 1; k <= 20000; ++k)
    if (k != 7000) text += std::to_string(k) + " 1\n";
  const auto matrix = folder.write("long.mtx", text).string();
  for (const char* kernel : {"csr-scalar", "jad", "sell"}) {
    const auto result = sparsecast(
        {"kernel", "--own", kernel, "--matrix", matrix, "--device", "nvidia-a100", "--model", "overlapped", "--json"});
    if (result.exit_code == 4) SKIP_OR_FAIL(parts::nvcc);
    constexpr double least_step_s = 20e-9;  // 30 cycles at 1.41 GHz: a load from the first cache
    EXPECT_GT(overlapped_seconds(result), 20000 / 4 * least_step_s) << kernel;
  }
}

TEST(Sources, AreReadAsTheirAuthorsAndTunersWriteThem) {
  const TemporaryFolder folder;
  const auto file = folder
                        .write("k.cu",
                               "#ifndef kernel_tuner\n#error a tuner compiles this\n#endif\n"
                               "__global__ void k(float* a, int n) {\n"
                               "#pragma unroll loop_unroll_factor_i\n"
                               "  for (int i = 0; i < n; ++i) a[i * blockDim.x + threadIdx.x] += 1;\n}\n")
                        .string();
  const auto forecast = [&](const std::string& factor, const std::string& n) {
    return sparsecast({"kernel", file, "--grid", "1000", "--block", "64", "--device", "nvidia-a100", "--arg", "n=" + n,
                       "--define", "loop_unroll_factor_i=" + factor, "--json"});
  };
  const auto once = forecast("0", "16");
  if (once.exit_code == 4) SKIP_OR_FAIL(parts::nvcc);
  EXPECT_GT(overlapped_seconds(forecast("4", "64")), overlapped_seconds(once));
  const auto document = nlohmann::json::parse(once.out);
  EXPECT_TRUE(document["advice"].get<std::string>().starts_with("rely on overlapped"));
  EXPECT_GE(document["overlap"]["transient_s"].get<double>(), 0);
  const auto by_name = sparsecast({"kernel", file, "--kernel", "k", "--grid", "1", "--block", "64", "--device",
                                   "nvidia-a100", "--arg", "n=4", "--define", "loop_unroll_factor_i=2", "--json"});
  EXPECT_EQ(by_name.exit_code, 0) << by_name.err;
}

}  // namespace
}  // namespace sparsecast::test
