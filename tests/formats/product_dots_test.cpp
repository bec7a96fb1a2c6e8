// A product with the dot products of its result: of every kernel that takes them, on every awkward shape and on shapes
// of several blocks a part, of every type of values, on one thread and on several, scaled and added to.

#include "formats/product_dots.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <limits>
#include <sparsecast/generate.hpp>

#include "formats/awkward_matrices.hpp"
#include "formats/kernels.hpp"
#include "formats/reference.hpp"

namespace sparsecast {
namespace {

using formats::DotSums;

// Of the entries as they are, in more digits, and how far off a sum of so many in double may be.
template <class Value>
struct ExactDots {
  std::complex<long double> with_w = 0;
  long double with_y = 0;
  double bound_w = 0, bound_y = 0;

  ExactDots(const std::vector<Value>& w, const std::vector<Value>& y) {
    long double size_w = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const std::complex<double> of_w(w[i]), of_y(y[i]);
      const std::complex<long double> wide_w(of_w.real(), of_w.imag()), wide_y(of_y.real(), of_y.imag());
      with_w += std::conj(wide_w) * wide_y;
      with_y += std::norm(wide_y);
      size_w +=
          (std::abs(wide_w.real()) + std::abs(wide_w.imag())) * (std::abs(wide_y.real()) + std::abs(wide_y.imag()));
    }
    // γ of two parts a product.
    const double n = 2 * static_cast<double>(y.size()) + 2, unit = std::numeric_limits<double>::epsilon() / 2;
    const double gamma = n * unit / (1 - n * unit);
    bound_w = gamma * static_cast<double>(size_w);
    bound_y = gamma * static_cast<double>(with_y);
  }
};

template <class Value>
void expect_dots(const DotSums<Value>& sums, const std::vector<Value>& w, const std::vector<Value>& y) {
  const ExactDots<Value> exact(w, y);
  const std::complex<double> with_w(sums.with_w);
  ASSERT_LE(std::abs(with_w.real() - static_cast<double>(exact.with_w.real())), exact.bound_w);
  ASSERT_LE(std::abs(with_w.imag() - static_cast<double>(exact.with_w.imag())), exact.bound_w);
  ASSERT_LE(std::abs(sums.with_y - static_cast<double>(exact.with_y)), exact.bound_y);
}

template <class Value>
std::vector<Value> vector_of(std::int64_t count, int salt) {
  std::vector<Value> all(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto part = [&](std::size_t k) { return static_cast<float>(static_cast<int>((i * 7 + k) % 23) - 11) / 8; };
    if constexpr (is_complex_value<Value>)
      all[i] = Value(part(static_cast<std::size_t>(salt)), part(static_cast<std::size_t>(salt) + 5));
    else
      all[i] = part(static_cast<std::size_t>(salt));
  }
  return all;
}

template <class Value>
bool offers(const formats::HostProduct<Value>& product, const std::vector<Value>& w, const std::vector<Value>& x,
            std::vector<Value> y) {
  DotSums<Value> sums;
  return !product.row_parts().bounds.empty() || product.apply_with_dots(w.data(), x.data(), y.data(), sums);
}

template <class Value>
void expect_product_and_dots(const formats::KernelInfo& kernel, const Matrix& matrix, int threads) {
  const auto product = kernel.host.build<Value>(matrix, threads);
  const std::vector<Value> x = vector_of<Value>(matrix.cols(), 1), w = vector_of<Value>(matrix.rows(), 2),
                           before = vector_of<Value>(matrix.rows(), 3);
  ASSERT_EQ(offers(*product, w, x, before), kernel.dots_step > 0);
  if (kernel.dots_step == 0) return;
  const formats::ProductDots<Value> dots(*product);
  formats::Workspace<Value> workspace(threads);
  const Value none(std::numeric_limits<float>::quiet_NaN());
  using Scaling = formats::Scaling<Value>;
  for (const Scaling& scaling : {Scaling{1, 0}, Scaling{Value(2.5F), 0}, Scaling{Value(-1.5F), Value(0.5F)}}) {
    std::vector<Value> y(before.size(), none), again = y, apart = y;
    if (scaling.beta != Value{0}) y = again = apart = before;
    const DotSums<Value> sums = dots.apply(scaling, w, x, y, workspace);
    expect_dots(sums, w, y);
    product->apply_scaled(scaling, x, apart, workspace);
    std::vector<double> sizes(y.size(), 0);  // Σ |a·x|, by rows
    matrix.visit([&](const auto& csr) {
      for (std::int64_t row = 0; row < csr.rows; ++row) {
        auto& size = sizes[static_cast<std::size_t>(row)];
        for (auto k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k)
          size += std::abs(std::complex<double>(csr.values[k])) *
                  std::abs(std::complex<double>(x[static_cast<std::size_t>(csr.column_indices[k])]));
        size = static_cast<double>(csr.row_pointers[row + 1] - csr.row_pointers[row] + 4) *
               (std::abs(std::complex<double>(scaling.alpha)) * size +
                std::abs(std::complex<double>(scaling.beta)) *
                    std::abs(std::complex<double>(before[static_cast<std::size_t>(row)])));
      }
    });
    using Part = decltype(std::abs(Value{}));
    for (std::size_t i = 0; i < y.size(); ++i)
      ASSERT_LE(std::abs(std::complex<double>(y[i]) - std::complex<double>(apart[i])),
                4 * std::numeric_limits<Part>::epsilon() * sizes[i])
          << "row " << i;
    // On fewer threads than parts: the parts decide.
    const int most = omp_get_max_threads();
    omp_set_num_threads(1);
    const DotSums<Value> once_more = dots.apply(scaling, w, x, again, workspace);
    omp_set_num_threads(most);
    EXPECT_EQ(again, y);
    EXPECT_EQ(once_more.with_w, sums.with_w);
    EXPECT_EQ(once_more.with_y, sums.with_y);
  }
}

void expect_dots_of_all_kernels(const Matrix& matrix, const std::string& name) {
  const Structure structure = analyze(matrix, 1);
  for (const formats::KernelInfo& kernel : formats::kernel_table()) {
    if (!kernel.on_host || !formats::refusal_of(kernel.name, structure).empty()) continue;
    for (const int threads : {1, 2, 7}) {
      SCOPED_TRACE(name + ", " + std::string(kernel.name) + ", threads " + std::to_string(threads));
      if (!matrix.is_complex()) {
        expect_product_and_dots<double>(kernel, matrix, threads);
        expect_product_and_dots<float>(kernel, matrix, threads);
      }
      if (kernel.host.build_complex_double != nullptr) {
        expect_product_and_dots<std::complex<double>>(kernel, matrix, threads);
        expect_product_and_dots<std::complex<float>>(kernel, matrix, threads);
      }
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(ProductDots, AreRightOnEveryAwkwardShape) {
  for (const testing::NamedMatrix& one : testing::awkward_matrices()) expect_dots_of_all_kernels(one.make(), one.name);
}

TEST(ProductDots, AreRightWherePartsHaveSeveralBlocks) {
  const std::vector<MatrixSpec> specs{
      {.kind = "poisson2d", .parameters = {.size = 130}},
      {.kind = "banded", .row_length = 7, .rows = 9001, .parameters = {.bandwidth = 40}},
      {.kind = "powerlaw", .row_length = 6, .rows = 9001, .cols = 9001},
      {.kind = "uniform", .row_length = 5, .rows = 17003, .cols = 64}};
  for (const MatrixSpec& spec : specs) expect_dots_of_all_kernels(generate(spec), generated_name(spec));
}

// One row is half of a matrix of more than 20,000 entries: csr cuts it among threads.
TEST(ProductDots, AreRightWhereARowIsCut) {
  std::vector<std::vector<std::int64_t>> rows(2200, {3, 4, 5, 6, 7});
  rows[1099].clear();
  for (std::int64_t column = 0; column < 11'000; ++column) rows[1099].push_back(column);
  const Matrix matrix = testing::from_rows(11'000, rows);
  expect_dots_of_all_kernels(matrix, "a long row");
}

// Three dense diagonals, and every fiftieth row an entry elsewhere.
TEST(ProductDots, AreRightWhereDiagonalsLeaveARest) {
  constexpr std::int64_t count = 20'000;
  std::vector<std::vector<std::int64_t>> rows;
  for (std::int64_t row = 0; row < count; ++row) {
    std::vector<std::int64_t> columns;
    if (row > 0) columns.push_back(row - 1);
    columns.push_back(row);
    if (row + 1 < count) columns.push_back(row + 1);
    if (row % 50 == 0 && row + 9000 < count) columns.push_back(row + 9000);
    rows.push_back(std::move(columns));
  }
  const Matrix matrix = testing::from_rows(count, rows);
  ASSERT_EQ(formats::refusal_of("dia", analyze(matrix, 1)), "");
  ASSERT_EQ(formats::find_host_kernel("dia")->build<double>(matrix, 2)->row_step(), 0) << "there is no rest";
  expect_dots_of_all_kernels(matrix, "diagonals and a rest");
}

TEST(ProductDots, AreTakenByTheKernelsThatSaySo) {
  std::string names;
  for (const formats::KernelInfo& kernel : formats::kernel_table())
    if (kernel.dots_step > 0) names += std::string(kernel.name) + " ";
  EXPECT_EQ(names, "csr csr-merge sell sell-8-1 sell-16-1024 sell-32-1024 dia bsr sell-compact ");
  const formats::KernelInfo &csr = *formats::find_kernel("csr"), &sell = *formats::find_kernel("sell");
  EXPECT_TRUE(formats::takes_dots(csr, 256, 2));
  EXPECT_FALSE(formats::takes_dots(csr, 255, 2));
  EXPECT_TRUE(formats::takes_dots(sell, 32'768, 2));
  EXPECT_FALSE(formats::takes_dots(sell, 32'767, 2)) << "parts of whole windows would be uneven";
  EXPECT_FALSE(formats::takes_dots(*formats::find_kernel("coo"), 1'000'000, 1));
}

}  // namespace
}  // namespace sparsecast
