#include <Eigen/IterativeLinearSolvers>
#include <Eigen/Sparse>
#include <chrono>

#include "peer.hpp"

namespace sparsecast::bench {

Peer eigen_cg(const Matrix& matrix, const std::vector<double>& b, int threads) {
  using Sparse = Eigen::SparseMatrix<double, Eigen::RowMajor>;
  struct Problem {
    Sparse a;
    Eigen::VectorXd b;
    // The whole matrix by rows: the form that Eigen multiplies on several threads.
    Eigen::ConjugateGradient<Sparse, Eigen::Lower | Eigen::Upper> solver;
  };
  auto problem = std::make_shared<Problem>();
  std::vector<Eigen::Triplet<double>> entries;
  matrix.visit([&](const auto& csr) {
    for (std::int64_t row = 0; row < csr.rows; ++row)
      for (auto k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k)
        entries.emplace_back(static_cast<int>(row), static_cast<int>(csr.column_indices[k]),
                             static_cast<double>(csr.values[k]));
  });
  problem->a.resize(matrix.rows(), matrix.cols());
  problem->a.setFromTriplets(entries.begin(), entries.end());
  problem->a.makeCompressed();
  problem->b = Eigen::Map<const Eigen::VectorXd>(b.data(), static_cast<Eigen::Index>(b.size()));
  problem->solver.setTolerance(1e-8);
  problem->solver.setMaxIterations(100000);
  problem->solver.compute(problem->a);
  return [problem, threads] {
    Eigen::setNbThreads(threads);
    const auto start = std::chrono::steady_clock::now();
    const Eigen::VectorXd x = problem->solver.solve(problem->b);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    return PeerRun{taken.count(), problem->solver.iterations(),
                   (problem->b - problem->a * x).norm() / problem->b.norm()};
  };
}

}  // namespace sparsecast::bench
