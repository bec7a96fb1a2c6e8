// A plan within Eigen's expressions beside Eigen's own sparse products.

#include <gtest/gtest.h>

#include <Eigen/IterativeLinearSolvers>
#include <sparsecast/eigen.hpp>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>

namespace sparsecast::test {
namespace {

using Sparse = Eigen::SparseMatrix<double, Eigen::RowMajor>;

// 40 × 30, rows of 0 to 4 entries.
Sparse example() {
  std::vector<Eigen::Triplet<double>> entries;
  for (int row = 0; row < 40; ++row)
    for (int k = 0; k < row % 5; ++k) entries.emplace_back(row, (3 * row + 7 * k) % 30, 0.5 + row - 2 * k);
  Sparse a(40, 30);
  a.setFromTriplets(entries.begin(), entries.end());
  return a;
}

EigenPlan plan_of(const Sparse& a, const std::string& kernel = "sell") {
  const Matrix matrix = matrix_of(a);
  return EigenPlan(Plan(matrix, one_kernel(matrix, kernel, Precision::double_, 1)));
}

Eigen::VectorXd ramp(Eigen::Index entries) { return Eigen::VectorXd::LinSpaced(entries, -1, 2); }

TEST(EigenPlan, MultipliesAsEigenDoes) {
  const Sparse a = example();
  for (const char* kernel : {"csr", "sell"}) {
    const EigenPlan plan = plan_of(a, kernel);
    EXPECT_EQ(plan.rows(), 40);
    EXPECT_EQ(plan.cols(), 30);
    const Eigen::VectorXd x = ramp(30), w = ramp(40), expected = a * x;
    Eigen::VectorXd y = plan * x;
    EXPECT_LT((y - expected).norm(), 1e-13 * expected.norm()) << kernel;
    y = w;
    y.noalias() += plan * x;
    EXPECT_LT((y - (w + expected)).norm(), 1e-13 * expected.norm());
    y = w;
    y.noalias() -= plan * x;
    EXPECT_LT((y - (w - expected)).norm(), 1e-13 * expected.norm());
    y = w;
    y.noalias() += 2.5 * (plan * x);
    EXPECT_LT((y - (w + 2.5 * expected)).norm(), 1e-13 * expected.norm());
  }
}

TEST(EigenPlan, TakesExpressionsAndStridesAndSeveralColumns) {
  const Sparse a = example();
  const EigenPlan plan = plan_of(a);
  const Eigen::VectorXd x = ramp(30);
  const Eigen::VectorXd of_sum = plan * (2 * x + Eigen::VectorXd::Ones(30));
  const Eigen::VectorXd expected_sum = a * (2 * x + Eigen::VectorXd::Ones(30));
  EXPECT_LT((of_sum - expected_sum).norm(), 1e-13 * expected_sum.norm());

  const Eigen::MatrixXd many = x * Eigen::RowVectorXd::LinSpaced(3, 1, 2), expected = a * many;
  Eigen::MatrixXd by_columns = plan * many;
  EXPECT_LT((by_columns - expected).norm(), 1e-13 * expected.norm());
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> by_rows(40, 3);
  by_rows.noalias() = plan * many;
  EXPECT_LT((by_rows - expected).norm(), 1e-13 * expected.norm());
}

TEST(EigenPlan, TakesVectorsOfFixedSize) {
  Sparse a(2, 2);
  a.insert(0, 1) = 3;
  a.insert(1, 0) = 2;
  a.makeCompressed();
  const Eigen::VectorXd y = plan_of(a) * Eigen::Vector2d(1, 10);
  EXPECT_EQ(y, Eigen::VectorXd(Eigen::Vector2d(30, 2)));
}

TEST(EigenPlan, HasATranspose) {
  const Sparse a = example();
  const EigenPlan plan = plan_of(a);
  const Eigen::VectorXd w = ramp(40), expected = a.transpose() * w;
  const Eigen::VectorXd y = plan.transpose() * w;
  EXPECT_EQ(y.size(), 30);
  EXPECT_LT((y - expected).norm(), 1e-13 * expected.norm());
}

TEST(EigenPlan, OfComplexValuesHasATransposeAndAnAdjoint) {
  using Complex = std::complex<double>;
  Eigen::SparseMatrix<Complex, Eigen::RowMajor> a(40, 30);
  const Sparse real = example();
  for (int row = 0; row < 40; ++row)
    for (Sparse::InnerIterator it(real, row); it; ++it) a.insert(row, it.col()) = Complex(it.value(), 1.0 - row);
  a.makeCompressed();
  const Matrix matrix = matrix_of(a);
  const BasicEigenPlan<Complex> plan(Plan(matrix, one_kernel(matrix, "csr", Precision::complex_double_, 1)));
  const Eigen::VectorXcd x = ramp(30) * Complex(1, 2), w = ramp(40) * Complex(2, -1);
  const Eigen::VectorXcd y = plan * x, transposed = plan.transpose() * w, adjoint = plan.adjoint() * w;
  const Eigen::VectorXcd expected = a * x, expected_transposed = a.transpose() * w, expected_adjoint = a.adjoint() * w;
  ASSERT_GT((expected_transposed - expected_adjoint).norm(), 1);
  EXPECT_LT((y - expected).norm(), 1e-13 * expected.norm());
  EXPECT_LT((transposed - expected_transposed).norm(), 1e-13 * expected_transposed.norm());
  EXPECT_LT((adjoint - expected_adjoint).norm(), 1e-13 * expected_adjoint.norm());
  const Eigen::VectorXcd back = plan.adjoint().adjoint() * x, and_back = plan.transpose().transpose() * x;
  EXPECT_LT((back - expected).norm() + (and_back - expected).norm(), 1e-13 * expected.norm());
  Eigen::VectorXcd sum = w;
  sum.noalias() -= plan * x;
  EXPECT_LT((sum - (w - expected)).norm(), 1e-13 * expected.norm());
}

TEST(EigenPlan, SolvesAsEigensMatrixDoes) {
  const Matrix matrix = generate({.kind = "poisson2d", .parameters = {.size = 30}});
  Sparse a(900, 900);
  std::vector<Eigen::Triplet<double>> entries;
  matrix.visit([&](const auto& csr) {
    for (std::int64_t row = 0; row < csr.rows; ++row)
      for (auto k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k)
        entries.emplace_back(static_cast<int>(row), static_cast<int>(csr.column_indices[k]),
                             csr.column_indices[k] == row ? 4.0 : -1.0);
  });
  a.setFromTriplets(entries.begin(), entries.end());
  const EigenPlan plan = plan_of(a);
  Eigen::ConjugateGradient<EigenPlan, Eigen::Lower | Eigen::Upper, Eigen::IdentityPreconditioner> ours(plan);
  Eigen::ConjugateGradient<Sparse, Eigen::Lower | Eigen::Upper, Eigen::IdentityPreconditioner> theirs(a);
  const Eigen::VectorXd b = ramp(900), x = ours.solve(b), expected = theirs.solve(b);
  EXPECT_GT(ours.iterations(), 10);
  EXPECT_EQ(ours.iterations(), theirs.iterations());
  EXPECT_LT((a * x - b).norm(), 1e-10 * b.norm());
  Eigen::BiCGSTAB<EigenPlan, Eigen::IdentityPreconditioner> stabilized(plan);
  const Eigen::VectorXd again = stabilized.solve(b);
  EXPECT_LT((a * again - b).norm(), 1e-10 * b.norm());
}

TEST(EigenPlan, ReadsBlocksThatOverlapBeforeItWrites) {
  Sparse a(30, 30);
  for (int row = 0; row < 30; ++row) a.insert(row, (7 * row) % 30) = 1 + row;
  a.makeCompressed();
  const EigenPlan plan = plan_of(a);
  Eigen::MatrixXd first = Eigen::MatrixXd::Zero(30, 3);
  first.col(0) = ramp(30), first.col(1) = 2 * ramp(30);
  Eigen::MatrixXd shifted = first, turned = first;
  const Eigen::MatrixXd expected = a * first;
  shifted.rightCols(2) = plan * shifted.leftCols(2);
  EXPECT_EQ(shifted.rightCols(2), expected.leftCols(2));
  turned.noalias() = plan * turned.rowwise().reverse();
  EXPECT_EQ(turned, Eigen::MatrixXd(expected.rowwise().reverse()));
}

TEST(EigenPlan, RefusesWhatWouldGoWrong) {
  Sparse loose(3, 3);
  loose.insert(0, 1) = 1;
  loose.insert(2, 0) = 1;
  ASSERT_FALSE(loose.isCompressed());
  EXPECT_THROW((void)matrix_of(loose), Error);
  const Sparse a = example();
  const EigenPlan plan = plan_of(a);
  Eigen::VectorXd x = ramp(40);
  EXPECT_THROW(x.noalias() = plan * x.head(30), Error) << "x and y overlap";
#ifdef NDEBUG  // Eigen's assertion comes first
  Eigen::VectorXd y(40);
  EXPECT_THROW(y = plan * ramp(29), Error);
  EXPECT_THROW(y.head(39).noalias() += plan * ramp(30), Error);
#endif
}

}  // namespace
}  // namespace sparsecast::test
