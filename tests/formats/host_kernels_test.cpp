// Every host kernel against the plain sequential product, on every awkward shape, in both precisions.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>

#include "formats/awkward_matrices.hpp"
#include "formats/host_product.hpp"
#include "formats/kernels.hpp"
#include "formats/reference.hpp"
#include "formats/within_bound.hpp"

namespace sparsecast {
namespace {

using testing::awkward_matrices;
using testing::expect_within_bound;
using testing::input_vector;

template <class Value>
std::unique_ptr<formats::HostProduct<Value>> build(const formats::HostKernel& kernel, const Matrix& matrix,
                                                   int threads) {
  if constexpr (std::is_same_v<Value, float>) {
    return kernel.build_single(matrix, threads);
  } else {
    return kernel.build_double(matrix, threads);
  }
}

class EveryHostKernel : public ::testing::TestWithParam<std::string_view> {
 protected:
  const formats::HostKernel& kernel = *formats::find_host_kernel(GetParam());

  template <class Value>
  void agrees(const Matrix& matrix, int threads) {
    const std::vector<Value> x = input_vector<Value>(matrix.cols());
    const auto product = build<Value>(kernel, matrix, threads);
    std::vector<Value> y(static_cast<std::size_t>(matrix.rows()), std::numeric_limits<Value>::quiet_NaN());
    product->apply(x, y);
    expect_within_bound(y, formats::reference_product<Value>(matrix, x));
    std::vector<Value> again(y.size(), Value{-1});
    product->apply(x, again);
    EXPECT_EQ(y, again) << "another result on the second call";
  }
};

TEST_P(EveryHostKernel, AgreesWithTheSequentialProduct) {
  for (const auto& [name, make] : awkward_matrices()) {
    const Matrix matrix = make();
    ASSERT_TRUE(matrix.is_canonical()) << name;
    for (const int threads : {1, 2, 3, 5}) {
      SCOPED_TRACE(name + ", threads " + std::to_string(threads));
      agrees<double>(matrix, threads);
      agrees<float>(matrix, threads);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(EveryHostKernel, SaysItsSizeBeforeItIsBuilt) {
  for (const auto& [name, make] : awkward_matrices()) {
    if (name == "WideOffsets" || name == "WideIndices") continue;  // wider storage than their sizes call for
    const Matrix matrix = make();
    const Structure structure = analyze(matrix, 2);
    EXPECT_EQ(kernel.bytes(structure, 8), kernel.build_double(matrix, 2)->bytes()) << name << ", double";
    EXPECT_EQ(kernel.bytes(structure, 4), kernel.build_single(matrix, 2)->bytes()) << name << ", single";
  }
}

TEST_P(EveryHostKernel, PaddingDoesNotTouchInfiniteEntriesOfX) {
  // Entries of x that no row refers to, at both ends: a padded slot that reads one of them would give 0·∞ = NaN.
  const Matrix matrix = testing::from_rows(12, {{1, 5, 9}, {}, {4}, {2, 3, 4, 5, 6, 7, 8}, {}, {10}});
  std::vector<double> x = input_vector<double>(12);
  x.front() = x.back() = std::numeric_limits<double>::infinity();
  std::vector<double> y(6);
  kernel.build_double(matrix, 2)->apply(x, y);
  expect_within_bound(y, formats::reference_product<double>(matrix, x));
  EXPECT_EQ(y[1], 0);
  EXPECT_EQ(y[4], 0);
}

TEST_P(EveryHostKernel, HolesInAStructureDoNotTouchInfiniteEntriesOfX) {
  // Nobody has an entry in columns 20 and 21, which lie on dense diagonals and within blocks.
  const auto columns_of = [](auto&& wanted) {
    std::vector<std::vector<std::int64_t>> rows(96);
    for (std::int64_t r = 0; r < 96; ++r)
      for (std::int64_t c = 0; c < 96; ++c)
        if (wanted(r, c) && c / 2 != 10) rows[static_cast<std::size_t>(r)].push_back(c);
    return testing::from_rows(96, rows);
  };
  const Matrix diagonals = columns_of([](auto r, auto c) { return std::abs(r - c) < 3; });
  const Matrix blocks = columns_of([](auto r, auto c) { return (r / 4 + c / 4) % 3 == 0; });
  ASSERT_GT(analyze(diagonals).dense_diagonals.diagonals, 0);
  ASSERT_EQ(analyze(blocks).dense_blocks.rows, 4);
  for (const Matrix& matrix : {diagonals, blocks}) {
    std::vector<double> x = input_vector<double>(96);
    x[20] = std::numeric_limits<double>::infinity();
    x[21] = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> y(96);
    kernel.build_double(matrix, 2)->apply(x, y);
    expect_within_bound(y, formats::reference_product<double>(matrix, x));
  }
}

TEST_P(EveryHostKernel, MayBeAppliedByManyThreadsAtOnce) {
  const Matrix matrix = awkward_matrices().back().make();
  const auto product = kernel.build_double(matrix, 2);
  const std::vector<double> x = input_vector<double>(matrix.cols());
  std::vector<double> expected(static_cast<std::size_t>(matrix.rows()));
  product->apply(x, expected);
  std::vector<std::vector<double>> results(4, std::vector<double>(expected.size()));
  {
    std::vector<std::jthread> callers;
    for (auto& y : results)
      callers.emplace_back([&] {
        for (int i = 0; i < 20; ++i) product->apply(x, y);
      });
  }
  for (const auto& y : results) EXPECT_EQ(y, expected);
}

std::vector<std::string_view> names() {
  std::vector<std::string_view> all;
  for (const formats::HostKernel& kernel : formats::host_kernels()) all.push_back(kernel.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Kernels, EveryHostKernel, ::testing::ValuesIn(names()), [](const auto& info) {
  std::string name(info.param);
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
});

TEST(HostKernels, AreThoseWithASizeAndBuildersForBothPrecisions) {
  for (const formats::HostKernel& kernel : formats::host_kernels())
    EXPECT_TRUE(kernel.bytes && kernel.build_single && kernel.build_double) << kernel.name;
  EXPECT_EQ(formats::find_host_kernel("csr-vector"), nullptr) << "runs on GPUs alone";
}

TEST(HostKernels, AnUnknownNameIsNotFound) { EXPECT_EQ(formats::find_host_kernel("csr5"), nullptr); }

}  // namespace
}  // namespace sparsecast
