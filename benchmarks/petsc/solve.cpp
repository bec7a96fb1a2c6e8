// solve -f MATRIX [-rounds N] and PETSc's options: solves with a matrix in PETSc's binary format, each on a duplicate
// and with a solver of its own. Prints the seconds of every round (set-up and solve, of the slowest process),
// iterations, the last round's true residual relative to b, and the share of the rounds that products took. A program
// of PETSc's alone: -mat_type and -dll_append say whose products they are.

#include <petscksp.h>

#include "load.hpp"

namespace {

PetscErrorCode solve(Mat loaded, Vec b, Vec x, double* seconds, PetscInt* iterations) {
  Mat a = nullptr;
  KSP ksp = nullptr;
  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(loaded, MAT_COPY_VALUES, &a));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  *seconds = MPI_Wtime();
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, a, a));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  *seconds = MPI_Wtime() - *seconds;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(KSPGetIterationNumber(ksp, iterations));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&a));
  PetscFunctionReturn(0);
}

PetscErrorCode run() {
  Mat a = nullptr;
  Vec x = nullptr, b = nullptr, r = nullptr;
  PetscInt rounds = 2, iterations = 0;
  PetscLogEvent product = 0;
  PetscEventPerfInfo seen;
  PetscReal residual = 0, size = 0;
  double total = 0;
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-rounds", &rounds, nullptr));
  PetscCall(load(&a));
  PetscCall(MatCreateVecs(a, &x, &b));
  PetscCall(VecSetRandom(b, nullptr));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "seconds"));
  for (PetscInt round = 0; round < rounds; ++round) {
    double seconds = 0;
    PetscCall(solve(a, b, x, &seconds, &iterations));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %g", seconds));
    total += seconds;
  }
  PetscCall(PetscLogEventGetId("MatMult", &product));
  PetscCall(PetscLogEventGetPerfInfo(0, product, &seen));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(MatMult(a, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(VecNorm(r, NORM_2, &residual));
  PetscCall(VecNorm(b, NORM_2, &size));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\niterations %d\nresidual %g\nshare %g\n", static_cast<int>(iterations),
                        residual / size, seen.time / total));
  PetscCall(MatDestroy(&a));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(0);
}

}  // namespace

int main(int argc, char** argv) {
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
  PetscCall(PetscLogDefaultBegin());
  PetscCall(run());
  PetscCall(PetscFinalize());
  return 0;
}
