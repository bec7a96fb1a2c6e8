// Every GPU kernel against the sequential oracle, on the OpenCL device that is here (PoCL runs them on a CPU).

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sparsecast/error.hpp>

#include "hardware/gpu/gpu_product.hpp"
#include "hardware/self_check.hpp"
#include "support/command.hpp"
#include "support/matrices.hpp"
#include "support/parts.hpp"
#ifdef SPARSECAST_OPENCL
#include "hardware/gpu/opencl/runtime.hpp"
#endif

namespace sparsecast {
namespace {

// nullptr where no OpenCL device is here.
std::unique_ptr<hardware::Device> open_gpu(const hardware::GpuLaunchLimits& limits = {}) {
#ifdef SPARSECAST_OPENCL
  if (!hardware::opencl_devices().empty()) return hardware::gpu_device(hardware::open_opencl(0), limits);
#endif
  static_cast<void>(limits);
  return nullptr;
}

#define OPEN_GPU_OR_SKIP(device, ...)        \
  const auto device = open_gpu(__VA_ARGS__); \
  if (device == nullptr) SKIP_OR_FAIL(test::parts::opencl)

const std::vector<std::string> our_kernels{"csr-scalar", "csr-vector", "csr-half", "csr-tiles",
                                           "csr-merge",  "csr-stream", "ell",      "coo",
                                           "hyb",        "jad",        "sell",     "sell-compact"};

class GpuKernel : public ::testing::TestWithParam<std::string> {};

TEST_P(GpuKernel, AgreesWithTheReferenceOnAwkwardMatrices) {
  OPEN_GPU_OR_SKIP(device);
  const auto matrices = hardware::check_matrices(device->properties());
  EXPECT_GT(matrices.size(), 10U);
  for (const hardware::CheckMatrix& matrix : matrices) {
    for (const Precision precision : {Precision::single_, Precision::double_}) {
      const KernelCheck check = hardware::check_kernel(*device, matrix, GetParam(), precision);
      EXPECT_TRUE(check.agrees) << matrix.name << ", " << check.offset_bits << "-bit row pointers, "
                                << value_bytes(precision) << " bytes a value: " << check.remark;
    }
  }
}

// As with more rows than one dimension of a grid allows.
TEST_P(GpuKernel, StridesOverAGridThatIsTooSmall) {
  OPEN_GPU_OR_SKIP(device, hardware::GpuLaunchLimits{.most_groups = 3});
  int large = 0;
  for (const hardware::CheckMatrix& matrix : hardware::check_matrices(device->properties())) {
    // Three groups reach 768 rows or 5376 non-zeros in one go.
    if (matrix.matrix.rows() < 768 && matrix.matrix.nonzeros() < 5376) continue;
    const KernelCheck check = hardware::check_kernel(*device, matrix, GetParam(), Precision::double_);
    EXPECT_TRUE(check.agrees) << matrix.name << ": " << check.remark;
    ++large;
  }
  EXPECT_GE(large, 3);
}

TEST_P(GpuKernel, RepeatsItself) {
  OPEN_GPU_OR_SKIP(device);
  const Matrix matrix = test::random_matrix(3000, 2000, 30000, 5);
  const auto product = device->prepare(matrix, analyze(matrix), GetParam(), Precision::double_);
  const std::vector<double> x(2000, 1.25), other(2000, -3);
  const std::vector<double> first = product->multiply(x);
  product->run(3);
  product->multiply(other);
  EXPECT_EQ(product->multiply(x), first);
}

TEST_P(GpuKernel, TellsItsBytesAndItsTime) {
  OPEN_GPU_OR_SKIP(device);
  const Matrix matrix = test::random_matrix(5000, 5000, 100000, 5);
  const Structure structure = analyze(matrix);
  const auto product = device->prepare(matrix, structure, GetParam(), Precision::single_);
  EXPECT_GT(product->run(2), 0);
  EXPECT_GT(product->preprocess_seconds(), 0);
  // The forecast of the size leaves out what carries from group to group, a few kilobytes.
  const std::int64_t bytes = device->format_bytes(structure, GetParam(), Precision::single_);
  EXPECT_GE(product->bytes(), bytes);
  EXPECT_LE(product->bytes(), bytes + 16384);
}

TEST_P(GpuKernel, RefusesWhatDoesNotFitTheDeviceAndTriesNothing) {
  OPEN_GPU_OR_SKIP(device);
  const Matrix matrix = test::random_matrix(10, 10, 30, 1);
  Structure huge = analyze(matrix);
  huge.rows = 2'000'000'000;
  huge.nonzeros = 2'000'000'000'000;
  huge.row_max = 1000;
  huge.row_histogram = {{1000, 2'000'000'000}};
  for (SliceWork& slice : huge.slices) slice.slots = huge.nonzeros;
  try {
    (void)device->prepare(matrix, huge, GetParam(), Precision::double_);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::too_large);
    EXPECT_TRUE(error.reason().starts_with("too large: ")) << error.what();
    EXPECT_NE(error.reason().find("GB"), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Ours, GpuKernel, ::testing::ValuesIn(our_kernels),
                         [](const auto& info) { return test::identifier(info.param); });

TEST(GpuDevice, RunsOurKernelsInTheOrderOfTheTable) {
  OPEN_GPU_OR_SKIP(device);
  EXPECT_EQ(device->kernels(), our_kernels);
}

TEST(GpuDevice, SkipsPaddedSlotsWhereXIsInfinite) {
  OPEN_GPU_OR_SKIP(device);
  // Row 0 has three entries, row 1 one, so that row 1 is padded; x is infinite in column 0 only.
  Csr<std::int32_t, std::int32_t> csr{2, 4, {}, {}, {}};
  csr.row_pointers = {0, 3, 4};
  csr.column_indices = {1, 2, 3, 2};
  csr.values = {1, 1, 1, 5};
  const Matrix matrix(std::move(csr), "padded");
  const std::vector<double> x{std::numeric_limits<double>::infinity(), 1, 2, 3};
  for (const std::string& kernel : our_kernels) {
    const auto y = device->prepare(matrix, analyze(matrix), kernel, Precision::double_)->multiply(x);
    EXPECT_EQ(y, (std::vector<double>{6, 10})) << kernel;
  }
}

// A block by rows, of fewer vectors than a group has threads, of as many, and of more.
TEST(GpuDevice, SeveralVectorsGiveWhatEachGives) {
  OPEN_GPU_OR_SKIP(device, hardware::GpuLaunchLimits{.most_groups = 7});
  const Matrix matrix = test::random_matrix(700, 300, 9000, 4);
  const Structure structure = analyze(matrix);
  const auto alone = device->prepare(matrix, structure, "csr-stream", Precision::double_);
  for (const std::int64_t vectors : {2, 7, 256, 300}) {
    const auto block = device->prepare(matrix, structure, "csr-stream", Precision::double_, {.vectors = vectors});
    std::vector<double> x(static_cast<std::size_t>(300 * vectors));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.5 + static_cast<double>(i * 40503 % 1024) / 1024;
    const std::vector<double> y = block->multiply(x);
    ASSERT_EQ(y.size(), static_cast<std::size_t>(700 * vectors));
    EXPECT_GT(block->run(1), 0);
    for (const std::int64_t v : {std::int64_t{0}, vectors / 2, vectors - 1}) {
      std::vector<double> of_v(300);
      for (std::int64_t i = 0; i < 300; ++i) of_v[i] = x[i * vectors + v];
      const std::vector<double> expected = alone->multiply(of_v);
      const double largest = std::abs(*std::ranges::max_element(expected, {}, [](double e) { return std::abs(e); }));
      for (std::int64_t i = 0; i < 700; ++i)
        ASSERT_NEAR(y[i * vectors + v], expected[i], 1e-13 * largest) << vectors << ", " << v;
    }
  }
  EXPECT_THROW((void)device->prepare(matrix, structure, "sell", Precision::double_, {.vectors = 2}), Error);
}

TEST(GpuDevice, UnknownKernelIsAUsageErrorThatListsTheKnown) {
  OPEN_GPU_OR_SKIP(device);
  const Matrix matrix;
  for (const std::string kernel : {"csr", "csr9"}) {
    try {
      (void)device->prepare(matrix, analyze(matrix), kernel, Precision::double_);
      FAIL() << "accepted " << kernel;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage);
      EXPECT_NE(error.remedy().find("csr-vector"), std::string::npos);
    }
  }
}

TEST(GpuDevice, VendorKernelsAreUnavailableWithoutTheVendor) {
  OPEN_GPU_OR_SKIP(device);
  const Matrix matrix;
  try {
    (void)device->prepare(matrix, analyze(matrix), "vendor-csr", Precision::double_);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unavailable);
  }
}

TEST(GpuDevice, WrongLengthOfXIsRefused) {
  OPEN_GPU_OR_SKIP(device);
  const Matrix matrix = test::random_matrix(10, 20, 50, 1);
  const auto product = device->prepare(matrix, analyze(matrix), "csr-scalar", Precision::double_);
  EXPECT_THROW((void)product->multiply(std::vector<double>(10)), Error);
}

TEST(GpuDevice, PropertiesGiveStripsOfCpuDevices) {
  OPEN_GPU_OR_SKIP(device);
  const DeviceProperties& p = device->properties();
  EXPECT_EQ(p.name, "opencl:0");
  EXPECT_EQ(p.strip("ell"), std::int64_t{p.compute_units} * p.threads_per_unit);
  EXPECT_EQ(p.strip("csr-vector") * p.warp_size, p.strip("ell"));
  EXPECT_EQ(p.strip("csr-half"), 2 * p.strip("csr-vector"));
  EXPECT_EQ(p.strip("vendor-csr"), 0) << "cuSPARSE runs on cuda devices only";
}

TEST(SlowGpuDevice, CurvesArePositiveAndAscendInFootprint) {
  OPEN_GPU_OR_SKIP(device);
  std::vector<Curve> curves;
  device->measure_curves(curves, true, {});
  std::vector<std::string> names;
  for (const Curve& curve : curves) {
    names.push_back(curve.name);
    ASSERT_EQ(curve.x.size(), curve.y.size()) << curve.name;
    ASSERT_FALSE(curve.x.empty()) << curve.name;
    EXPECT_TRUE(std::ranges::is_sorted(curve.x)) << curve.name;
    for (const double y : curve.y) EXPECT_TRUE(std::isfinite(y) && y >= 0) << curve.name;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"read_bandwidth", "copy_bandwidth", "gather_rate", "latency", "launch"}));
}

TEST(OpenClProgramCache, IsUsedAndSurvivesDamage) {
  if (open_gpu() == nullptr) SKIP_OR_FAIL(test::parts::opencl);
  const test::TemporaryFolder home;
  const std::string old = std::getenv("SPARSECAST_HOME") != nullptr ? std::getenv("SPARSECAST_HOME") : "";
  setenv("SPARSECAST_HOME", home.path().c_str(), 1);
  const Matrix matrix = test::random_matrix(100, 100, 500, 2);
  const std::vector<double> x(100, 1);
  const auto multiply = [&] {
    return open_gpu()->prepare(matrix, analyze(matrix), "ell", Precision::double_)->multiply(x);
  };
  const std::vector<double> compiled = multiply();
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(home.path() / "opencl")) files.push_back(entry.path());
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(multiply(), compiled);
  // The right key before a binary that is none.
  const std::string content = test::read_text(files[0]);
  std::ofstream(files[0], std::ios::binary) << content.substr(0, content.size() / 2);
  EXPECT_EQ(multiply(), compiled);
  std::ofstream(files[0], std::ios::binary) << "nonsense";
  EXPECT_EQ(multiply(), compiled);
  old.empty() ? unsetenv("SPARSECAST_HOME") : setenv("SPARSECAST_HOME", old.c_str(), 1);
}

}  // namespace
}  // namespace sparsecast
