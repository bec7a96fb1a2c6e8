// Solves PETSc's ksp_ex2 (the 5-point Laplacian on an m × n grid, an exact solution of ones) with whatever type of
// matrix, solver and preconditioner the options name, twice, and prints what each solve took:
//   example-petsc_solve -m 400 -n 400 -mat_type sparsecast -ksp_type cg -pc_type jacobi
// The first solve makes the preconditioner and, of a matrix of type sparsecast, its plan.

#include <petscksp.h>
#include <sparsecast/petsc.h>

namespace {

PetscErrorCode laplacian(PetscInt m, PetscInt n, Mat* a) {
  PetscInt begin = 0, end = 0;
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, a));
  PetscCall(MatSetSizes(*a, PETSC_DECIDE, PETSC_DECIDE, m * n, m * n));
  PetscCall(MatSetFromOptions(*a));
  PetscCall(MatSeqAIJSetPreallocation(*a, 5, nullptr));
  PetscCall(MatMPIAIJSetPreallocation(*a, 5, nullptr, 5, nullptr));
  PetscCall(MatGetOwnershipRange(*a, &begin, &end));
  for (PetscInt row = begin; row < end; ++row) {
    const PetscInt i = row / n, j = row % n;
    if (i > 0) PetscCall(MatSetValue(*a, row, row - n, -1, INSERT_VALUES));
    if (j > 0) PetscCall(MatSetValue(*a, row, row - 1, -1, INSERT_VALUES));
    PetscCall(MatSetValue(*a, row, row, 4, INSERT_VALUES));
    if (j + 1 < n) PetscCall(MatSetValue(*a, row, row + 1, -1, INSERT_VALUES));
    if (i + 1 < m) PetscCall(MatSetValue(*a, row, row + n, -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(*a, MAT_SYMMETRIC, PETSC_TRUE));
  PetscFunctionReturn(0);
}

PetscErrorCode solve() {
  PetscInt m = 400, n = 400, iterations = 0;
  Mat a = nullptr;
  Vec x = nullptr, b = nullptr, ones = nullptr;
  KSP solver = nullptr;
  MatType type = nullptr;
  PetscReal error = 0;
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-m", &m, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-n", &n, nullptr));
  PetscCall(laplacian(m, n, &a));
  PetscCall(MatGetType(a, &type));
  PetscCall(MatCreateVecs(a, &x, &b));
  PetscCall(VecDuplicate(x, &ones));
  PetscCall(VecSet(ones, 1));
  PetscCall(MatGetRowSum(a, b));  // A·1 without a product: the plan is made within the first solve
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &solver));
  PetscCall(KSPSetOperators(solver, a, a));
  PetscCall(KSPSetTolerances(solver, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(KSPSetFromOptions(solver));
  for (const char* which : {"first", "second"}) {
    const double start = MPI_Wtime();
    PetscCall(KSPSolve(solver, b, x));
    const double seconds = MPI_Wtime() - start;
    PetscCall(KSPGetIterationNumber(solver, &iterations));
    PetscCall(VecAXPY(x, -1, ones));
    PetscCall(VecNorm(x, NORM_INFINITY, &error));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s %s solve: %d iterations, error %.1e, %.6f s\n", type, which,
                          static_cast<int>(iterations), error, seconds));
  }
  PetscCall(KSPDestroy(&solver));
  for (Vec* v : {&x, &b, &ones}) PetscCall(VecDestroy(v));
  PetscCall(MatDestroy(&a));
  PetscFunctionReturn(0);
}

}  // namespace

int main(int argc, char** argv) {
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
  PetscCall(SparsecastPetscInitialize());
  PetscCall(solve());
  PetscCall(PetscFinalize());
  return 0;
}
