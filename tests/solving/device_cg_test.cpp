// Conjugate gradients on a device against the host's. PoCL is the device.

#include <gtest/gtest.h>

#include <algorithm>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>

#include "hardware/device.hpp"
#include "solving/solve.hpp"
#include "support/parts.hpp"

namespace sparsecast::test {
namespace {

using namespace solving;

class DeviceCg : public testing::Test {
 protected:
  void SetUp() override {
    if (std::ranges::none_of(hardware::present_devices().devices,
                             [](const DeviceProperties& device) { return device.name == "opencl:0"; }))
      SKIP_OR_FAIL(parts::opencl);
  }
};

Matrix grid(int size) { return generate({.kind = "poisson2d", .parameters = {.size = size}}); }
Matrix diagonal(const std::vector<double>& values) {
  Csr<std::int32_t, std::int32_t> csr{std::ssize(values), std::ssize(values), {0}, {}, {}};
  for (const double value : values) {
    csr.column_indices.push_back(static_cast<std::int32_t>(csr.values.size()));
    csr.values.push_back(value);
    csr.row_pointers.push_back(static_cast<std::int32_t>(csr.values.size()));
  }
  return {std::move(csr), "diagonal"};
}
SolveTask task(const std::string& device) {
  SolveTask task{.method = parse_method("cg"), .kernel = "sell", .device = device};
  task.run.tolerance = 1e-10;
  return task;
}

TEST_F(DeviceCg, FindsWhatTheHostFinds) {
  const Matrix matrix = grid(70);
  const SolveResult host = run_solve(matrix, task("host")), device = run_solve(matrix, task("opencl:0"));
  ASSERT_EQ(device.ending, Ending::converged);
  EXPECT_LE(device.residual, 1e-10);
  EXPECT_NEAR(static_cast<double>(device.iterations), static_cast<double>(host.iterations), 17) << "looked at every 16";
  for (std::size_t i = 0; i < host.x.size(); ++i) ASSERT_NEAR(device.x[i], host.x[i], 1e-6);
}

TEST_F(DeviceCg, MultipliesByAKernelThatTheHostDoesNotHave) {
  SolveTask one = task("opencl:0");
  one.kernel = "csr-vector";
  EXPECT_EQ(run_solve(grid(20), one).ending, Ending::converged);
  one.device = "host";
  EXPECT_THROW((void)run_solve(grid(20), one), Error);
}

TEST_F(DeviceCg, GoesOnPastTheSolutionWithoutHarm) {
  SolveTask many = task("opencl:0");
  many.run.iterations = 40;  // two eigenvalues: two are enough
  many.run.until_tolerance = false;
  const SolveResult result = run_solve(diagonal({2, 3, 2, 3, 2}), many);
  EXPECT_EQ(result.iterations, 40);
  EXPECT_LE(result.residual, 1e-14);
}

TEST_F(DeviceCg, SaysThatAMatrixIsNotPositiveDefinite) {
  // A positive diagonal, and eigenvalues of 3 and -1.
  Csr<std::int32_t, std::int32_t> csr{2, 2, {0, 2, 4}, {0, 1, 0, 1}, {1, 2, 2, 1}};
  SolveTask one = task("opencl:0");
  one.run.iterations = 1;
  const SolveResult result = run_solve(Matrix(std::move(csr), "saddle"), one, Vector{1, -1});
  EXPECT_EQ(result.ending, Ending::broke_down);
  EXPECT_EQ(result.reason, "the matrix is not positive definite");
}

TEST_F(DeviceCg, TakesNoOtherMethodAndNoPreconditioner) {
  SolveTask other = task("opencl:0");
  other.method = parse_method("bicgstab");
  EXPECT_THROW((void)run_solve(grid(8), other), Error);
  other = task("opencl:0");
  other.preconditioner = PreconditionerKind::jacobi;
  EXPECT_THROW((void)run_solve(grid(8), other), Error);
}

}  // namespace
}  // namespace sparsecast::test
