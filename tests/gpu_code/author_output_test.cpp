// What the author of a kernel types and reads: arguments by name, lines of his own source, one line of advice with its
// gain, symbols that are explained, no negative part, a picture that fits a screen. CUDA and OpenCL sources alike.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "base/child_process.hpp"
#include "gpu_code/banks_kernel.hpp"
#include "gpu_code/compile/compiler.hpp"
#include "gpu_code/compile/source_parameters.hpp"
#include "gpu_code/compile/tool_folder.hpp"
#include "support/command.hpp"
#include "support/parts.hpp"

namespace sparsecast::test {
namespace {

using Words = std::vector<std::string>;

class Author : public testing::Test {
 protected:
  void SetUp() override {
    if (gpu_code::find_cuda_tool("nvcc").empty()) SKIP_OR_FAIL(parts::nvcc);
    if (base::find_program("clang").empty()) SKIP_OR_FAIL(parts::clang);
  }
  [[nodiscard]] CommandResult forecast(const std::string& file, const Words& more) const {
    Words words{"kernel", (folder.path() / file).string(), "--grid", "64", "--block", "128", "--device", "nvidia-a100"};
    words.insert(words.end(), more.begin(), more.end());
    return sparsecast(words, {"SPARSECAST_HOME=" + (folder.path() / "store").string()});
  }
  [[nodiscard]] nlohmann::json document(const std::string& file, Words more) const {
    more.emplace_back("--json");
    const auto result = forecast(file, more);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.exit_code == 0 ? nlohmann::json::parse(result.out) : nlohmann::json::object();
  }
  const TemporaryFolder folder;
};

TEST(ParameterNames, AreThoseOfTheDefinition) {
  using gpu_code::parameter_names;
  EXPECT_EQ(parameter_names("__global__ void k(float*a,int n){for(int i=0;i<n;++i)a[i]=1;}", "k"), (Words{"a", "n"}));
  EXPECT_EQ(parameter_names("__global__ void k(float*, int);\n__global__ void k(float* a, int n) {}", "k"),
            (Words{"a", "n"}));
  EXPECT_EQ(
      parameter_names("// __global__ void k(int old) {}\n__global__ void k(float* a, int n /* of rows */) {}", "k"),
      (Words{"a", "n"}));
  EXPECT_EQ(parameter_names("kernel\nvoid k(global float* a, const int n[4], int m = most) {}", "k"),
            (Words{"a", "n", "m"}));
  EXPECT_EQ(parameter_names("template <class T, int N> __global__ void k(pair<T, T>* a, T s) {}", "k"),
            (Words{"a", "s"}));
  EXPECT_TRUE(parameter_names("void k(int a); int kernels; void k(int n) {}", "k").empty());
}

TEST_F(Author, GivesArgumentsByNameWhateverTheKernelIsCalled) {
  folder.write("one.cu", "__global__ void k(float*a,int n){for(int i=0;i<n;++i)a[i*128+threadIdx.x]+=1;}\n");
  folder.write("spaces.cu", R"(template <class T>
__global__ void grow(T* a, int n);
template <class T>
__global__ void grow(T* a, int rows /* of a */) { for (int i = 0; i < rows; ++i) a[i * 128 + threadIdx.x] += 1; }
namespace deep { namespace er {
__global__ void shrink(float* a, int n) { for (int i = 0; i < n; ++i) a[i * 128 + threadIdx.x] -= 1; }
} }
template __global__ void grow<float>(float*, int);
template __global__ void grow<double>(double*, int);
)");
  folder.write("one.cl", "__kernel void k(__global float*a,int n){for(int i=0;i<n;++i)a[i*128+get_local_id(0)]+=1;}\n");
  const auto iterations_by = [&](const std::string& file, const Words& kernel, const std::string& name) {
    double before = 0;
    for (const auto* count : {"4", "64"}) {
      Words words{"--model", "overlapped", "--arg", name + "=" + count};
      words.insert(words.end(), kernel.begin(), kernel.end());
      const auto instructions = document(file, words)["overlap"]["warp_instructions"].get<double>();
      EXPECT_GT(instructions, 2 * before) << file << " " << name << "=" << count;
      before = instructions;
    }
  };
  iterations_by("one.cu", {}, "n");
  iterations_by("one.cu", {"--kernel", "k"}, "n");
  EXPECT_TRUE(forecast("one.cu", {"--arg", "n=4"}).out.starts_with("k on nvidia-a100\n"));
  iterations_by("one.cl", {}, "n");
  iterations_by("spaces.cu", {"--kernel", "shrink"}, "n");
  // Two instances of a template share a name of the source: the compiler's names are offered, and take its arguments.
  const auto which = forecast("spaces.cu", {"--kernel", "grow", "--arg", "rows=4"});
  EXPECT_EQ(which.exit_code, 2);
  std::smatch symbol;
  ASSERT_TRUE(std::regex_search(which.err, symbol, std::regex("_Z\\w*growIdE\\w*"))) << which.err;
  iterations_by("spaces.cu", {"--kernel", symbol.str()}, "rows");
}

constexpr const char* summing = R"(#define threads 128
{0} void sums({1} const int* ends, {1} float* y, float a) {{
  const int i = {2};
  float sum = 0;
#pragma unroll loop_unroll_factor_k
  for (int k = 0; k < ends[i]; ++k)
    sum = sum * a + y[k * threads];
  y[i] = sum;
}}
)";

TEST_F(Author, ReadsLinesOfHisOwnSource) {
  folder.write("sums.cu", fmt::format(summing, "extern \"C\" __global__", "", "blockIdx.x * threads + threadIdx.x"));
  folder.write("sums.cl", fmt::format(summing, "__kernel", "__global", "get_global_id(0)"));
  for (const std::string file : {"sums.cu", "sums.cl"})
    for (const Words& unrolled : {Words{}, Words{"--define", "loop_unroll_factor_k=2"}}) {
      Words words = unrolled.empty() ? Words{"--define", "loop_unroll_factor_k=1"} : unrolled;
      const auto asked = forecast(file, words);
      EXPECT_EQ(asked.exit_code, 3);
      std::smatch line;
      ASSERT_TRUE(std::regex_search(asked.err, line, std::regex("/" + file + ":(\\d+): the trip count of the loop")))
          << asked.err;
      EXPECT_GE(std::stoi(line[1]), 5) << asked.err;
      EXPECT_LE(std::stoi(line[1]), 7) << asked.err;
    }
}

constexpr const char* simple = R"(#define I (blockIdx.x * blockDim.x + threadIdx.x)
extern "C" __global__ void strided(const float* x, float* y, int s) {
  float a = 0;
  for (int j = 0; j < 256; ++j) a += x[(j * 8192 + I) * s];
  y[I] = a;
}
extern "C" __global__ void plain(const float* x, float* y) { y[I] = x[I] + 1; }
extern "C" __global__ void divides(const double* x, double* y, long long n) {
  y[I] = sqrt(x[I]) / x[I + 1] + 1.0 / y[I];
  for (long long i = n; i > 1; i /= 3) y[I + 8192 * (i % 5)] = 2;
}
)";

TEST_F(Author, IsToldWhatToChangeAndWhatItGains) {
  folder.write("simple.cu", test::banks_kernel("const float* x, float* y, int s") + simple);
  const auto advice = [&](const std::string& kernel, const std::string& stride) {
    return document("simple.cu", {"--kernel", kernel, "--arg", "s=" + stride})["advice"].get<std::string>();
  };
  const auto saved = [](const std::string& line) {
    std::smatch percent;
    return std::regex_search(line, percent, std::regex("forecast to save ([0-9.]+) ?%")) ? std::stod(percent[1]) : 0;
  };
  const auto conflicts = advice("banks", "32"), strides = advice("strided", "32");
  EXPECT_NE(conflicts.find("remove the bank conflicts in shared memory next"), std::string::npos) << conflicts;
  EXPECT_GT(saved(conflicts), 50) << conflicts;
  EXPECT_NE(strides.find("let neighbouring threads access neighbouring addresses next"), std::string::npos) << strides;
  EXPECT_GT(saved(strides), 10) << strides;
  EXPECT_EQ(advice("banks", "1").find("remove the bank conflicts"), std::string::npos);
  for (const auto& line : {conflicts, strides}) {
    EXPECT_TRUE(line.starts_with("rely on overlapped: bound by the ")) << line;
    EXPECT_EQ(line.find('\n'), std::string::npos);
  }
}

TEST_F(Author, GetsTheMachineCodesScheduleWithDivisionsAndRoots) {
  folder.write("simple.cu", simple);
  const auto report = document("simple.cu", {"--kernel", "divides", "--arg", "n=1000"});
  EXPECT_EQ(report["overlap"]["schedule"], "machine code") << report["notes"];
  for (const auto* part : {"launch_s", "transient_s", "wave_s"}) EXPECT_GE(report["overlap"][part].get<double>(), 0);
}

TEST_F(Author, SeesOneModelUnlessHeAsksForThePapersThree) {
  folder.write("simple.cu", simple);
  const Words asked{"--kernel", "plain"};
  const auto plain = forecast("simple.cu", asked).out;
  EXPECT_NE(plain.find("overlapped"), std::string::npos) << plain;
  EXPECT_EQ(plain.find("\nserialized"), std::string::npos) << plain;
  EXPECT_FALSE(std::regex_search(plain, std::regex("[-−][0-9.]+ (n|µ|m)?s"))) << "a negative part: " << plain;
  Words all = asked;
  all.insert(all.end(), {"--model", "all", "--symbolic"});
  const auto symbolic = forecast("simple.cu", all).out;
  for (const auto* model : {"naive", "operations", "serialized", "overlapped"})
    EXPECT_NE(symbolic.find(model), std::string::npos) << symbolic;
  for (const auto* meaning : {"instances in all", "at once, so that ceil(N/n) is", "a load from memory",
                              "a store to memory", "between two loads from memory that queue"})
    EXPECT_NE(symbolic.find(meaning), std::string::npos) << symbolic;
}

TEST_F(Author, GetsAPictureThatFitsAScreen) {
  folder.write("wide.cu", R"(extern "C" __global__ void wide(const float* x, float* y) {
  float a[48];
#pragma unroll
  for (int i = 0; i < 48; ++i) a[i] = x[i * 8192 + blockIdx.x * 128 + threadIdx.x];
#pragma unroll
  for (int i = 0; i < 48; ++i) y[i * 8192 + blockIdx.x * 128 + threadIdx.x] = a[i] * a[(i + 7) % 48] + a[(i * 5) % 48];
}
)");
  const auto file = folder.path() / "wide.svg";
  ASSERT_EQ(forecast("wide.cu", {"--graph", file.string()}).exit_code, 0);
  std::smatch size;
  const auto text = read_text(file);
  ASSERT_TRUE(
      std::regex_search(text, size, std::regex("width=\"(\\d+)\" height=\"(\\d+)\" viewBox=\"0 0 (\\d+) (\\d+)\"")));
  EXPECT_LE(std::stoi(size[1]), 1280);
  EXPECT_LE(std::stoi(size[2]), 800);
  EXPECT_GT(std::stoi(size[4]), 800) << "this graph would not have fitted";
}

}  // namespace
}  // namespace sparsecast::test
