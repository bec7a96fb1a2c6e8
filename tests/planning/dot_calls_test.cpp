// Plan::apply_with_dots: y as apply() has it and the dots of that y, over every kernel that takes them and those that
// do not, cuts and plans for A and its transpose; what is refused.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>
#include <sparsecast/plan.hpp>

#include "formats/kernels.hpp"

namespace sparsecast::dot_calls {
namespace {

template <class Value>
std::vector<Value> turning(std::int64_t count, double pace) {
  std::vector<Value> x(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<Value>(std::sin(pace * static_cast<double>(i)));
  return x;
}

template <class Value>
void expect_dots(const ProductDots& dots, const std::vector<Value>& w, const std::vector<Value>& y) {
  long double wy = 0, yy = 0, size = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const long double product = static_cast<long double>(w[i]) * y[i];
    wy += product;
    size += std::abs(product);
    yy += static_cast<long double>(y[i]) * y[i];
  }
  const double gamma = static_cast<double>(y.size() + 2) * std::numeric_limits<double>::epsilon();
  EXPECT_LE(std::abs(dots.wy - static_cast<double>(wy)), gamma * static_cast<double>(size));
  EXPECT_LE(std::abs(dots.yy - static_cast<double>(yy)), gamma * static_cast<double>(yy));
}

// y of a plan beside that of apply(), and the dots with another vector and, of a square matrix, with x.
template <class Value>
void expect_calls(const Plan& plan) {
  const std::vector<Value> x = turning<Value>(plan.cols(), 0.7), w = turning<Value>(plan.rows(), 1.3);
  const double unit = 64 * std::numeric_limits<Value>::epsilon();
  for (const auto& [alpha, beta] : {std::pair<Value, Value>{1, 0}, {Value(-0.75), 1}, {2, Value(-0.25)}}) {
    std::vector<Value> y(w.size(), std::numeric_limits<Value>::quiet_NaN()), same;
    if (beta != 0) y = turning<Value>(plan.rows(), 0.1);
    same = y;
    const ProductDots dots = plan.apply_with_dots(std::span<const Value>(x), std::span<Value>(y), w, alpha, beta);
    plan.apply(std::span<const Value>(x), std::span<Value>(same), alpha, beta);
    expect_dots(dots, w, y);
    for (std::size_t i = 0; i < y.size(); ++i)  // values of stencils are below 10
      ASSERT_LE(std::abs(static_cast<double>(y[i]) - static_cast<double>(same[i])), unit * 100) << "row " << i;
    if (plan.rows() != plan.cols() || beta != 0) continue;
    expect_dots(plan.apply_with_dots(std::span<const Value>(x), std::span<Value>(y), {}, alpha, beta), x, y);
  }
}

// Large enough that the kernels with windows of rows take dots on two threads.
const Matrix& grid() {
  static const Matrix matrix = generate({.kind = "poisson2d", .parameters = {.size = 200}});
  return matrix;
}

TEST(DotCalls, AreThoseOfTheProductOfEveryKernel) {
  for (const formats::KernelInfo& kernel : formats::kernel_table()) {
    if (!kernel.on_host) continue;
    for (const int threads : {1, 2, 3}) {
      SCOPED_TRACE(std::string(kernel.name) + ", threads " + std::to_string(threads));
      const std::string name(kernel.name);
      expect_calls<double>(Plan(grid(), one_kernel(grid(), name, Precision::double_, threads)));
      expect_calls<float>(Plan(grid(), one_kernel(grid(), name, Precision::single_, threads)));
      if (HasFatalFailure()) return;
    }
  }
}

TEST(DotCalls, OfCutsAndPairs) {
  Strategy cut = one_kernel(grid(), "csr", Precision::double_, 2);
  cut.blocks = {{.last_row = 19'999, .kernel = "sell", .seconds = 1},
                {.first_row = 20'000, .last_row = 39'999, .kernel = "csr", .seconds = 1}};
  expect_calls<double>(Plan(grid(), cut));
  Strategy pair = one_kernel(grid(), "csr", Precision::double_, 2);
  pair.transpose.emplace();
  expect_calls<double>(Plan(grid(), pair));
}

TEST(DotCalls, OfRectangularMatrices) {
  const Matrix wide = generate({.kind = "uniform", .row_length = 5, .rows = 3000, .cols = 4000});
  for (const char* kernel : {"csr", "coo"}) {
    const Plan plan(wide, one_kernel(wide, kernel, Precision::double_, 2));
    const std::vector<double> x = turning<double>(4000, 0.7), w = turning<double>(3000, 1.1);
    std::vector<double> y(3000);
    expect_dots(plan.apply_with_dots(std::span<const double>(x), std::span<double>(y), w), w, y);
    EXPECT_THROW((void)plan.apply_with_dots(std::span<const double>(x), std::span<double>(y)), Error)
        << "x has no dot product with y";
  }
}

TEST(DotCalls, OfOneRowAndOfNone) {
  for (const std::int64_t rows : {std::int64_t{1}, std::int64_t{0}}) {
    Csr<std::int32_t, std::int32_t> csr;
    csr.rows = csr.cols = rows;
    csr.row_pointers.assign(static_cast<std::size_t>(rows) + 1, 0);
    if (rows == 1) {
      csr.row_pointers[1] = 1;
      csr.column_indices = {0};
      csr.values = {3.0};
    }
    const Matrix matrix(std::move(csr), "small");
    for (const char* kernel : {"csr", "csr-merge", "sell", "coo"}) {
      const Plan plan(matrix, one_kernel(matrix, kernel, Precision::double_, 3));
      std::vector<double> x(static_cast<std::size_t>(rows), 2), y(x.size());
      const ProductDots dots = plan.apply_with_dots(std::span<const double>(x), std::span<double>(y));
      EXPECT_EQ(dots.wy, rows == 1 ? 12 : 0) << kernel;
      EXPECT_EQ(dots.yy, rows == 1 ? 36 : 0) << kernel;
    }
  }
}

// Of Hermitian matrices x·A·x is real: the imaginary part is rounding.
TEST(DotCalls, OfComplexValuesConjugateW) {
  using Complex = std::complex<double>;
  constexpr std::int64_t rows = 5000;
  Csr<std::int32_t, std::int32_t> csr;
  const auto put = [&](std::int32_t column, Complex value) {
    csr.column_indices.push_back(column);
    csr.values.push_back(value.real());
    csr.imaginary.push_back(value.imag());
  };
  csr.rows = csr.cols = rows;
  csr.row_pointers.push_back(0);
  for (std::int32_t row = 0; row < rows; ++row) {
    if (row > 0) put(row - 1, {0, 1});
    put(row, {3, 0});
    if (row + 1 < rows) put(row + 1, {0, -1});
    csr.row_pointers.push_back(static_cast<std::int32_t>(csr.values.size()));
  }
  const Matrix matrix(std::move(csr), "hermitian");
  std::vector<Complex> x(rows), y(rows);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::polar(1.0, std::numbers::phi * static_cast<double>(i));
  for (const char* kernel : {"csr", "sell", "coo"}) {
    const formats::KernelInfo& info = *formats::find_kernel(kernel);
    if (info.host.build_complex_double == nullptr) continue;
    const Plan plan(matrix, one_kernel(matrix, kernel, Precision::complex_double_, 2));
    const ComplexProductDots dots = plan.apply_with_dots(std::span<const Complex>(x), std::span<Complex>(y));
    Complex wy = 0;
    double yy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      wy += std::conj(x[i]) * y[i];
      yy += std::norm(y[i]);
    }
    EXPECT_NEAR(dots.wy.real(), wy.real(), 1e-11 * rows) << kernel;
    EXPECT_NEAR(dots.wy.imag(), 0, 1e-11 * rows) << kernel;
    EXPECT_NEAR(dots.yy, yy, 1e-11 * rows) << kernel;
  }
}

TEST(DotCalls, RefuseWhatIsNoVectorOfTheirs) {
  const Plan plan(grid(), one_kernel(grid(), "csr", Precision::double_, 1));
  std::vector<double> x(40'000, 1), y(40'000), few(39'999, 1);
  std::vector<float> x_single(40'000, 1), y_single(40'000);
  const auto call = [&](std::span<const double> from, std::span<double> to, std::span<const double> w) {
    (void)plan.apply_with_dots(from, to, w);
  };
  EXPECT_THROW(call(x, y, few), Error);
  EXPECT_THROW(call(few, y, x), Error);
  EXPECT_THROW(call(x, x, {}), Error);
  EXPECT_THROW(call(x, y, y), Error) << "w is what is overwritten";
  EXPECT_THROW((void)plan.apply_with_dots(std::span<const float>(x_single), std::span<float>(y_single)), Error);
  EXPECT_NO_THROW(call(x, y, x));
}

}  // namespace
}  // namespace sparsecast::dot_calls
