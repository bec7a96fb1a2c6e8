// A plan on a device: x and y in its memory, one upload a call, blocks in queues of their own. PoCL is the device.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <sparsecast/device_plan.hpp>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>
#include <thread>

#include "planning/run/device_runner.hpp"
#include "support/parts.hpp"

namespace sparsecast {
namespace {

bool opencl_is_here() {
  return std::ranges::any_of(hardware::present_devices().devices,
                             [](const DeviceProperties& device) { return device.name == "opencl:0"; });
}
#define NEEDS_OPENCL() \
  if (!opencl_is_here()) SKIP_OR_FAIL(test::parts::opencl)

// Consecutive blocks of about equal rows, one for each kernel.
Strategy on_opencl(const Matrix& matrix, const std::vector<std::string>& kernels, Precision precision) {
  Strategy strategy;
  strategy.device = "opencl:0";
  strategy.precision = precision;
  const auto count = static_cast<std::int64_t>(kernels.size());
  for (std::int64_t b = 0; b < count; ++b) {
    PlannedBlock& block = strategy.blocks.emplace_back();
    block.first_row = matrix.rows() * b / count;
    block.last_row = matrix.rows() * (b + 1) / count - 1;
    block.kernel = kernels[static_cast<std::size_t>(b)];
  }
  return strategy;
}
const std::vector<std::vector<std::string>> cuts{{"csr-vector"}, {"coo", "sell", "csr-vector", "sell", "coo"}};

template <class Value>
std::vector<Value> input(std::int64_t size) {
  std::vector<Value> x(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<Value>(1 + 0.25 * static_cast<double>(i % 7));
  return x;
}

Matrix random_rows(std::int64_t rows, std::int64_t cols, std::uint64_t seed) {
  return generate({"powerlaw", 0, 6, rows, cols, seed, {}});
}

// Values between −1 and 1, a few in a row: sums are near 1 and rounding far below this.
template <class Value>
constexpr double near = sizeof(Value) == 8 ? 1e-11 : 1e-3;

template <class Value>
void expect_near(const std::vector<Value>& y, const std::vector<double>& expected) {
  ASSERT_EQ(y.size(), expected.size());
  for (std::size_t i = 0; i < y.size(); ++i)
    ASSERT_NEAR(static_cast<double>(y[i]), expected[i], near<Value> * (1 + std::abs(expected[i]))) << "entry " << i;
}

template <class Value>
std::vector<double> product(const Matrix& matrix, const std::vector<Value>& x) {
  std::vector<double> y(static_cast<std::size_t>(matrix.rows()), 0);
  matrix.visit([&](const auto& csr) {
    for (std::int64_t row = 0; row < csr.rows; ++row)
      for (auto k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k)
        y[static_cast<std::size_t>(row)] += static_cast<double>(csr.values[k]) *
                                            static_cast<double>(x[static_cast<std::size_t>(csr.column_indices[k])]);
  });
  return y;
}

template <class Value>
void multiplies_memory_of_the_device(Precision precision) {
  const Matrix matrix = random_rows(701, 503, 3);
  const std::vector<Value> x = input<Value>(matrix.cols());
  const std::vector<double> expected = product(matrix, x);
  for (const std::vector<std::string>& kernels : cuts) {
    const Plan plan(matrix, on_opencl(matrix, kernels, precision));
    DeviceArray from(plan, matrix.cols() * static_cast<std::int64_t>(sizeof(Value)));
    const DeviceArray to(plan, matrix.rows() * static_cast<std::int64_t>(sizeof(Value)));
    from.upload(x.data(), from.bytes());
    apply_on_device(plan, from.memory(), to.memory());
    std::vector<Value> y(static_cast<std::size_t>(matrix.rows()), Value{-7});
    to.download(y.data(), to.bytes());
    expect_near(y, expected);
  }
}

TEST(DevicePlan, MultipliesMemoryOfTheDeviceInDouble) {
  NEEDS_OPENCL();
  multiplies_memory_of_the_device<double>(Precision::double_);
}
TEST(DevicePlan, MultipliesMemoryOfTheDeviceInFloat) {
  NEEDS_OPENCL();
  multiplies_memory_of_the_device<float>(Precision::single_);
}

TEST(DevicePlan, ProductsFollowEachOtherWithoutTheHost) {
  NEEDS_OPENCL();
  const Matrix matrix = random_rows(400, 400, 9);
  std::vector<double> x = input<double>(400);
  for (const std::vector<std::string>& kernels : cuts) {
    const Plan plan(matrix, on_opencl(matrix, kernels, Precision::double_));
    DeviceArray one(plan, 3200), other(plan, 3200);
    one.upload(x.data(), 3200);
    for (int i = 0; i < 2; ++i) {
      apply_on_device(plan, one.memory(), other.memory());
      apply_on_device(plan, other.memory(), one.memory());
    }
    wait_for_device(plan);
    std::vector<double> y(400);
    one.download(y.data(), 3200);
    expect_near(y, product(matrix, product(matrix, product(matrix, product(matrix, x)))));
  }
}

TEST(DevicePlan, TakesVectorsOfTheHostScaledAndInBlocks) {
  NEEDS_OPENCL();
  const Matrix matrix = random_rows(301, 257, 4);
  const std::vector<double> x = input<double>(257), once = product(matrix, x);
  for (const std::vector<std::string>& kernels : cuts) {
    const Plan plan(matrix, on_opencl(matrix, kernels, Precision::double_));
    std::vector<double> y(301, std::nan(""));
    plan.apply(x, y);
    expect_near(y, once);
    plan.apply(x, y, 2.0, -0.5);
    std::vector<double> scaled = once;
    for (double& entry : scaled) entry *= 1.5;
    expect_near(y, scaled);
    // Two vectors by rows, the second of them twice the first.
    std::vector<double> block, results(602, std::nan(""));
    for (const double entry : x) block.insert(block.end(), {entry, 2 * entry});
    plan.apply_block(VectorBlock<const double>{.data = block, .vectors = 2},
                     VectorBlock<double>{.data = results, .vectors = 2});
    for (std::size_t i = 0; i < 301; ++i) {
      ASSERT_NEAR(results[2 * i], once[i], near<double> * (1 + std::abs(once[i])));
      ASSERT_NEAR(results[2 * i + 1], 2 * once[i], 2 * near<double> * (1 + std::abs(once[i])));
    }
  }
}

TEST(DevicePlan, CallsAllocateNothing) {
  NEEDS_OPENCL();
  const Matrix matrix = random_rows(301, 301, 4);
  const Plan plan(matrix, on_opencl(matrix, cuts[1], Precision::double_));
  const hardware::ResidentSide& side =
      *dynamic_cast<const planning::DeviceRunner&>(planning::Runner::of(plan)).device()->resident();
  const std::vector<double> x = input<double>(301);
  std::vector<double> y(301);
  const DeviceArray from(plan, 2408), to(plan, 2408);
  const std::int64_t before = side.allocations();
  EXPECT_GT(before, 0);
  for (int i = 0; i < 3; ++i) {
    plan.apply(x, y, 2.0, 1.0);
    apply_on_device(plan, from.memory(), to.memory());
  }
  EXPECT_EQ(side.allocations(), before);
}

TEST(DevicePlan, ThreadsTakeTurns) {
  NEEDS_OPENCL();
  const Matrix matrix = random_rows(301, 257, 4);
  const Plan plan(matrix, on_opencl(matrix, cuts[1], Precision::double_));
  const std::vector<double> x = input<double>(257), expected = product(matrix, x);
  std::vector<std::vector<double>> results(4, std::vector<double>(301));
  {
    std::vector<std::jthread> callers;
    for (std::vector<double>& y : results) callers.emplace_back([&] { plan.apply(x, y); });
  }
  for (const std::vector<double>& y : results) expect_near(y, expected);
}

TEST(DevicePlan, TellsWhatDrivesTheDevice) {
  NEEDS_OPENCL();
  const Matrix matrix = random_rows(30, 30, 4);
  const Plan plan(matrix, on_opencl(matrix, cuts[0], Precision::double_)), copy = plan;
  const DeviceHandles handles = device_handles(plan);
  EXPECT_EQ(handles.api, "OpenCL");
  EXPECT_NE(handles.context, nullptr);
  EXPECT_NE(handles.queue, nullptr);
  EXPECT_EQ(device_handles(copy).context, handles.context);
  DeviceArray array(plan, 16);
  const std::vector<double> values(3);
  EXPECT_THROW(array.upload(values.data(), 24), Error);
}

// Another plan of the same device stands for the caller: a context and a queue that are not the first one's.
template <class Value>
void multiplies_in_the_callers_queue(Precision precision) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(Value));
  constexpr std::int64_t most = 5, gap = 3;  // vectors, and entries before the first
  const Matrix matrix = random_rows(701, 503, 3);
  const Plan caller(matrix, on_opencl(matrix, cuts[0], precision));
  const DeviceHandles theirs = device_handles(caller);
  const std::vector<Value> x = input<Value>(gap + most * 503);
  const std::vector<Value> before = input<Value>(gap + most * 701);
  DeviceArray from(caller, static_cast<std::int64_t>(x.size()) * size);
  DeviceArray to(caller, static_cast<std::int64_t>(before.size()) * size);
  from.upload(x.data(), from.bytes());
  for (const std::vector<std::string>& kernels : cuts) {
    const Plan plan(matrix, on_opencl(matrix, kernels, precision));
    const DeviceProducts products(plan, matrix);
    for (const std::int64_t vectors : {std::int64_t{1}, std::int64_t{2}, most})
      for (const bool by_rows : {true, false})
        for (const std::int64_t first : {std::int64_t{0}, gap})
          for (const auto& [alpha, beta] : {std::pair{1.0, 0.0}, {2.0, -0.5}, {0.0, 1.0}}) {
            to.upload(before.data(), to.bytes());
            const auto block = [&](const DeviceArray& array, std::int64_t rows) {
              return DeviceVectors{array.memory(), first, rows, vectors, by_rows ? vectors : 1, by_rows ? 1 : rows};
            };
            products.apply(block(from, 503), block(to, 701), alpha, beta, theirs.context, theirs.queue);
            std::vector<Value> y(before.size());
            to.download(y.data(), to.bytes());
            std::vector<double> expected(before.begin(), before.end());
            for (std::int64_t v = 0; v < vectors; ++v) {
              std::vector<Value> one(503);
              for (std::int64_t i = 0; i < 503; ++i)
                one[static_cast<std::size_t>(i)] =
                    x[static_cast<std::size_t>(first + (by_rows ? i * vectors + v : v * 503 + i))];
              const std::vector<double> result = product(matrix, one);
              for (std::int64_t i = 0; i < 701; ++i) {
                double& entry = expected[static_cast<std::size_t>(first + (by_rows ? i * vectors + v : v * 701 + i))];
                entry = alpha * result[static_cast<std::size_t>(i)] + beta * entry;
              }
            }
            expect_near(y, expected);
          }
  }
}

TEST(DeviceProducts, MultiplyInTheCallersQueueInDouble) {
  NEEDS_OPENCL();
  multiplies_in_the_callers_queue<double>(Precision::double_);
}
TEST(DeviceProducts, MultiplyInTheCallersQueueInFloat) {
  NEEDS_OPENCL();
  multiplies_in_the_callers_queue<float>(Precision::single_);
}

TEST(DeviceProducts, RefuseWhatDoesNotFit) {
  NEEDS_OPENCL();
  const Matrix matrix = random_rows(30, 20, 4);
  const Plan plan(matrix, on_opencl(matrix, cuts[0], Precision::double_));
  const Plan caller(matrix, on_opencl(matrix, cuts[0], Precision::double_));
  const DeviceHandles own = device_handles(plan), theirs = device_handles(caller);
  const DeviceProducts products(plan, matrix);
  const DeviceArray x(plan, 160), y(plan, 240);
  EXPECT_NO_THROW(products.apply({x.memory(), 0, 20}, {y.memory(), 0, 30}, 1, 0, own.context, own.queue));
  for (const auto& [from, to] : {std::pair<std::int64_t, std::int64_t>{30, 30}, {20, 20}})
    EXPECT_THROW(products.apply({x.memory(), 0, from}, {y.memory(), 0, to}, 1, 0, own.context, own.queue), Error);
  EXPECT_THROW(products.apply({x.memory(), 0, 20}, {y.memory(), 0, 30}, 1, 0, own.context, theirs.queue), Error);
  EXPECT_NO_THROW(products.apply({x.memory(), 0, 20}, {y.memory(), 0, 30}, 1, 0, own.context, own.queue));
  wait_for_device(plan);
  EXPECT_THROW(DeviceProducts(Plan(matrix, one_kernel(matrix, "csr")), matrix), Error);
}

TEST(DevicePlan, OfTheHostHasNone) {
  const Matrix matrix = random_rows(30, 30, 4);
  const Plan plan(matrix, one_kernel(matrix, "csr"));
  std::vector<double> x(30), y(30);
  for (const auto& call : std::vector<std::function<void()>>{
           [&] { apply_on_device(plan, x.data(), y.data()); }, [&] { wait_for_device(plan); },
           [&] { static_cast<void>(device_handles(plan)); }, [&] { const DeviceArray array(plan, 8); }}) {
    try {
      call();
      ADD_FAILURE() << "a plan on the host has memory of a device's";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::unavailable);
    }
  }
}

}  // namespace
}  // namespace sparsecast
