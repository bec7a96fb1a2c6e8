#include "peers.hpp"

#ifdef BENCH_PETSC
#include <petscmat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

namespace sparsecast::bench {
namespace {

struct Product {
  Matrix keep;  // the sequential matrix aliases these arrays
  std::vector<PetscInt> pointers, columns;
  Mat a = nullptr;
  Vec x = nullptr, y = nullptr;
  ~Product() {
    MatDestroy(&a);
    VecDestroy(&x);
    VecDestroy(&y);
  }
};
std::shared_ptr<Product> latest;

constexpr int stop = 0, sum_of_y = -1;

void require(PetscErrorCode code) {
  if (code != 0) throw std::runtime_error("PETSc failed");
}

// The others sleep while they wait: a process that polls would take a core from the contestants that use threads.
int wait_for_call() {
  int call = stop;
  MPI_Request request;
  MPI_Ibcast(&call, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  for (int arrived = 0; arrived == 0;) {
    MPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
    if (arrived == 0) usleep(200);
  }
  return call;
}
void call_others(int call, int processes) {
  if (processes == 1) return;
  MPI_Request request;
  MPI_Ibcast(&call, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

double multiply(int times) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < times; ++i) MatMult(latest->a, latest->x, latest->y);
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Wtime() - start;
}
double total() {
  PetscScalar sum = 0;
  VecSum(latest->y, &sum);
  return sum;
}

}  // namespace

PetscSession::PetscSession(int* argc, char*** argv) {
  require(PetscInitialize(argc, argv, nullptr, nullptr));
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &processes_);
}
PetscSession::~PetscSession() {
  latest.reset();
  PetscFinalize();
}
bool PetscSession::available() { return true; }

std::optional<Contestant> PetscSession::peer(const Matrix& matrix, std::span<const double> x) {
  latest = std::make_shared<Product>();
  const auto values = std::get<std::span<const double>>(matrix.values());
  matrix.visit_pattern([&](const auto& csr) {
    // Rows are dealt evenly by number, as PETSc's own PETSC_DECIDE does.
    const auto part = [&](std::int64_t count, int p) {
      return count / processes_ * p + std::min<std::int64_t>(count % processes_, p);
    };
    const std::int64_t first = part(csr.rows, rank_), last = part(csr.rows, rank_ + 1);
    const std::int64_t begin = csr.row_pointers[first], end = csr.row_pointers[last];
    latest->keep = matrix;
    latest->columns.assign(csr.column_indices.begin() + begin, csr.column_indices.begin() + end);
    for (std::int64_t row = first; row <= last; ++row)
      latest->pointers.push_back(static_cast<PetscInt>(csr.row_pointers[row] - begin));
    const auto local_cols = static_cast<PetscInt>(part(csr.cols, rank_ + 1) - part(csr.cols, rank_));
    require(processes_ == 1 ? MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, static_cast<PetscInt>(csr.rows), local_cols,
                                                        latest->pointers.data(), latest->columns.data(),
                                                        const_cast<double*>(values.data()), &latest->a)
                            : MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, static_cast<PetscInt>(last - first),
                                                        local_cols, static_cast<PetscInt>(csr.rows),
                                                        static_cast<PetscInt>(csr.cols), latest->pointers.data(),
                                                        latest->columns.data(), values.data() + begin, &latest->a));
    require(MatCreateVecs(latest->a, &latest->x, &latest->y));
    PetscScalar* entries = nullptr;
    require(VecGetArray(latest->x, &entries));
    const std::int64_t first_col = part(csr.cols, rank_);
    std::copy_n(x.begin() + first_col, local_cols, entries);
    require(VecRestoreArray(latest->x, &entries));
  });
  if (rank_ != 0) return std::nullopt;
  const int processes = processes_;
  return Contestant{"petsc", matrix.bytes(),
                    [processes](int times) {
                      call_others(times, processes);
                      return multiply(times);
                    },
                    [processes] {
                      call_others(sum_of_y, processes);
                      return total();
                    }};
}

void PetscSession::serve() {
  for (int call = wait_for_call(); call != stop; call = wait_for_call()) {
    if (call == sum_of_y) {
      total();
    } else {
      multiply(call);
    }
  }
}
void PetscSession::release() { call_others(stop, processes_); }

}  // namespace sparsecast::bench

#else

namespace sparsecast::bench {

PetscSession::PetscSession(int*, char***) {}
PetscSession::~PetscSession() = default;
bool PetscSession::available() { return false; }
std::optional<Contestant> PetscSession::peer(const Matrix&, std::span<const double>) { return std::nullopt; }
void PetscSession::serve() {}
void PetscSession::release() {}

}  // namespace sparsecast::bench
#endif
