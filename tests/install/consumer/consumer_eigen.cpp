// What a user of Eigen writes: y = A·x by a plan on Eigen's own arrays.

#include <Eigen/SparseCore>
#include <sparsecast/eigen.hpp>

int main() {
  Eigen::SparseMatrix<double, Eigen::RowMajor> a(2, 2);
  a.insert(0, 1) = 3;
  a.insert(1, 0) = 2;
  a.makeCompressed();
  const sparsecast::Matrix matrix = sparsecast::matrix_of(a);
  const sparsecast::EigenPlan plan(sparsecast::Plan(matrix, sparsecast::one_kernel(matrix, "csr")));
  const Eigen::VectorXd y = plan * Eigen::Vector2d(1, 10);
  return y(0) == 30 && y(1) == 2 ? 0 : 1;
}
