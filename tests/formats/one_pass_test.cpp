// Aᵀ·(A·x) in one pass, against sums written out in double, of every kernel that has it: on every awkward shape, bands
// and scattered columns, in both precisions, on one thread and on several.

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <limits>
#include <sparsecast/generate.hpp>

#include "formats/awkward_matrices.hpp"
#include "formats/kernels.hpp"
#include "formats/one_pass.hpp"

namespace sparsecast {
namespace {

// Σ aᵢ·(aᵢ·x), and the same of sizes alone, which rounding errors are a share of.
struct Sums {
  std::vector<double> y, sizes;
  std::int64_t longest = 0;
};
template <class Value>
Sums sums_of(const Matrix& matrix, const std::vector<Value>& x) {
  Sums sums{std::vector<double>(x.size()), std::vector<double>(x.size())};
  matrix.visit([&](const auto& csr) {
    for (std::int64_t row = 0; row < csr.rows; ++row) {
      double dot = 0, size = 0;
      for (auto k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k) {
        const double term = static_cast<double>(static_cast<Value>(csr.values[k])) *
                            static_cast<double>(x[static_cast<std::size_t>(csr.column_indices[k])]);
        dot += term;
        size += std::abs(term);
      }
      for (auto k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k) {
        const double value = static_cast<double>(static_cast<Value>(csr.values[k]));
        sums.y[static_cast<std::size_t>(csr.column_indices[k])] += value * dot;
        sums.sizes[static_cast<std::size_t>(csr.column_indices[k])] += std::abs(value) * size;
      }
      sums.longest = std::max<std::int64_t>(sums.longest, csr.row_pointers[row + 1] - csr.row_pointers[row]);
    }
  });
  return sums;
}

template <class Value>
void expect_sums(const formats::KernelInfo& kernel, const Matrix& matrix, int threads) {
  const auto product = kernel.host.build<Value>(matrix, threads);
  if (product->one_pass_units() == 0) return;
  const formats::OnePass<Value> pass(*product, matrix.cols());
  formats::Workspace<Value> workspace(threads);
  const std::vector<Value> x = testing::input_vector<Value>(matrix.cols());
  const Sums expected = sums_of(matrix, x);
  std::vector<Value> y(x.size(), std::numeric_limits<Value>::quiet_NaN()), again = y;
  pass.apply(x.data(), y.data(), workspace);
  pass.apply(x.data(), again.data(), workspace);
  EXPECT_EQ(y, again) << "another result on the second call";
  const double unit = std::numeric_limits<Value>::epsilon() * static_cast<double>(expected.longest + matrix.rows() + 2);
  for (std::size_t i = 0; i < y.size(); ++i)  // a NaN is wrong
    if (!(std::abs(static_cast<double>(y[i]) - expected.y[i]) <= unit * expected.sizes[i]))
      FAIL() << "entry " << i << " is " << y[i] << " and not " << expected.y[i];
}

void expect_of_all_kernels(const Matrix& matrix, const std::string& name) {
  for (const formats::KernelInfo& kernel : formats::kernel_table()) {
    if (!kernel.on_host || !formats::refusal_of(std::string(kernel.name), analyze(matrix, 1)).empty()) continue;
    for (const int threads : {1, 2, 7}) {
      SCOPED_TRACE(name + ", " + std::string(kernel.name) + ", threads " + std::to_string(threads));
      expect_sums<double>(kernel, matrix, threads);
      expect_sums<float>(kernel, matrix, threads);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(OnePass, IsRightOnEveryAwkwardShape) {
  for (const testing::NamedMatrix& one : testing::awkward_matrices()) expect_of_all_kernels(one.make(), one.name);
}

TEST(OnePass, IsRightWhereThreadsShareY) {
  const std::vector<MatrixSpec> specs{
      {.kind = "poisson2d", .parameters = {.size = 90}},
      {.kind = "poisson3d", .parameters = {.size = 17}},
      {.kind = "banded", .row_length = 7, .rows = 9000, .parameters = {.bandwidth = 40}},
      {.kind = "powerlaw", .row_length = 6, .rows = 3001, .cols = 2300},
      {.kind = "uniform", .row_length = 5, .rows = 5000, .cols = 64},
      {.kind = "uniform", .row_length = 500, .rows = 64, .cols = 9000}};
  for (const MatrixSpec& spec : specs) expect_of_all_kernels(generate(spec), generated_name(spec));
}

// Infinity and NaN stay where sums have them: a slot that holds no entry adds none.
TEST(OnePass, PutsNoInfinityWhereThereIsNoEntry) {
  const Matrix matrix = generate({.kind = "poisson2d", .parameters = {.size = 40}});
  for (const formats::KernelInfo& kernel : formats::kernel_table()) {
    if (!kernel.on_host || !formats::refusal_of(std::string(kernel.name), analyze(matrix, 1)).empty()) continue;
    const auto product = kernel.host.build<double>(matrix, 2);
    if (product->one_pass_units() == 0) continue;
    const formats::OnePass<double> pass(*product, matrix.cols());
    formats::Workspace<double> workspace(2);
    std::vector<double> x(static_cast<std::size_t>(matrix.cols()), 1), y(x.size());
    x[777] = std::numeric_limits<double>::infinity();
    const Sums expected = sums_of(matrix, x);
    pass.apply(x.data(), y.data(), workspace);
    for (std::size_t i = 0; i < y.size(); ++i)
      EXPECT_EQ(std::isfinite(y[i]), std::isfinite(expected.y[i])) << kernel.name << ", entry " << i;
  }
}

}  // namespace
}  // namespace sparsecast
