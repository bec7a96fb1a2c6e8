// A solver of one's own on the partition that `sparsecast cluster script --solver` wrote: conjugate gradients for a
// symmetric positive definite matrix. Put your own iteration where it stands; the plan's apply() is the product.
//
//   mpirun -n PROCESSES ./solver MATRIX.mtx parts.txt [iterations]
//
// Every rank reads the whole file and keeps its rows. Where a node's memory is too small for that, fill OwnRows from
// your own distributed data.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "sparsecast_mpi.hpp"

namespace {

struct WholeMatrix {
  std::vector<std::int64_t> row_pointers, columns;
  std::vector<double> values;
  [[nodiscard]] std::size_t rows() const { return row_pointers.size() - 1; }
};

// Matrix Market, coordinates of real numbers, general or symmetric.
WholeMatrix read_market(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  if (!in || line.find("coordinate") == std::string::npos) throw std::runtime_error(file + ": no coordinate matrix");
  const bool symmetric = line.find("symmetric") != std::string::npos,
             pattern = line.find("pattern") != std::string::npos;
  while (std::getline(in, line) && line.starts_with('%')) {
  }
  std::int64_t rows = 0, cols = 0, entries = 0;
  std::istringstream(line) >> rows >> cols >> entries;
  if (rows < 1 || rows != cols) throw std::runtime_error(file + ": not square");
  std::vector<std::vector<std::pair<std::int64_t, double>>> by_row(static_cast<std::size_t>(rows));
  for (std::int64_t k = 0; k < entries; ++k) {
    std::int64_t row = 0, column = 0;
    double value = 1;
    in >> row >> column;
    if (!pattern) in >> value;
    if (!in || row < 1 || row > rows || column < 1 || column > rows) throw std::runtime_error(file + ": bad entry");
    by_row[static_cast<std::size_t>(row - 1)].emplace_back(column - 1, value);
    if (symmetric && row != column) by_row[static_cast<std::size_t>(column - 1)].emplace_back(row - 1, value);
  }
  WholeMatrix matrix;
  matrix.row_pointers.push_back(0);
  for (auto& row : by_row) {
    std::sort(row.begin(), row.end());
    for (const auto& [column, value] : row) {
      matrix.columns.push_back(column);
      matrix.values.push_back(value);
    }
    matrix.row_pointers.push_back(static_cast<std::int64_t>(matrix.columns.size()));
  }
  return matrix;
}

std::vector<int> read_parts(const std::string& file, std::size_t rows, int ranks) {
  std::ifstream in(file);
  std::vector<int> parts(rows);
  for (int& part : parts)
    if (!(in >> part) || part < 0 || part >= ranks)
      throw std::runtime_error(file + ": written for another matrix or another number of processes");
  return parts;
}

void solve(const std::string& matrix_file, const std::string& parts_file, int iterations) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const WholeMatrix matrix = read_market(matrix_file);
  const std::vector<int> parts = read_parts(parts_file, matrix.rows(), ranks);
  sparsecast::DistributedPlan plan(
      MPI_COMM_WORLD, sparsecast::rows_of_part(matrix.row_pointers, matrix.columns, matrix.values, parts, rank));
  const auto n = static_cast<std::size_t>(plan.own_rows());
  std::vector<double> x(n, 0.0), r(n, 1.0), p(n, 1.0), q(n);
  double rho = plan.dot(r, r);
  const double begin = MPI_Wtime(), first = rho;
  int done = 0;
  for (; done < iterations && rho > 1e-20 * first; ++done) {
    plan.apply(p, q);
    const double alpha = rho / plan.dot(p, q);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    const double next = plan.dot(r, r), beta = next / rho;
    for (std::size_t i = 0; i < n; ++i) p[i] = r[i] + beta * p[i];
    rho = next;
  }
  const double seconds = MPI_Wtime() - begin;
  // The residual of its own: b − A·x with b = 1 everywhere.
  plan.apply(x, q);
  for (std::size_t i = 0; i < n; ++i) q[i] = 1 - q[i];
  const double left = std::sqrt(plan.dot(q, q) / first);
  if (rank == 0)
    std::printf("%d iterations, residual %.2e, %.3g s per iteration on %d processes\n", done, left, seconds / done,
                ranks);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc < 3) {
    std::fprintf(stderr, "mpirun -n PROCESSES %s MATRIX.mtx parts.txt [iterations]\n", argv[0]);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  try {
    solve(argv[1], argv[2], argc > 3 ? std::atoi(argv[3]) : 100);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
