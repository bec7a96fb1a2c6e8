// Preconditioners against dense algebra, on one thread and several, whether their triangles are solved by levels or
// not.

#include "solving/preconditioners/preconditioner.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <sparsecast/matrix.hpp>

#include "solving/laplacian.hpp"
#include "solving/preconditioners/incomplete_factors.hpp"
#include "solving/preconditioners/preconditioner_table.hpp"
#include "solving/preconditioners/triangle.hpp"
#include "solving/solve.hpp"
#include "support/matrices.hpp"

namespace sparsecast::test {
namespace {

using namespace solving;

Eigen::MatrixXd dense_of(const Matrix& matrix) {
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(matrix.rows(), matrix.cols());
  matrix.visit([&](const auto& csr) {
    for (std::int64_t row = 0; row < csr.rows; ++row)
      for (auto k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k)
        out(row, csr.column_indices[k]) = csr.values[k];
  });
  return out;
}

// Every node beside the next: tridiagonal with the shift.
Matrix path(std::int32_t nodes) {
  Csr<std::int32_t, std::int32_t> csr;
  csr.rows = csr.cols = nodes;
  csr.row_pointers = {0};
  for (std::int32_t node = 0; node < nodes; ++node) {
    if (node + 1 < nodes) csr.column_indices.push_back(node + 1);
    csr.row_pointers.push_back(static_cast<std::int32_t>(csr.column_indices.size()));
  }
  csr.values.assign(csr.column_indices.size(), 1.0);
  return {std::move(csr), "path"};
}

Eigen::VectorXd applied(const Preconditioner& m, const Vector& r) {
  Vector z(r.size());
  m.apply(r.data(), z.data());
  return Eigen::Map<const Eigen::VectorXd>(z.data(), static_cast<Eigen::Index>(z.size()));
}

TEST(Preconditioners, OfATridiagonalMatrixIncompleteFactorsAreItsOwn) {
  const Matrix spd = spd_shift(path(200));
  const Vector r = random_right_hand_side(spd.rows());
  const Eigen::VectorXd exact =
      dense_of(spd).lu().solve(Eigen::Map<const Eigen::VectorXd>(r.data(), static_cast<Eigen::Index>(r.size())));
  for (const PreconditionerKind kind : {PreconditionerKind::ic0, PreconditionerKind::ilu0})
    EXPECT_LT((applied(*make_preconditioner(spd, kind, 2), r) - exact).norm(), 1e-12 * exact.norm());
}

TEST(Preconditioners, FactorsTimesEachOtherAreTheMatrixOnItsPattern) {
  const Matrix matrix = spd_shift(random_matrix(120, 120, 500, 5));
  const IncompleteFactors f = incomplete_factors(matrix, true, "ic0");
  Eigen::MatrixXd l = Eigen::MatrixXd::Identity(120, 120), u = Eigen::MatrixXd::Zero(120, 120);
  const Eigen::MatrixXd a = dense_of(matrix);
  matrix.visit_pattern([&](const auto& csr) {
    for (std::int64_t row = 0; row < 120; ++row)
      for (auto k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k)
        (csr.column_indices[k] < row ? l : u)(row, csr.column_indices[k]) = f.values[k];
  });
  const Eigen::MatrixXd product = l * u;
  double largest = 0;
  for (int row = 0; row < 120; ++row)
    for (int column = 0; column < 120; ++column)
      if (a(row, column) != 0) largest = std::max(largest, std::abs(product(row, column) - a(row, column)));
  EXPECT_LT(largest, 1e-12);
}

TEST(Preconditioners, ThreadsAndLevelsChangeNothing) {
  // Wide levels, which threads share, and levels of a row each.
  const Matrix wide = spd_shift(random_matrix(40000, 40000, 120000, 11));
  const Matrix narrow = spd_shift(path(3000));
  EXPECT_TRUE(triangle_work(wide, Side::lower, 2).shared);
  EXPECT_FALSE(triangle_work(wide, Side::lower, 1).shared);
  EXPECT_FALSE(triangle_work(narrow, Side::lower, 2).shared);
  EXPECT_EQ(triangle_work(narrow, Side::upper, 1).levels, 3000);
  for (const Matrix* matrix : {&wide, &narrow}) {
    const Vector r = random_right_hand_side(matrix->rows());
    for (const PreconditionerKind kind :
         {PreconditionerKind::block_jacobi, PreconditionerKind::ic0, PreconditionerKind::ilu0})
      EXPECT_EQ(applied(*make_preconditioner(*matrix, kind, 1), r), applied(*make_preconditioner(*matrix, kind, 2), r));
  }
}

TEST(Preconditioners, BlockJacobiInvertsBlocksOfFourRows) {
  const Matrix matrix = spd_shift(random_matrix(10, 10, 60, 8));
  Eigen::MatrixXd blocks = Eigen::MatrixXd::Zero(10, 10);
  const Eigen::MatrixXd a = dense_of(matrix);
  for (int first = 0; first < 10; first += 4) {
    const int size = std::min(4, 10 - first);
    blocks.block(first, first, size, size) = a.block(first, first, size, size);
  }
  const Vector r = random_right_hand_side(10);
  const Eigen::VectorXd exact = blocks.lu().solve(Eigen::Map<const Eigen::VectorXd>(r.data(), 10));
  EXPECT_LT((applied(*make_preconditioner(matrix, PreconditionerKind::block_jacobi, 1), r) - exact).norm(), 1e-13);
}

}  // namespace
}  // namespace sparsecast::test
