// What every host kernel does beside y = A·x, against the plain sequential product, on every awkward shape, in both
// precisions, on one thread and on several: α and β, blocks of vectors, the transposed product, new values.

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <limits>
#include <sparsecast/generate.hpp>

#include "formats/awkward_matrices.hpp"
#include "formats/kernels.hpp"
#include "formats/parts/split.hpp"
#include "formats/reference.hpp"

namespace sparsecast::beside_the_product {
namespace {

using formats::Scaling;
using formats::Vectors;

// The transpose, and the same matrix with other values, as matrices of their own.
Matrix transpose_of(const Matrix& matrix) {
  std::vector<std::vector<std::pair<std::int64_t, double>>> rows(static_cast<std::size_t>(matrix.cols()));
  matrix.visit([&](const auto& csr) {
    for (std::int64_t row = 0; row < csr.rows; ++row)
      for (auto k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k)
        rows[static_cast<std::size_t>(csr.column_indices[k])].emplace_back(row, csr.values[k]);
  });
  Csr<std::int64_t, std::int64_t> csr{matrix.cols(), matrix.rows(), {0}, {}, {}};
  for (const auto& row : rows) {
    for (const auto& [column, value] : row) {
      csr.column_indices.push_back(column);
      csr.values.push_back(value);
    }
    csr.row_pointers.push_back(static_cast<std::int64_t>(csr.values.size()));
  }
  return {std::move(csr), "transpose"};
}

Matrix with_other_values(const Matrix& matrix) {
  return matrix.visit([&](const auto& csr) {
    using C = std::decay_t<decltype(csr)>;
    Csr<typename C::Offset, typename C::Index> other{csr.rows, csr.cols, {}, {}, {}};
    other.row_pointers.assign(csr.row_pointers.begin(), csr.row_pointers.end());
    other.column_indices.assign(csr.column_indices.begin(), csr.column_indices.end());
    for (const auto value : csr.values) other.values.push_back(3 - 0.5 * static_cast<double>(value));
    return Matrix(std::move(other), "other values");
  });
}

// A block in memory with gaps, which nobody may write to.
template <class Value>
struct OwnBlock {
  OwnBlock(std::int64_t rows, std::int64_t vectors, bool by_rows, Value fill)
      : leading((by_rows ? vectors : rows) + 3),
        data(static_cast<std::size_t>((by_rows ? rows : vectors) * leading), gap()),
        view{data.data(), rows, vectors, by_rows ? leading : 1, by_rows ? 1 : leading} {
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t v = 0; v < vectors; ++v) at(row, v) = fill;
  }
  static Value gap() { return Value{-12345}; }
  Value& at(std::int64_t row, std::int64_t v) { return data[row * view.row_stride + v * view.vector_stride]; }
  [[nodiscard]] Vectors<const Value> input() const {
    return {view.data, view.rows, view.vectors, view.row_stride, view.vector_stride};
  }
  [[nodiscard]] std::int64_t gaps() const { return std::ranges::count(data, gap()); }

  std::int64_t leading;
  std::vector<Value> data;
  Vectors<Value> view;
};

template <class Value>
std::vector<Value> input_of(std::int64_t size, std::int64_t vector) {
  std::vector<Value> x = testing::input_vector<Value>(size);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += static_cast<Value>(vector) / 4;
  return x;
}

// y = alpha·(product) + beta·before, whatever the order of the additions; alpha and beta are powers of two.
template <class Value>
void expect_scaled(Value y, double product, double bound, const Scaling<Value>& scaling, Value before,
                   std::int64_t terms) {
  const double kept = scaling.beta == 0 ? 0 : static_cast<double>(scaling.beta) * static_cast<double>(before);
  const double expected = static_cast<double>(scaling.alpha) * product + kept;
  const double unit = std::numeric_limits<Value>::epsilon();
  const double allowed = 2 * std::abs(static_cast<double>(scaling.alpha)) * bound +
                         unit * (std::abs(expected) + std::abs(kept)) * static_cast<double>(terms + 4);
  // Not a macro for each of millions. Written so that a NaN is wrong.
  if (!(std::abs(static_cast<double>(y) - expected) <= allowed)) ADD_FAILURE() << y << " instead of " << expected;
}

template <class Value>
std::vector<Scaling<Value>> scalings() {
  return {{1, 0}, {-2, 0}, {1, 1}, {4, Value{-0.5}}};
}

// What a product is asked for here, and how that matrix is named and how often it is cut.
template <class Value>
struct Subject {
  const Matrix& matrix;
  const Matrix& transpose;
  std::unique_ptr<formats::HostProduct<Value>> product;
  formats::Workspace<Value>& workspace;
  bool reads_once = false;

  void expect_all() {
    // Without entries even where vectors are multiplied one by one: the block may have no memory.
    const bool nothing = matrix.nonzeros() == 0;
    const std::vector<std::int64_t> several{2, 3, 8, 21};
    expect_one_vector(false);
    expect_blocks(false, reads_once || nothing ? several : std::vector<std::int64_t>{3});
    if (product->transposed_parts() == 0) return;
    expect_one_vector(true);
    expect_blocks(true, nothing ? several : std::vector<std::int64_t>{3});
  }

  void multiply(bool transposed, const Scaling<Value>& scaling, std::span<const Value> x, std::span<Value> y) {
    if (transposed)
      formats::apply_transposed(*product, scaling, x, y, workspace);
    else
      product->apply_scaled(scaling, x, y, workspace);
  }

  void expect_one_vector(bool transposed) {
    const Matrix& a = transposed ? transpose : matrix;
    const std::vector<Value> x = testing::input_vector<Value>(a.cols());
    const formats::ReferenceProduct reference = formats::reference_product<Value>(a, x);
    for (const Scaling<Value>& scaling : scalings<Value>()) {
      const Value before = scaling.beta == 0 ? std::numeric_limits<Value>::quiet_NaN() : Value{7};
      std::vector<Value> y(static_cast<std::size_t>(a.rows()), before), again = y;
      multiply(transposed, scaling, x, y);
      for (std::size_t i = 0; i < y.size() && !::testing::Test::HasFailure(); ++i)
        expect_scaled(y[i], reference.y[i], reference.bound[i], scaling, before, a.cols());
      if (!scaling.plain()) continue;
      multiply(transposed, scaling, x, again);
      EXPECT_EQ(y, again) << "another result on the second call";
    }
  }

  void expect_blocks(bool transposed, const std::vector<std::int64_t>& widths) {
    const Matrix& a = transposed ? transpose : matrix;
    for (const std::int64_t vectors : widths) {
      std::vector<formats::ReferenceProduct> references;
      for (std::int64_t v = 0; v < vectors; ++v)
        references.push_back(formats::reference_product<Value>(a, input_of<Value>(a.cols(), v)));
      for (const bool by_rows : {true, false}) {
        for (const Scaling<Value>& scaling : {Scaling<Value>{1, 0}, Scaling<Value>{4, Value{-0.5}}}) {
          const Value before = scaling.beta == 0 ? std::numeric_limits<Value>::quiet_NaN() : Value{7};
          OwnBlock<Value> x(a.cols(), vectors, by_rows, 0), y(a.rows(), vectors, by_rows, before);
          for (std::int64_t v = 0; v < vectors; ++v) {
            const std::vector<Value> one = input_of<Value>(a.cols(), v);
            for (std::int64_t i = 0; i < a.cols(); ++i) x.at(i, v) = one[static_cast<std::size_t>(i)];
          }
          const std::int64_t gaps = y.gaps();
          if (transposed)
            formats::apply_transposed_block(*product, scaling, x.input(), y.view, workspace);
          else
            product->apply_block(scaling, x.input(), y.view, workspace);
          EXPECT_EQ(y.gaps(), gaps) << "written between the vectors";
          for (std::int64_t v = 0; v < vectors; ++v) {
            SCOPED_TRACE("vector " + std::to_string(v) + " of " + std::to_string(vectors));
            const formats::ReferenceProduct& reference = references[static_cast<std::size_t>(v)];
            for (std::int64_t i = 0; i < a.rows() && !::testing::Test::HasFailure(); ++i)
              expect_scaled(y.at(i, v), reference.y[static_cast<std::size_t>(i)],
                            reference.bound[static_cast<std::size_t>(i)], scaling, before, a.cols());
          }
        }
      }
    }
  }
};

class BesideTheProduct : public ::testing::TestWithParam<std::string_view> {
 protected:
  const formats::HostKernel& kernel = *formats::find_host_kernel(GetParam());
  const formats::KernelInfo& info = *formats::find_kernel(GetParam());

  template <class Value>
  void agrees(const Matrix& matrix, const Matrix& transpose, int threads) {
    formats::Workspace<Value> workspace(threads);
    Subject<Value>{matrix, transpose, kernel.build<Value>(matrix, threads), workspace, info.reads_once}.expect_all();
  }

  template <class Value>
  void takes_new_values(const Matrix& before, const Matrix& matrix, const Matrix& transpose) {
    formats::Workspace<Value> workspace(2);
    auto product = kernel.build<Value>(before, 2);
    const std::int64_t bytes = product->bytes();
    if (!product->update_values(matrix)) product = kernel.build<Value>(matrix, 2);
    EXPECT_EQ(product->bytes(), bytes);
    Subject<Value> subject{matrix, transpose, std::move(product), workspace};
    subject.expect_one_vector(false);
    if (info.transposes) subject.expect_one_vector(true);
  }
};

TEST_P(BesideTheProduct, AgreesWithTheSequentialProduct) {
  for (const auto& [name, make] : testing::awkward_matrices()) {
    const Matrix matrix = make(), transpose = transpose_of(matrix);
    for (const int threads : {1, 3}) {
      SCOPED_TRACE(name + ", threads " + std::to_string(threads));
      agrees<double>(matrix, transpose, threads);
      agrees<float>(matrix, transpose, threads);
      if (HasFailure()) return;
    }
  }
}

TEST_P(BesideTheProduct, TakesNewValuesOnTheOldPattern) {
  for (const auto& [name, make] : testing::awkward_matrices()) {
    const Matrix before = make(), matrix = with_other_values(before), transpose = transpose_of(matrix);
    SCOPED_TRACE(name);
    takes_new_values<double>(before, matrix, transpose);
    takes_new_values<float>(before, matrix, transpose);
    if (HasFailure()) return;
  }
}

TEST_P(BesideTheProduct, HasTheSameResultsWhateverTheCallersLimitOfThreads) {
  const Matrix matrix = testing::awkward_matrices()[19].make();
  ASSERT_EQ(testing::awkward_matrices()[19].name, "MixedRows");
  const auto product = kernel.build<double>(matrix, 5);
  formats::Workspace<double> workspace(5);
  const std::vector<double> x = testing::input_vector<double>(matrix.cols() * 3),
                            longer = testing::input_vector<double>(matrix.rows());
  const auto results = [&] {
    std::vector<double> y(static_cast<std::size_t>(matrix.rows())), block(y.size() * 3),
        transposed(static_cast<std::size_t>(matrix.cols()));
    product->apply(std::span(x).first(static_cast<std::size_t>(matrix.cols())), y);
    product->apply_block({2, 0}, {x.data(), matrix.cols(), 3, 3, 1}, {block.data(), matrix.rows(), 3, 3, 1}, workspace);
    if (info.transposes) formats::apply_transposed<double>(*product, {2, 0}, longer, transposed, workspace);
    y.insert(y.end(), block.begin(), block.end());
    y.insert(y.end(), transposed.begin(), transposed.end());
    return y;
  };
  const int usual = omp_get_max_threads();
  omp_set_num_threads(5);
  const std::vector<double> expected = results();
  for (const int limit : {1, 2, 3}) {
    omp_set_num_threads(limit);
    EXPECT_EQ(results(), expected) << "at most " << limit << " threads";
  }
  omp_set_num_threads(usual);
}

// Where it reads a row of x often and rows lie across lines, a format multiplies a copy.
TEST_P(BesideTheProduct, HasTheSameResultsWhereverInALineXBegins) {
  const Matrix matrix = generate({.kind = "stencil27", .parameters = {.size = 10}});
  const auto of = [&]<class Value>(Value /*type*/) {
    const auto product = kernel.build<Value>(matrix, 2);
    formats::Workspace<Value> workspace(2);
    const std::vector<Value> x = testing::input_vector<Value>(matrix.cols() * 8);
    Array<Value> moved(x.size() + 8);  // begins with a line
    std::vector<Value> expected(static_cast<std::size_t>(matrix.rows()) * 8), y = expected;
    for (const std::size_t place : {0, 1, 2, 4, 8}) {
      std::ranges::copy(x, moved.begin() + static_cast<std::ptrdiff_t>(place));
      std::ranges::fill(y, std::numeric_limits<Value>::quiet_NaN());
      product->apply_block({1, 0}, {moved.data() + place, matrix.cols(), 8, 8, 1}, {y.data(), matrix.rows(), 8, 8, 1},
                           workspace);
      if (place == 0) expected = y;
      EXPECT_EQ(y, expected) << "from element " << place;
    }
  };
  of(double{});
  of(float{});
}

TEST_P(BesideTheProduct, IsWhatTheTableSays) {
  // One that a kernel made for a structure is built for.
  const Matrix matrix = info.made_for == formats::MadeFor::any
                            ? testing::by_eye()
                            : generate({.kind = "poisson2d", .parameters = {.size = 8}});
  for (const int threads : {1, 3}) {
    const auto product = kernel.build_double(matrix, threads);
    EXPECT_EQ(product->transposed_parts() > 0, info.transposes);
  }
}

std::vector<std::string_view> names() {
  std::vector<std::string_view> all;
  for (const formats::HostKernel& kernel : formats::host_kernels()) all.push_back(kernel.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Kernels, BesideTheProduct, ::testing::ValuesIn(names()), [](const auto& info) {
  std::string name(info.param);
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
});

TEST(KernelTable, SaysWhichKernelsReadTheMatrixOnceForABlockAndWhichTranspose) {
  std::string once, transpose;
  for (const formats::KernelInfo& kernel : formats::kernel_table()) {
    if (kernel.reads_once) once += std::string(kernel.name) + " ";
    if (kernel.transposes) transpose += std::string(kernel.name) + " ";
  }
  EXPECT_EQ(once, "csr csr-scalar csr-merge sell sell-8-1 sell-16-1024 sell-32-1024 dia bsr ");
  EXPECT_EQ(transpose, "csr csr-scalar csr-merge ell coo hyb jad sell sell-8-1 sell-16-1024 sell-32-1024 sell-sym ");
}

TEST(EveryPart, RunsOnNoMoreThreadsThanTheCallerAllows) {
  const int usual = omp_get_max_threads();
  for (const int limit : {1, 2, 3}) {
    omp_set_num_threads(limit);
    std::vector<int> teams(7, 0);
    formats::for_each_part(7, [&](int part) { teams[static_cast<std::size_t>(part)] = omp_get_num_threads(); });
    for (const int team : teams) EXPECT_LE(team, limit);
    EXPECT_EQ(std::ranges::count(teams, 0), 0) << "every part is done";
  }
  omp_set_num_threads(usual);
#pragma omp parallel num_threads(2)
  {
    int most = 0;
    formats::for_each_part(4, [&](int) { most = std::max(most, omp_get_num_threads()); });
#pragma omp critical
    EXPECT_LE(most, 2) << "within a region of the caller's";
  }
}

}  // namespace
}  // namespace sparsecast::beside_the_product
