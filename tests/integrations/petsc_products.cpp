// A program of PETSc's: the products of matrices of type sparsecast beside those of PETSc's own AIJ, entry by entry, on
// one or several processes. It ends with 0 where all agree, and says what does not.

#include <petscksp.h>

#include <cstdio>
#include <cstring>

#include "sparsecast/petsc.h"

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "does not hold: %s\n", what);
}

// Rows of uneven lengths, some empty, with entries near and far; the same on every number of processes.
PetscErrorCode fill(Mat a, PetscInt n, PetscScalar scale, bool more) {
  PetscInt begin = 0, end = 0;
  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(a, &begin, &end));
  for (PetscInt row = begin; row < end; ++row) {
    if (row % 7 == 3) continue;
    for (PetscInt k = 0; k < 1 + row % 5 + (more ? 1 : 0); ++k) {
      const PetscInt column = (row + k * (k % 2 == 0 ? 1 : n / 3)) % n;
      PetscCall(
          MatSetValue(a, row, column, scale * (1.0 + 0.125 * static_cast<double>((row + 3 * k) % 11)), INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

PetscErrorCode make(MatType type, PetscInt n, bool from_options, Mat* a) {
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, a));
  PetscCall(MatSetSizes(*a, PETSC_DECIDE, PETSC_DECIDE, n, n));
  PetscCall(MatSetType(*a, type));
  if (from_options) PetscCall(MatSetFromOptions(*a));
  PetscCall(MatSeqAIJSetPreallocation(*a, 8, nullptr));
  PetscCall(MatMPIAIJSetPreallocation(*a, 8, nullptr, 8, nullptr));
  PetscCall(MatSetOption(*a, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscFunctionReturn(0);
}

PetscErrorCode same(Vec a, Vec b, const char* what) {
  PetscReal largest = 0, difference = 0;
  Vec c = nullptr;
  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(a, &c));
  PetscCall(VecWAXPY(c, -1, a, b));
  PetscCall(VecNorm(a, NORM_INFINITY, &largest));
  PetscCall(VecNorm(c, NORM_INFINITY, &difference));
  PetscCall(VecDestroy(&c));
  expect(largest > 0 && difference <= 1e-13 * largest, what);
  PetscFunctionReturn(0);
}

PetscErrorCode compare(Mat ours, Mat theirs, const char* what) {
  Vec x = nullptr, y = nullptr, expected = nullptr, w = nullptr;
  char text[128];
  PetscInt begin = 0, end = 0;
  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(theirs, &x, &y));
  PetscCall(VecDuplicate(y, &expected));
  PetscCall(VecDuplicate(y, &w));
  PetscCall(VecGetOwnershipRange(x, &begin, &end));
  for (PetscInt i = begin; i < end; ++i) {
    PetscCall(VecSetValue(x, i, 0.5 + static_cast<double>(i % 13) / 13, INSERT_VALUES));
    PetscCall(VecSetValue(w, i, 1.0 - static_cast<double>(i % 5), INSERT_VALUES));
  }
  for (Vec v : {x, w}) {
    PetscCall(VecAssemblyBegin(v));
    PetscCall(VecAssemblyEnd(v));
  }
  const auto check = [&](const char* name) {
    std::snprintf(text, sizeof text, "%s, %s", what, name);
    return same(expected, y, text);
  };
  PetscCall(MatMult(theirs, x, expected));
  PetscCall(MatMult(ours, x, y));
  PetscCall(check("MatMult"));
  PetscCall(MatMultAdd(theirs, x, w, expected));
  PetscCall(MatMultAdd(ours, x, w, y));
  PetscCall(check("MatMultAdd"));
  PetscCall(VecCopy(w, y));
  PetscCall(MatMultAdd(ours, x, y, y));
  PetscCall(check("MatMultAdd onto itself"));
  PetscCall(MatMultTranspose(theirs, x, expected));
  PetscCall(MatMultTranspose(ours, x, y));
  PetscCall(check("MatMultTranspose"));
  PetscCall(MatMultTransposeAdd(theirs, x, w, expected));
  PetscCall(MatMultTransposeAdd(ours, x, w, y));
  PetscCall(check("MatMultTransposeAdd"));
  for (Vec* v : {&x, &y, &expected, &w}) PetscCall(VecDestroy(v));
  PetscFunctionReturn(0);
}

// The local blocks that multiply: the matrix itself on one process.
PetscErrorCode blocks_are_ours(Mat a, const char* what) {
  Mat blocks[2] = {a, nullptr};
  PetscMPIInt processes = 1;
  MatType type = nullptr;
  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &processes));
  if (processes > 1) PetscCall(MatMPIAIJGetSeqAIJ(a, &blocks[0], &blocks[1], nullptr));
  for (Mat block : blocks) {
    if (block == nullptr) continue;
    PetscCall(MatGetType(block, &type));
    expect(std::strcmp(type, MATSEQAIJSPARSECAST) == 0, what);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode solves_alike(Mat ours, Mat theirs) {
  PetscInt iterations[2] = {0, 0};
  PetscFunctionBeginUser;
  for (int which = 0; which < 2; ++which) {
    const Mat a = which == 0 ? ours : theirs;
    KSP solver = nullptr;
    Vec x = nullptr, b = nullptr;
    PetscCall(MatShift(a, 20));
    PetscCall(MatCreateVecs(a, &x, &b));
    PetscCall(VecSet(b, 1));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &solver));
    PetscCall(KSPSetOperators(solver, a, a));
    PetscCall(KSPSetTolerances(solver, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
    PetscCall(KSPSetFromOptions(solver));
    PetscCall(KSPSolve(solver, b, x));  // GMRES with ILU(0), block by block
    PetscCall(KSPGetIterationNumber(solver, &iterations[which]));
    PetscCall(KSPDestroy(&solver));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&b));
  }
  expect(iterations[0] > 1 && iterations[0] == iterations[1], "a solver with PETSc's factors takes as many iterations");
  PetscFunctionReturn(0);
}

PetscErrorCode run() {
  constexpr PetscInt n = 1201;
  Mat ours = nullptr, theirs = nullptr, by_option = nullptr, copy = nullptr, back = nullptr;
  MatType type = nullptr;
  PetscMPIInt processes = 1;
  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &processes));
  PetscCall(make(MATAIJ, n, false, &theirs));
  PetscCall(make(MATSPARSECAST, n, false, &ours));
  PetscCall(fill(theirs, n, 1, false));
  PetscCall(fill(ours, n, 1, false));
  PetscCall(MatGetType(ours, &type));
  expect(std::strcmp(type, processes == 1 ? MATSEQAIJSPARSECAST : MATMPIAIJSPARSECAST) == 0, "the type has its name");
  PetscCall(blocks_are_ours(ours, "blocks of -mat_type are ours"));
  PetscCall(compare(ours, theirs, "as filled"));

  PetscCall(fill(theirs, n, -3, false));
  PetscCall(fill(ours, n, -3, false));
  PetscCall(compare(ours, theirs, "new values"));
  PetscCall(fill(theirs, n, 2, true));
  PetscCall(fill(ours, n, 2, true));
  PetscCall(compare(ours, theirs, "new pattern"));

  PetscCall(MatDuplicate(ours, MAT_COPY_VALUES, &copy));
  PetscCall(blocks_are_ours(copy, "a duplicate is ours"));
  PetscCall(MatScale(ours, 5));
  PetscCall(compare(copy, theirs, "duplicate"));
  PetscCall(MatScale(ours, 0.2));
  if (processes == 1) {
    PetscCall(MatConvert(ours, MATSEQAIJ, MAT_INITIAL_MATRIX, &back));
    PetscCall(MatGetType(back, &type));
    expect(std::strcmp(type, MATSEQAIJ) == 0, "converted back it is PETSc's");
    PetscCall(compare(back, theirs, "converted back"));
    PetscCall(MatConvert(back, MATSEQAIJSPARSECAST, MAT_INPLACE_MATRIX, &back));
    PetscCall(blocks_are_ours(back, "converted in place it is ours"));
    PetscCall(compare(back, theirs, "converted in place"));
    PetscCall(MatDestroy(&back));
  }

  PetscCall(PetscOptionsSetValue(nullptr, "-mat_seqaij_type", MATSPARSECAST));
  PetscCall(make(MATAIJ, n, true, &by_option));
  PetscCall(PetscOptionsClearValue(nullptr, "-mat_seqaij_type"));
  PetscCall(fill(by_option, n, 2, true));
  PetscCall(blocks_are_ours(by_option, "blocks of -mat_seqaij_type are ours"));
  PetscCall(compare(by_option, theirs, "by -mat_seqaij_type"));
  PetscCall(solves_alike(ours, theirs));
  for (Mat* a : {&ours, &theirs, &by_option, &copy}) PetscCall(MatDestroy(a));
  PetscFunctionReturn(0);
}

}  // namespace

int main(int argc, char** argv) {
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
  PetscCall(SparsecastPetscInitialize());
  PetscCall(run());
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(PetscFinalize());
  return failures == 0 ? 0 : 1;
}
