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

struct Form {
  std::string name;
  Mat a = nullptr;
};

struct Problem {
  Matrix keep;  // the sequential matrix aliases these arrays
  std::vector<PetscInt> pointers, columns;
  std::vector<PetscScalar> values;
  std::vector<Form> forms;
  Vec x = nullptr, y = nullptr;
  Problem() = default;
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;
  ~Problem() {
    for (Form& form : forms) MatDestroy(&form.a);
    VecDestroy(&x);
    VecDestroy(&y);
  }
};
std::shared_ptr<Problem> latest;

// What the first process asks of the others: so many products in one of the forms, or one of these instead.
struct Call {
  int form = 0, times = 0;
};
constexpr int stop = -2, sum_of_y = -1;

void require(PetscErrorCode code) {
  if (code != 0) throw std::runtime_error("PETSc failed");
}

// The others sleep while they wait: a process that polls would take a core from the contestants that use threads.
Call wait_for_call() {
  Call call;
  MPI_Request request;
  MPI_Ibcast(&call, 2, MPI_INT, 0, MPI_COMM_WORLD, &request);
  for (int arrived = 0; arrived == 0;) {
    MPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
    if (arrived == 0) usleep(1000);
  }
  return call;
}
void call_others(Call call, int processes) {
  if (processes == 1) return;
  MPI_Request request;
  MPI_Ibcast(&call, 2, MPI_INT, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

double multiply(const Call& call) {
  const Mat a = latest->forms[static_cast<std::size_t>(call.form)].a;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < call.times; ++i) MatMult(a, latest->x, latest->y);
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Wtime() - start;
}
double total() {
  PetscScalar sum = 0;
  VecSum(latest->y, &sum);
  return sum;
}

// Rows and columns are dealt evenly by number, as PETSc's own PETSC_DECIDE does, in whole blocks.
std::int64_t part_begin(std::int64_t count, int part, int parts, int block) {
  const std::int64_t blocks = count / block;
  return part == parts ? count : block * (blocks / parts * part + std::min<std::int64_t>(blocks % parts, part));
}

void convert(const char* name, const char* type) {
  Mat a = nullptr;
  if (MatConvert(latest->forms.front().a, type, MAT_INITIAL_MATRIX, &a) == 0) latest->forms.push_back({name, a});
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

std::vector<Contestant> PetscSession::peers(const Task<double>& task) {
  latest = std::make_shared<Problem>();
  int traits[2] = {task.block, task.symmetric ? 1 : 0};
  MPI_Bcast(traits, 2, MPI_INT, 0, MPI_COMM_WORLD);
  const int block = std::max(1, traits[0]);
  const Matrix& matrix = task.matrix;
  Problem& problem = *latest;
  problem.keep = matrix;
  problem.forms.push_back({"petsc"});
  Mat& a = problem.forms.front().a;
  matrix.visit([&](const auto& csr) {
    const std::int64_t first = part_begin(csr.rows, rank_, processes_, block),
                       last = part_begin(csr.rows, rank_ + 1, processes_, block);
    const std::int64_t begin = csr.row_pointers[first], end = csr.row_pointers[last];
    problem.columns.assign(csr.column_indices.begin() + begin, csr.column_indices.begin() + end);
    problem.values.assign(csr.values.begin() + begin, csr.values.begin() + end);
    for (std::int64_t row = first; row <= last; ++row)
      problem.pointers.push_back(static_cast<PetscInt>(csr.row_pointers[row] - begin));
    const std::int64_t first_col = part_begin(csr.cols, rank_, processes_, block);
    const auto local_cols = static_cast<PetscInt>(part_begin(csr.cols, rank_ + 1, processes_, block) - first_col);
    const auto local_rows = static_cast<PetscInt>(last - first);
    require(processes_ == 1
                ? MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, local_rows, local_cols, problem.pointers.data(),
                                            problem.columns.data(), problem.values.data(), &a)
                : MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, local_rows, local_cols, static_cast<PetscInt>(csr.rows),
                                            static_cast<PetscInt>(csr.cols), problem.pointers.data(),
                                            problem.columns.data(), problem.values.data(), &a));
    require(MatCreateVecs(a, &problem.x, &problem.y));
    PetscScalar* entries = nullptr;
    require(VecGetArray(problem.x, &entries));
    std::copy_n(task.x.begin() + first_col, local_cols, entries);
    require(VecRestoreArray(problem.x, &entries));
  });
  if (block > 1 && MatSetBlockSize(a, block) == 0) convert("petsc-baij", MATBAIJ);
  // On several processes PETSc 3.18 takes minutes to make the triangle of 160,000 rows.
  if (traits[1] != 0 && processes_ == 1 && MatSetOption(a, MAT_SYMMETRIC, PETSC_TRUE) == 0)
    convert("petsc-sbaij", MATSBAIJ);
  std::vector<Contestant> peers;
  if (rank_ != 0) return peers;
  const int processes = processes_;
  for (int form = 0; form < static_cast<int>(problem.forms.size()); ++form)
    peers.push_back({problem.forms[static_cast<std::size_t>(form)].name, matrix.bytes(),
                     [processes, form](int times) {
                       call_others({form, times}, processes);
                       return multiply({form, times});
                     },
                     [processes, form] {
                       call_others({form, 1}, processes);
                       multiply({form, 1});
                       call_others({0, sum_of_y}, processes);
                       return total();
                     }});
  return peers;
}

void PetscSession::serve() {
  for (Call call = wait_for_call(); call.times != stop; call = wait_for_call()) {
    if (call.times == sum_of_y) {
      total();
    } else {
      multiply(call);
    }
  }
}
void PetscSession::release() { call_others({0, stop}, processes_); }

}  // namespace sparsecast::bench

#else

namespace sparsecast::bench {

PetscSession::PetscSession(int*, char***) {}
PetscSession::~PetscSession() = default;
bool PetscSession::available() { return false; }
std::vector<Contestant> PetscSession::peers(const Task<double>&) { return {}; }
void PetscSession::serve() {}
void PetscSession::release() {}

}  // namespace sparsecast::bench
#endif
