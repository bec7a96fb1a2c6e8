// A program of PETSc's that has never heard of Sparsecast: it prints the type of its matrix and the sum of A·1, of the
// last of many products, and solves; -kill N ends process N within the solve.

#include <petscksp.h>

#include <csignal>

// Called in every step of the solve.
static PetscErrorCode kill_one(KSP, PetscInt step, PetscReal, void*) {
  PetscInt kill = -1;
  PetscMPIInt process = 0;
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-kill", &kill, nullptr));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &process));
  if (step == 1 && process == kill) std::raise(SIGKILL);
  PetscFunctionReturn(0);
}

static PetscErrorCode solve(Mat a, Vec b, Vec x) {
  KSP solver = nullptr;
  PC none = nullptr;
  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &solver));
  PetscCall(KSPSetOperators(solver, a, a));
  PetscCall(KSPGetPC(solver, &none));
  PetscCall(PCSetType(none, PCNONE));  // its diagonal is zero
  PetscCall(KSPMonitorSet(solver, kill_one, nullptr, nullptr));
  PetscCall(KSPSetFromOptions(solver));
  PetscCall(KSPSolve(solver, b, x));
  PetscCall(KSPDestroy(&solver));
  PetscFunctionReturn(0);
}

int main(int argc, char** argv) {
  Mat a = nullptr;
  Vec x = nullptr, y = nullptr;
  MatType type = nullptr;
  PetscScalar sum = 0;
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
  PetscCall(MatCreate(PETSC_COMM_WORLD, &a));
  PetscCall(MatSetSizes(a, PETSC_DECIDE, PETSC_DECIDE, 10, 10));
  PetscCall(MatSetFromOptions(a));
  PetscCall(MatSetUp(a));
  for (PetscInt row = 0; row < 10; ++row) PetscCall(MatSetValue(a, row, 9 - row, 2, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatCreateVecs(a, &x, &y));
  PetscCall(VecSet(x, 1));
  for (int product = 0; product < 100; ++product) PetscCall(MatMult(a, x, y));
  PetscCall(VecSum(y, &sum));
  PetscCall(solve(a, y, x));
  PetscCall(MatGetType(a, &type));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s %g\n", type, PetscRealPart(sum)));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&a));
  PetscCall(PetscFinalize());
  return sum == 20.0 ? 0 : 1;
}
