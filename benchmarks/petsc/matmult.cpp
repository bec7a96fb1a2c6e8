// matmult -f MATRIX [-batches N]: MatMult of a matrix in PETSc's binary format as AIJ and as sparsecast: seconds that
// the first products of sparsecast took, planning and all; then both in turns, the seconds of every batch, of the
// slowest process. A program of PETSc's alone: the type comes by -dll_append.

#include <petscmat.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <vector>

#include "load.hpp"

namespace {

PetscErrorCode seconds_of(Mat a, Vec x, Vec y, PetscInt products, double* seconds) {
  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  const double start = MPI_Wtime();
  for (PetscInt k = 0; k < products; ++k) PetscCall(MatMult(a, x, y));
  *seconds = (MPI_Wtime() - start) / static_cast<double>(products);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscFunctionReturn(0);
}

// The first products, for `enough` seconds: prints the name, and how many, and the seconds since the first.
PetscErrorCode first_products(const char* name, double enough, Mat a, Vec x, Vec y) {
  PetscInt done = 0;
  double seconds = 0;
  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s", name));
  const double start = MPI_Wtime();
  for (const PetscInt products : {10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000}) {
    for (; done < products; ++done) PetscCall(MatMult(a, x, y));
    seconds = MPI_Wtime() - start;
    PetscCallMPI(MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, PETSC_COMM_WORLD));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %d %g", static_cast<int>(products), seconds));
    if (seconds > enough) break;
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
  PetscFunctionReturn(0);
}

PetscErrorCode run() {
  PetscInt batches = 61;
  std::array<Mat, 2> a{};
  std::array<Vec, 2> y{};
  std::array<std::vector<double>, 2> seconds;
  Vec x = nullptr;
  PetscReal largest = 0, difference = 0;
  double convert = 0, product = 0;
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-batches", &batches, nullptr));
  PetscCall(load(a.data()));
  convert = MPI_Wtime();
  PetscCall(MatConvert(a[0], "sparsecast", MAT_INITIAL_MATRIX, &a[1]));
  convert = MPI_Wtime() - convert;
  PetscCall(MatCreateVecs(a[0], &x, y.data()));
  PetscCall(VecDuplicate(y[0], &y[1]));
  PetscCall(VecSetRandom(x, nullptr));
  PetscCall(first_products("first-aij", 1, a[0], x, y[0]));
  // Until all plans had their turn: planning is 1/25 of it.
  PetscCall(first_products("first-sparsecast", 3, a[1], x, y[1]));
  PetscCall(seconds_of(a[0], x, y[0], 3, &product));
  PetscCall(VecNorm(y[0], NORM_INFINITY, &largest));
  PetscCall(VecAXPY(y[1], -1, y[0]));
  PetscCall(VecNorm(y[1], NORM_INFINITY, &difference));
  const auto products = std::max<PetscInt>(1, static_cast<PetscInt>(5e-3 / product));
  for (PetscInt batch = 0; batch < 2 * batches; ++batch) {
    double taken = 0;
    PetscCall(seconds_of(a[batch % 2], x, y[batch % 2], products, &taken));
    if (batch >= 2) seconds[batch % 2].push_back(taken);
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "same %d\nconvert %g", difference <= 1e-12 * largest, convert));
  for (int which = 0; which < 2; ++which) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, which == 0 ? "\naij" : "\nsparsecast"));
    for (double taken : seconds[which]) PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %g", taken));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
  PetscCall(MatView(a[1], PETSC_VIEWER_STDOUT_WORLD));
  for (int which = 0; which < 2; ++which) {
    PetscCall(MatDestroy(&a[which]));
    PetscCall(VecDestroy(&y[which]));
  }
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(0);
}

}  // namespace

int main(int argc, char** argv) {
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
  PetscCall(PetscViewerPushFormat(PETSC_VIEWER_STDOUT_WORLD, PETSC_VIEWER_ASCII_INFO));
  PetscCall(run());
  PetscCall(PetscFinalize());
  return 0;
}
