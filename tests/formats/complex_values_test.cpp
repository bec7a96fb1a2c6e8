// Complex values: every kernel that has them, in every instruction set, against sums in long double, and what a person
// can check by eye.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <sparsecast/error.hpp>
#include <sparsecast/plan.hpp>
#include <sparsecast/structure.hpp>

#include "formats/host_product.hpp"
#include "formats/kernels.hpp"
#include "formats/sell.hpp"
#include "formats/simd/complex_sums.hpp"
#include "formats/structured/block_sums.hpp"
#include "formats/structured/bsr.hpp"

namespace sparsecast {
namespace {
using Double = std::complex<double>;

// Rows of 0 to 40 entries, a few of 300; in tiles of 2 × 2 where `tiles`.
Matrix random_complex(std::int64_t rows, bool tiles = false) {
  Csr<std::int32_t, std::int32_t> csr{rows, rows + 400, {0}, {}, {}, {}};
  std::uint32_t state = 7;
  const auto next = [&] { return (state = state * 1664525U + 1013904223U) >> 8; };
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t of = tiles ? row / 2 : row, length = of % 97 == 5 ? 300 : of * 7 % 41, step = tiles ? 2 : 1;
    for (std::int64_t k = 0; k < length; k += step)
      for (std::int64_t j = 0; j < step; ++j)
        csr.column_indices.push_back(static_cast<std::int32_t>(of * step % (rows + 400 - 300) / step * step + k + j));
    csr.row_pointers.push_back(static_cast<std::int32_t>(csr.column_indices.size()));
  }
  for (std::size_t k = 0; k < csr.column_indices.size(); ++k) {
    csr.values.push_back(static_cast<double>(next()) / (1 << 23) - 1);
    csr.imaginary.push_back(static_cast<double>(next()) / (1 << 23) - 1);
  }
  return {std::move(csr), "random"};
}

template <class Value>
std::vector<Value> vector_of(std::int64_t entries) {
  std::vector<Value> x;
  for (std::int64_t i = 0; i < entries; ++i)
    x.push_back(value_from<Value>(Double(std::sin(static_cast<double>(i)), std::cos(3 * static_cast<double>(i)))));
  return x;
}

// A·x or Aᵀ·x and, for each entry, Σ |a|·|x| over as many products.
template <class Value>
struct Expected {
  std::vector<std::complex<long double>> y;
  std::vector<long double> magnitude;
  std::vector<int> count;
  Expected(const Matrix& matrix, const std::vector<Value>& x, bool transposed = false)
      : y(static_cast<std::size_t>(transposed ? matrix.cols() : matrix.rows())), magnitude(y.size()), count(y.size()) {
    matrix.visit_complex([&](const auto& csr) {
      for (std::int64_t row = 0; row < csr.rows; ++row)
        for (auto k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k) {
          const auto column = static_cast<std::size_t>(csr.column_indices[k]);
          const std::size_t to = transposed ? column : static_cast<std::size_t>(row);
          const std::complex<long double> a = value_from<Value>(csr.values[k]),
                                          b = x[transposed ? static_cast<std::size_t>(row) : column];
          y[to] += a * b;
          magnitude[to] += std::abs(a) * std::abs(b);
          ++count[to];
        }
    });
  }
  // Each part is a sum of 2·count products: γ of as many, and √2 for both parts (Higham 2002, sections 3.1 and 3.6).
  void agree(const std::vector<Value>& got) const {
    ASSERT_EQ(got.size(), y.size());
    constexpr long double unit = std::numeric_limits<typename Value::value_type>::epsilon() / 2;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const long double nu = (2 * count[i] + 1) * unit;
      EXPECT_LE(std::abs(std::complex<long double>(got[i]) - y[i]), 1.42L * nu / (1 - nu) * magnitude[i]) << i;
    }
  }
};

template <class Value>
class ComplexValues : public ::testing::Test {};
using Types = ::testing::Types<std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(ComplexValues, Types);

TYPED_TEST(ComplexValues, EveryKernelThatHasThemAgreesWithinTheBound) {
  for (const Matrix& matrix : {random_complex(1003), random_complex(1000, true), random_complex(2)}) {
    const auto x = vector_of<TypeParam>(matrix.cols());
    const Expected<TypeParam> expected(matrix, x);
    int kernels = 0;
    for (const formats::HostKernel& kernel : formats::host_kernels()) {
      if (kernel.build_complex_double == nullptr) continue;
      SCOPED_TRACE(kernel.name);
      ++kernels;
      for (const int threads : {1, 3}) {
        const auto product = kernel.build<TypeParam>(matrix, threads);
        std::vector<TypeParam> y(expected.y.size(), TypeParam{-1});
        product->apply(x, y);
        expected.agree(y);
        EXPECT_EQ(product->bytes(), kernel.bytes(analyze(matrix), sizeof(TypeParam)));
      }
    }
    EXPECT_EQ(kernels, 4);
  }
}

TYPED_TEST(ComplexValues, EverySetOfInstructionsAgrees) {
  const Matrix matrix = random_complex(1003), tiles = random_complex(1000, true);
  const auto x = vector_of<TypeParam>(matrix.cols()), of_tiles = vector_of<TypeParam>(tiles.cols());
  const formats::CsrLayout<TypeParam> csr = formats::to_csr<TypeParam>(matrix, 1);
  const auto sell = formats::to_sell<TypeParam, std::int32_t>(matrix, 8, 1024, 1);
  const auto bsr = formats::to_bsr<TypeParam, std::int32_t>(tiles, 1);
  ASSERT_EQ(bsr.block_rows, 2);
  Array<formats::FullColumns> full;
  for (std::int64_t s = 0; s < sell.slices(); ++s)
    full.push_back(formats::full_columns(sell.column_indices.data() + sell.slice_pointers[s],
                                         (sell.slice_pointers[s + 1] - sell.slice_pointers[s]) / 8, 8));
  for (const formats::Simd simd : formats::supported_simd()) {
    SCOPED_TRACE(formats::simd_name(simd));
    std::vector<TypeParam> y(static_cast<std::size_t>(matrix.rows()));
    csr.visit([&]<class Offset, class Index>(const formats::CsrArrays<TypeParam, Offset, Index>& all) {
      formats::row_sums<TypeParam, Offset, Index>(simd).rows(all, 0, all.rows, x.data(), y.data());
    });
    Expected<TypeParam>(matrix, x).agree(y);
    std::ranges::fill(y, TypeParam{});
    formats::lane_sums<TypeParam, std::int32_t>(simd).slices(
        {sell.values.data(), sell.column_indices.data(), sell.slice_pointers.data(), sell.permutation.data(),
         full.data(), sell.rows},
        0, sell.slices(), x.data(), y.data());
    Expected<TypeParam>(matrix, x).agree(y);
    y.assign(static_cast<std::size_t>(tiles.rows()), TypeParam{});
    formats::block_sums<TypeParam, std::int32_t>(2, 2, simd)
        .groups(bsr, 0, bsr.row_groups(), of_tiles.data(), y.data());
    Expected<TypeParam>(tiles, of_tiles).agree(y);
  }
}

TYPED_TEST(ComplexValues, PlansTransposeScaleAndTakeBlocks) {
  const Matrix matrix = random_complex(700);
  for (const char* kernel : {"csr", "csr-merge", "sell", "bsr"}) {
    SCOPED_TRACE(kernel);
    const Plan plan(matrix, one_kernel(matrix, kernel, precision_of<TypeParam>, 2));
    const auto x = vector_of<TypeParam>(matrix.cols()), u = vector_of<TypeParam>(matrix.rows());
    std::vector<TypeParam> y(u.size()), v(x.size());
    plan.apply(x, y);
    Expected<TypeParam>(matrix, x).agree(y);
    plan.apply_transposed(u, v);
    const Expected<TypeParam> across(matrix, u, true);
    across.agree(v);
    // Aᴴ·u is the conjugate of Aᵀ·ū.
    std::vector<TypeParam> turned = u, adjoint(x.size());
    for (TypeParam& one : turned) one = std::conj(one);
    plan.apply_adjoint(turned, adjoint);
    for (TypeParam& one : adjoint) one = std::conj(one);
    across.agree(adjoint);
    // 2i·A·x + (1 − i)·y against twice and once, in two vectors side by side by rows.
    const TypeParam alpha(0, 2), beta(1, -1);
    std::vector<TypeParam> pair(2 * x.size()), out(2 * y.size(), TypeParam{1});
    for (std::size_t i = 0; i < x.size(); ++i) pair[2 * i] = pair[2 * i + 1] = x[i];
    plan.apply_block({pair, 2}, {out, 2}, alpha, beta);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const TypeParam wanted = alpha * y[i] + beta;
      EXPECT_NEAR(std::abs(out[2 * i] - wanted), 0, 1e-5 * (1 + std::abs(wanted)));
      EXPECT_EQ(out[2 * i], out[2 * i + 1]);
    }
  }
}

// [ 1 + 2i   0 ]        [ i ]
// [     3i   4 ]  times [ 1 ]
TEST(ComplexByEye, ProductTransposeAndAdjoint) {
  const Matrix matrix(Csr<std::int32_t, std::int32_t>{2, 2, {0, 1, 3}, {0, 0, 1}, {1, 0, 4}, {2, 3, 0}}, "by eye");
  const Plan plan(matrix, one_kernel(matrix, "csr", Precision::complex_double_, 1));
  const std::vector<Double> x{{0, 1}, {1, 0}};
  std::vector<Double> y(2);
  plan.apply(x, y);
  EXPECT_EQ(y, (std::vector<Double>{{-2, 1}, {1, 0}}));
  plan.apply_transposed(x, y);
  EXPECT_EQ(y, (std::vector<Double>{{-2, 4}, {4, 0}}));
  plan.apply_adjoint(x, y);
  EXPECT_EQ(y, (std::vector<Double>{{2, -2}, {4, 0}}));
}

// A factor of 1 is none: as a complex product, 1 · inf would have 0 · inf, which is no number, as its other part.
//   [ 1 + 2i   3i ]
//   [     0     1 ]  of two threads and one, plain and with y once more
TYPED_TEST(ComplexValues, AnInfinityIsScaledByRealFactorsWithoutBecomingNoNumber) {
  using Real = typename TypeParam::value_type;
  const Real inf = std::numeric_limits<Real>::infinity();
  const Matrix matrix(Csr<std::int32_t, std::int32_t>{2, 2, {0, 2, 3}, {0, 1, 1}, {1, 0, 1}, {2, 3, 0}}, "by eye");
  for (const char* kernel : {"csr", "csr-merge", "sell", "bsr"})
    for (const int threads : {1, 2}) {
      SCOPED_TRACE(fmt::format("{} on {}", kernel, threads));
      const Plan plan(matrix, one_kernel(matrix, kernel, precision_of<TypeParam>, threads));
      const std::vector<TypeParam> x{{inf, 0}, {1, 0}};
      std::vector<TypeParam> y(2), v(2), pair{x[0], x[0], x[1], x[1]}, both(4), more(2, TypeParam{inf, 1});
      plan.apply(x, y);
      EXPECT_EQ(y[0], TypeParam(inf, inf));
      plan.apply_transposed(x, v);
      EXPECT_EQ(v[0], TypeParam(inf, inf));
      plan.apply_adjoint(x, v);
      EXPECT_EQ(v[0], TypeParam(inf, -inf));
      plan.apply_block({pair, 2}, {both, 2});
      EXPECT_EQ(both, (std::vector<TypeParam>{y[0], y[0], y[1], y[1]}));
      plan.apply(x, more, TypeParam{2}, TypeParam{1});
      EXPECT_EQ(more[0], TypeParam(inf, inf));
      EXPECT_EQ(more[1], TypeParam(inf, 1));
    }
}

TEST(ComplexByEye, WhatIsNoNumberInOnePartStaysInItsRow) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const char* kernel : {"csr", "csr-merge", "sell", "bsr"}) {
    SCOPED_TRACE(kernel);
    const Matrix matrix(Csr<std::int32_t, std::int32_t>{3, 3, {0, 1, 2, 4}, {0, 1, 1, 2}, {1, 2, 3, 4}, {1, 0, 0, 0}},
                        "three rows");
    const Plan plan(matrix, one_kernel(matrix, kernel, Precision::complex_double_, 1));
    const std::vector<Double> x{{0, nan}, {1, 1}, {std::numeric_limits<double>::infinity(), 0}};
    std::vector<Double> y(3);
    plan.apply(x, y);
    EXPECT_TRUE(std::isnan(y[0].real()) && std::isnan(y[0].imag()));
    EXPECT_EQ(y[1], Double(2, 2));
    EXPECT_TRUE(std::isinf(y[2].real()));
  }
}

TEST(ComplexByEye, RealAndComplexAreNotMistakenForEachOther) {
  const Matrix matrix = random_complex(20);
  EXPECT_THROW(Plan(matrix, one_kernel(matrix, "csr", Precision::double_, 1)), Error);
  EXPECT_THROW(Plan(matrix, one_kernel(matrix, "ell", Precision::complex_double_, 1)), Error);
  const Plan plan(matrix, one_kernel(matrix, "csr", Precision::complex_double_, 1));
  std::vector<double> x(static_cast<std::size_t>(matrix.cols())), y(20);
  EXPECT_THROW(plan.apply(x, y), Error);
  EXPECT_THROW(static_cast<void>(matrix.visit([](const auto& csr) { return csr.rows; })), Error);
}
}  // namespace
}  // namespace sparsecast
