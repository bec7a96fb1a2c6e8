// Solves against Eigen's: the same solutions, residuals and numbers of iterations.

#include "solving/solve.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/Sparse>
#include <complex>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>

#include "formats/kernels.hpp"
#include "solving/preconditioners/preconditioner.hpp"

namespace sparsecast::test {
namespace {

using namespace solving;
using Sparse = Eigen::SparseMatrix<double, Eigen::RowMajor>;

Matrix grid(int size) { return generate({.kind = "poisson2d", .parameters = {.size = size}}); }

// A grid with flow from left to right: not symmetric, diagonally dominant.
Matrix flow(int size) {
  const Matrix base = grid(size);
  return base.visit([&](const auto& csr) {
    Csr<std::int32_t, std::int32_t> out;
    out.rows = out.cols = csr.rows;
    for (const auto start : csr.row_pointers) out.row_pointers.push_back(static_cast<std::int32_t>(start));
    for (const auto column : csr.column_indices) out.column_indices.push_back(static_cast<std::int32_t>(column));
    for (std::int64_t row = 0; row < csr.rows; ++row)
      for (auto k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k)
        out.values.push_back(csr.values[k] + (csr.column_indices[k] == row  ? 0.1
                                              : csr.column_indices[k] > row ? 0.3
                                                                            : -0.3));
    return Matrix(std::move(out), "flow");
  });
}

Sparse eigen(const Matrix& matrix) {
  std::vector<Eigen::Triplet<double>> entries;
  matrix.visit([&](const auto& csr) {
    for (std::int64_t row = 0; row < csr.rows; ++row)
      for (auto k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k)
        entries.emplace_back(row, csr.column_indices[k], csr.values[k]);
  });
  Sparse out(matrix.rows(), matrix.cols());
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

Eigen::VectorXd eigen(const Vector& x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

SolveTask task_of(const std::string& method, PreconditionerKind kind, int threads = 1) {
  return {.method = parse_method(method),
          .preconditioner = kind,
          .kernel = std::string(formats::default_kernel().name),
          .threads = threads};
}

double residual(const Matrix& matrix, const Vector& x) {
  const Eigen::VectorXd b = eigen(random_right_hand_side(matrix.rows()));
  return (b - eigen(matrix) * eigen(x)).norm() / b.norm();
}

// The same steps in another order of sums: as many iterations, and solutions that differ by rounding.
TEST(Solve, IsTheSameWhereverDotProductsAreTaken) {
  const Matrix symmetric = grid(150), one_way = flow(150);
  for (const char* method : {"cg", "bicgstab", "chebyshev"})
    for (const PreconditionerKind kind : {PreconditionerKind::none, PreconditionerKind::jacobi})
      for (const int threads : {1, 2}) {
        const Matrix& matrix = std::string_view(method) == "bicgstab" ? one_way : symmetric;
        SolveTask task = task_of(method, kind, threads);
        ASSERT_EQ(dots_taken(task.kernel, matrix.rows(), threads), DotsTaken::in_product);
        const SolveResult within = run_solve(matrix, task);
        task.dots_apart = true;
        const SolveResult apart = run_solve(matrix, task);
        const std::string what = std::string(method) + ", threads " + std::to_string(threads);
        EXPECT_NEAR(static_cast<double>(within.iterations), static_cast<double>(apart.iterations),
                    2 + 0.1 * static_cast<double>(apart.iterations))
            << what;
        EXPECT_LT((eigen(within.x) - eigen(apart.x)).norm(), 1e-5 * eigen(apart.x).norm()) << what;
        EXPECT_LE(residual(matrix, within.x), 1e-8) << what;
        EXPECT_EQ(apart.counted.dotted, 0) << what;
        if (std::string_view(method) != "chebyshev") {
          EXPECT_GT(within.counted.dotted, 0) << what;
        }
      }
}

TEST(Solve, ConjugateGradientsTakeAsManyIterationsAsEigens) {
  const Matrix matrix = grid(40);
  const Sparse a = eigen(matrix);
  const Eigen::VectorXd b = eigen(random_right_hand_side(matrix.rows()));
  Eigen::ConjugateGradient<Sparse, Eigen::Lower | Eigen::Upper, Eigen::IdentityPreconditioner> plain(a);
  Eigen::ConjugateGradient<Sparse, Eigen::Lower | Eigen::Upper> diagonal(a);
  plain.setTolerance(1e-8);
  diagonal.setTolerance(1e-8);
  const Eigen::VectorXd x = plain.solve(b), y = diagonal.solve(b);
  for (const int threads : {1, 2}) {
    const SolveResult none = run_solve(matrix, task_of("cg", PreconditionerKind::none, threads));
    const SolveResult jacobi = run_solve(matrix, task_of("cg", PreconditionerKind::jacobi, threads));
    EXPECT_NEAR(static_cast<double>(none.iterations), static_cast<double>(plain.iterations()), 1);
    EXPECT_NEAR(static_cast<double>(jacobi.iterations), static_cast<double>(diagonal.iterations()), 1);
    EXPECT_LE(none.residual, 1e-8);
    EXPECT_NEAR(residual(matrix, none.x), none.residual, 1e-12);
    EXPECT_LT((eigen(none.x) - x).norm() / x.norm(), 1e-6);
    EXPECT_LT((eigen(jacobi.x) - y).norm() / y.norm(), 1e-6);
  }
}

// A grid whose neighbours hold each other with a phase: 4.2 on the diagonal, −e^(iφ) above it, −e^(−iφ) below.
TEST(Solve, OfHermitianMatricesIsEigensInComplexNumbers) {
  using Complex = std::complex<double>;
  const Matrix matrix = grid(30).visit([&](const auto& csr) {
    Csr<std::int32_t, std::int32_t> out{csr.rows, csr.cols, {}, {}, {}};
    for (const auto start : csr.row_pointers) out.row_pointers.push_back(static_cast<std::int32_t>(start));
    for (const auto column : csr.column_indices) out.column_indices.push_back(static_cast<std::int32_t>(column));
    for (std::int64_t row = 0; row < csr.rows; ++row)
      for (auto k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k) {
        const auto apart = static_cast<double>(csr.column_indices[k] - row);
        const Complex value = apart == 0 ? 4.2 + 0.1 * static_cast<double>(row % 7) : -std::polar(1.0, 0.3 * apart);
        out.values.push_back(value.real());
        out.imaginary.push_back(value.imag());
      }
    return Matrix(std::move(out), "magnetic grid");
  });
  Eigen::SparseMatrix<Complex, Eigen::RowMajor> a(matrix.rows(), matrix.cols());
  std::vector<Eigen::Triplet<Complex>> entries;
  matrix.visit_complex([&](const auto& csr) {
    for (std::int64_t row = 0; row < csr.rows; ++row)
      for (auto k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k)
        entries.emplace_back(row, csr.column_indices[k], csr.values[k]);
  });
  a.setFromTriplets(entries.begin(), entries.end());
  const auto complex = [&](const Vector& parts) -> Eigen::VectorXcd {
    return Eigen::Map<const Eigen::VectorXcd>(reinterpret_cast<const Complex*>(parts.data()), a.rows());
  };
  const Eigen::VectorXcd b = complex(random_right_hand_side(2 * matrix.rows()));
  Eigen::ConjugateGradient<decltype(a), Eigen::Lower | Eigen::Upper, Eigen::IdentityPreconditioner> plain(a);
  Eigen::ConjugateGradient<decltype(a), Eigen::Lower | Eigen::Upper> diagonal(a);
  plain.setTolerance(1e-8);
  diagonal.setTolerance(1e-8);
  const Eigen::VectorXcd x = plain.solve(b), y = diagonal.solve(b);
  for (const char* kernel : {"csr", "csr-merge", "sell"}) {
    SolveTask none = task_of("cg", PreconditionerKind::none, 2), jacobi = task_of("cg", PreconditionerKind::jacobi, 2);
    none.kernel = jacobi.kernel = kernel;
    const SolveResult first = run_solve(matrix, none), second = run_solve(matrix, jacobi);
    EXPECT_NEAR(static_cast<double>(first.iterations), static_cast<double>(plain.iterations()), 1);
    EXPECT_NEAR(static_cast<double>(second.iterations), static_cast<double>(diagonal.iterations()), 1);
    EXPECT_LE(first.residual, 1e-8);
    EXPECT_LT((complex(first.x) - x).norm() / x.norm(), 1e-6);
    EXPECT_LT((complex(second.x) - y).norm() / y.norm(), 1e-6);
  }
  const SolveResult bounds = run_solve(matrix, task_of("chebyshev", PreconditionerKind::jacobi));
  EXPECT_LT((complex(bounds.x) - x).norm() / x.norm(), 1e-6);
}

// Our preconditioner in Eigen's solver.
class OurFactors {
 public:
  using StorageIndex = int;
  enum { ColsAtCompileTime = Eigen::Dynamic, MaxColsAtCompileTime = Eigen::Dynamic };
  static inline const Preconditioner* in_use = nullptr;

  template <class M>
  OurFactors& analyzePattern(const M&) {
    return *this;
  }
  template <class M>
  OurFactors& factorize(const M&) {
    return *this;
  }
  template <class M>
  OurFactors& compute(const M&) {
    return *this;
  }
  template <class R>
  Eigen::VectorXd solve(const R& given) const {
    const Eigen::VectorXd r = given;
    Eigen::VectorXd z(r.size());
    in_use->apply(r.data(), z.data());
    return z;
  }
  static Eigen::ComputationInfo info() { return Eigen::Success; }
};

TEST(Solve, TriangularSolvesServeEigensSolverAsTheyServeOurs) {
  const Matrix matrix = grid(40);
  const Sparse a = eigen(matrix);
  const Eigen::VectorXd b = eigen(random_right_hand_side(matrix.rows()));
  const auto plain = run_solve(matrix, task_of("cg", PreconditionerKind::none)).iterations;
  for (const PreconditionerKind kind : {PreconditionerKind::ic0, PreconditionerKind::ilu0}) {
    const auto factors = make_preconditioner(matrix, kind, 1);
    OurFactors::in_use = factors.get();
    Eigen::ConjugateGradient<Sparse, Eigen::Lower | Eigen::Upper, OurFactors> peer(a);
    peer.setTolerance(1e-8);
    const Eigen::VectorXd x = peer.solve(b);
    const SolveResult mine = run_solve(matrix, task_of("cg", kind, 2));
    EXPECT_NEAR(static_cast<double>(mine.iterations), static_cast<double>(peer.iterations()), 1);
    EXPECT_LT(2 * mine.iterations, plain) << "it has to be worth something";
    EXPECT_LE(mine.residual, 1e-8);
    EXPECT_LT((eigen(mine.x) - x).norm() / x.norm(), 1e-6);
  }
}

TEST(Solve, BicgstabAgreesWithEigens) {
  const Matrix matrix = flow(40);
  const Sparse a = eigen(matrix);
  const Eigen::VectorXd b = eigen(random_right_hand_side(matrix.rows()));
  Eigen::BiCGSTAB<Sparse> peer(a);  // with the diagonal
  peer.setTolerance(1e-8);
  const Eigen::VectorXd x = peer.solve(b);
  const SolveResult mine = run_solve(matrix, task_of("bicgstab", PreconditionerKind::jacobi));
  EXPECT_NEAR(static_cast<double>(mine.iterations), static_cast<double>(peer.iterations()), 3);
  EXPECT_LE(mine.residual, 1e-8);
  EXPECT_LT((eigen(mine.x) - x).norm() / x.norm(), 1e-6);
}

TEST(Solve, EveryMethodOfSystemsReachesTheResidualWithEveryPreconditioner) {
  using enum PreconditionerKind;
  const Matrix general = flow(25), definite = grid(25);
  for (const char* method : {"cg", "bicgstab", "gmres:20", "chebyshev"}) {
    const Matrix& matrix = parse_method(method).info->symmetric ? definite : general;
    for (const PreconditionerKind kind : {none, jacobi, block_jacobi, ilu0}) {
      const SolveResult result = run_solve(matrix, task_of(method, kind, 2));
      EXPECT_EQ(result.ending, Ending::converged) << method << " with " << name_of(kind);
      EXPECT_LE(residual(matrix, result.x), 1.0001e-8) << method << " with " << name_of(kind);
    }
  }
  const SolveResult relaxed = run_solve(matrix_to_solve(definite, parse_method("cg"), true), task_of("jacobi", none));
  EXPECT_EQ(relaxed.ending, Ending::converged);
}

TEST(Solve, EigenvaluesAreThoseOfTheDenseMatrix) {
  const Matrix matrix = grid(12);
  const Eigen::VectorXd values =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(Eigen::MatrixXd(eigen(matrix))).eigenvalues();
  SolveTask power = task_of("power", PreconditionerKind::none);
  power.run.tolerance = 1e-5;
  const SolveResult largest = run_solve(matrix, power);
  EXPECT_NEAR(largest.eigenvalues.at(0), values.maxCoeff(), 1e-6);
  for (const PreconditionerKind kind : {PreconditionerKind::none, PreconditionerKind::ic0}) {
    SolveTask block = task_of("lobpcg:3", kind, 2);
    block.run.tolerance = 1e-6;
    const SolveResult smallest = run_solve(matrix, block);
    ASSERT_EQ(smallest.eigenvalues.size(), 3U);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(smallest.eigenvalues[static_cast<std::size_t>(i)], values[i], 1e-8);
  }
}

TEST(Solve, PageRankIsTheStationaryDistribution) {
  // Three pages: 0 and 1 link to 2, which links to 0; 3 is linked by nobody and links to none.
  Csr<std::int32_t, std::int32_t> links;
  links.rows = links.cols = 4;
  links.row_pointers = {0, 1, 2, 3, 3};
  links.column_indices = {2, 2, 0};
  links.values = {5, 7, 9};
  SolveTask task = task_of("pagerank", PreconditionerKind::none);
  task.run.tolerance = 1e-13;
  const SolveResult result = run_solve(matrix_to_solve(Matrix(std::move(links), "links"), task.method, false), task);
  // r3 = r1 = base; r2 = base + 0.85·(r0 + r1); r0 = base + 0.85·r2; base = (0.15 + 0.85·r3)/4
  const double base = result.x[3];
  EXPECT_NEAR(base, (0.15 + 0.85 * base) / 4, 1e-12);
  EXPECT_NEAR(result.x[1], base, 1e-12);
  EXPECT_NEAR(result.x[0], base + 0.85 * result.x[2], 1e-12);
  EXPECT_NEAR(result.x[2], base + 0.85 * (result.x[0] + result.x[1]), 1e-12);
  EXPECT_NEAR(result.x[0] + result.x[1] + result.x[2] + result.x[3], 1, 1e-12);
}

TEST(Solve, EveryKernelOfTheHostSolvesTheSameSystem) {
  const Matrix matrix = grid(20);
  const Structure structure = analyze(matrix);
  int kernels = 0;
  for (const formats::HostKernel& kernel : formats::host_kernels()) {
    if (!formats::refusal_of(std::string(kernel.name), structure).empty()) continue;
    SolveTask task = task_of("cg", PreconditionerKind::jacobi, 2);
    task.kernel = kernel.name;
    EXPECT_LE(run_solve(matrix, task).residual, 1e-8) << kernel.name;
    ++kernels;
  }
  EXPECT_GE(kernels, 8);
}

// The rows as they are given; zeros are no entries.
Matrix square(const Eigen::MatrixXd& dense) {
  Csr<std::int32_t, std::int32_t> csr;
  csr.rows = csr.cols = dense.rows();
  csr.row_pointers = {0};
  for (Eigen::Index row = 0; row < dense.rows(); ++row) {
    for (Eigen::Index column = 0; column < dense.cols(); ++column) {
      if (dense(row, column) == 0) continue;
      csr.column_indices.push_back(static_cast<std::int32_t>(column));
      csr.values.push_back(dense(row, column));
    }
    csr.row_pointers.push_back(static_cast<std::int32_t>(csr.values.size()));
  }
  return {std::move(csr), "square"};
}

// Symmetric, with eigenvalues from 1 to `condition`.
Matrix ill_conditioned(int rows, double condition) {
  std::srand(1);
  const Eigen::MatrixXd q = Eigen::HouseholderQR<Eigen::MatrixXd>(Eigen::MatrixXd::Random(rows, rows)).householderQ();
  const Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(rows, 0, std::log(condition)).array().exp().matrix();
  const Eigen::MatrixXd a = q * values.asDiagonal() * q.transpose();
  return square((a + a.transpose()) / 2);
}

// What a method carries along may vanish where ‖b − A·x‖ cannot: by rounding, or as A has no inverse.
TEST(Solve, IsConvergedOnlyWhereTheTrueResidualIs) {
  Eigen::MatrixXd lower = Eigen::MatrixXd::Zero(12, 12);
  lower.diagonal(-1).setOnes();
  const std::vector<Matrix> matrices{square(Eigen::MatrixXd::Zero(12, 12)), square(lower), ill_conditioned(60, 1e12),
                                     ill_conditioned(60, 1e6), grid(20)};
  int converged = 0, not_converged = 0, beyond = 0;
  for (const Matrix& matrix : matrices)
    for (const char* method : {"cg", "bicgstab", "gmres:30", "gmres:80", "chebyshev", "jacobi"})
      for (const PreconditionerKind kind : {PreconditionerKind::none, PreconditionerKind::ic0})
        for (const double tolerance : {1e-15, 1e-12, 1e-8, 0.0})
          for (const std::int64_t iterations : {0, 7, 3000}) {
            SolveTask task = task_of(method, kind);
            task.run = {
                .tolerance = tolerance, .iterations = iterations, .until_tolerance = tolerance > 0, .patience = 200};
            if (tolerance == 0 && iterations == 0) continue;
            SolveResult result;
            try {
              result = run_solve(matrix, task);
            } catch (const Error&) {
              continue;  // the method or the preconditioner does not take it
            }
            if (iterations > 0) {
              EXPECT_LE(result.iterations, iterations) << method;
            }
            // The same in another order of sums.
            const double truth = residual(matrix, result.x);
            const double order = 1e-14 * eigen(matrix).norm() * eigen(result.x).norm();
            if (std::isfinite(truth) && std::isfinite(order)) {
              EXPECT_NEAR(result.residual, truth, 1e-3 * truth + order + 1e-14) << method;
            }
            if (result.ending == Ending::converged) {
              EXPECT_LE(result.residual, tolerance > 0 ? tolerance : 1e-8) << method << ' ' << name_of(kind);
              ++converged;
              continue;
            }
            ++not_converged;
            beyond += result.reason.find("the true one stays at") != std::string::npos ? 1 : 0;
            if (iterations == 0) {
              EXPECT_THROW(require_solved(result, task, "square"), Error);
            }
          }
  EXPECT_GT(converged, 50);
  EXPECT_GT(not_converged, 50);
  EXPECT_GT(beyond, 5) << "solves whose own residual was too hopeful";
}

TEST(Solve, EigenvaluesOfAMatrixOfZerosAreZero) {
  const SolveResult zeros =
      run_solve(square(Eigen::MatrixXd::Zero(30, 30)), task_of("lobpcg:2", PreconditionerKind::none));
  EXPECT_EQ(zeros.ending, Ending::converged);
  EXPECT_EQ(zeros.eigenvalues, (std::vector<double>{0, 0}));
}

// Its smallest eigenvalue comes to the rounding of products, which nothing is small beside.
TEST(Solve, EigenvaluesOfASingularMatrixConverge) {
  Eigen::MatrixXd laplacian = eigen(grid(12));
  laplacian.diagonal() -= laplacian.rowwise().sum().eval();
  const Eigen::VectorXd values = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(laplacian).eigenvalues();
  for (const double scale : {1.0, 1e8}) {
    SolveTask task = task_of("lobpcg:2", PreconditionerKind::none, 2);
    task.run.tolerance = 1e-8;
    const SolveResult found = run_solve(square(scale * laplacian), task);
    ASSERT_EQ(found.ending, Ending::converged) << scale << found.history;
    EXPECT_NEAR(found.eigenvalues.at(0), 0, 1e-12 * scale);
    EXPECT_NEAR(found.eigenvalues.at(1), scale * values[1], 1e-8 * scale);
  }
}

// A preconditioner that is not positive definite leads nowhere, and is told before the first iteration; the method
// itself takes indefinite matrices.
TEST(Solve, EigenvaluesNeedADefinitePreconditioner) {
  const auto shifted = [](double by) {
    Eigen::MatrixXd matrix = eigen(grid(12));
    matrix.diagonal().array() -= by;
    return matrix;
  };
  const auto told = [&](double by, PreconditionerKind kind) -> std::string {
    SolveTask task = task_of("lobpcg:2", kind);
    task.run.tolerance = 1e-6;
    try {
      const SolveResult found = run_solve(square(shifted(by)), task);
      const Eigen::VectorXd values = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(shifted(by)).eigenvalues();
      EXPECT_EQ(found.ending, Ending::converged) << by << found.history;
      EXPECT_NEAR(found.eigenvalues.at(0), values[0], 1e-6);
      return {};
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      return error.reason();
    }
  };
  using enum PreconditionerKind;
  EXPECT_EQ(told(2, none), "");
  EXPECT_EQ(told(2, jacobi), "");
  EXPECT_NE(told(2, ilu0).find("so that it is not positive definite"), std::string::npos);
  EXPECT_NE(told(3.9, block_jacobi).find("block-jacobi: the block of rows 1 to 4 is not positive definite"),
            std::string::npos);
  EXPECT_EQ(told(4.5, none), "");
  for (const PreconditionerKind kind : {jacobi, block_jacobi, ilu0})
    EXPECT_NE(told(4.5, kind).find("needs a positive definite preconditioner"), std::string::npos);
}

// Of a symmetric matrix, where the residual is that of the vectors.
TEST(Solve, EigenvaluesAreNoFartherAwayThanTheirResidual) {
  SolveTask task = task_of("lobpcg:2", PreconditionerKind::jacobi);
  task.run.tolerance = 1e-10;
  const Matrix matrix = grid(15);
  const SolveResult found = run_solve(matrix, task);
  ASSERT_EQ(found.ending, Ending::converged);
  const Eigen::VectorXd values =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(Eigen::MatrixXd(eigen(matrix))).eigenvalues();
  ASSERT_EQ(found.eigenvalues.size(), 2U);
  for (int i = 0; i < 2; ++i)
    EXPECT_NEAR(found.eigenvalues[static_cast<std::size_t>(i)], values[i], found.residual * values[i] + 1e-14);
}

TEST(Solve, WhatDoesNotConvergeIsToldWithItsHistory) {
  const Matrix matrix = flow(20);
  SolveTask task = task_of("jacobi", PreconditionerKind::none);
  // The off-diagonal entries outweigh the diagonal: it diverges.
  Matrix dominated = matrix.visit([&](const auto& csr) {
    Csr<std::int32_t, std::int32_t> out;
    out.rows = out.cols = csr.rows;
    for (const auto start : csr.row_pointers) out.row_pointers.push_back(static_cast<std::int32_t>(start));
    for (const auto column : csr.column_indices) out.column_indices.push_back(static_cast<std::int32_t>(column));
    for (std::int64_t row = 0; row < csr.rows; ++row)
      for (auto k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k)
        out.values.push_back(csr.column_indices[k] == row ? 1.0 : 2.0);
    return Matrix(std::move(out), "dominated");
  });
  const SolveResult diverged = run_solve(dominated, task);
  EXPECT_EQ(diverged.ending, Ending::diverged);
  try {
    require_solved(diverged, task, "dominated");
    FAIL() << "taken for solved";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::failed);
    EXPECT_NE(std::string(error.what()).find("jacobi diverges after"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("residual: 1, "), std::string::npos) << error.what();
  }
  SolveTask weak = task_of("gmres:1", PreconditionerKind::none);
  weak.run.patience = 20;
  // A cyclic shift: every restart of one step goes nowhere.
  Csr<std::int32_t, std::int32_t> shift;
  shift.rows = shift.cols = 50;
  shift.row_pointers = {0};
  for (int i = 0; i < 50; ++i) {
    shift.column_indices.push_back((i + 1) % 50);
    shift.values.push_back(1);
    shift.row_pointers.push_back(i + 1);
  }
  Vector b(50, 0.0);
  b[0] = 1;
  EXPECT_EQ(run_solve(Matrix(std::move(shift), "shift"), weak, b).ending, Ending::stagnated);
  SolveTask few = task_of("cg", PreconditionerKind::none);
  few.run.iterations = 3;
  const SolveResult limited = run_solve(grid(20), few);
  EXPECT_EQ(limited.iterations, 3);
  EXPECT_NO_THROW(require_solved(limited, few, "grid")) << "so many were asked for";
}

}  // namespace
}  // namespace sparsecast::test
