// A program of PETSc's: matrices of type sparsecast beside PETSc's own AIJ, on one or several processes: their products
// entry by entry, solves, and what PETSc's preconditioners do to a matrix. It ends with 0 where all agree, and says
// what does not.

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
  // As often as every way of a product has its turn.
  for (int turn = 0; turn < 4; ++turn) {
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
  }
  for (Vec* v : {&x, &y, &expected, &w}) PetscCall(VecDestroy(v));
  PetscFunctionReturn(0);
}

PetscErrorCode is_ours(Mat a, const char* what) {
  PetscBool ours = PETSC_FALSE;
  PetscFunctionBeginUser;
  PetscCall(MatIsSparsecast(a, &ours));
  expect(ours == PETSC_TRUE, what);
  PetscFunctionReturn(0);
}

PetscErrorCode solves_alike(Mat ours, Mat theirs, PCType preconditioner) {
  PetscInt iterations[2] = {0, 0};
  PetscFunctionBeginUser;
  for (int which = 0; which < 2; ++which) {
    const Mat a = which == 0 ? ours : theirs;
    KSP solver = nullptr;
    PC pc = nullptr;
    Vec x = nullptr, b = nullptr;
    PetscCall(MatCreateVecs(a, &x, &b));
    PetscCall(VecSet(b, 1));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &solver));
    PetscCall(KSPSetOperators(solver, a, a));
    PetscCall(KSPSetTolerances(solver, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
    PetscCall(KSPGetPC(solver, &pc));
    PetscCall(PCSetType(pc, preconditioner));
    PetscCall(KSPSetFromOptions(solver));
    PetscCall(KSPSolve(solver, b, x));
    PetscCall(MatScale(a, 2));  // the preconditioner is made anew from new values
    PetscCall(KSPSolve(solver, b, x));
    PetscCall(KSPGetIterationNumber(solver, &iterations[which]));
    PetscCall(KSPDestroy(&solver));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&b));
  }
  expect(iterations[0] > 1 && iterations[0] == iterations[1], preconditioner);
  PetscFunctionReturn(0);
}

// A square lattice of side² nodes with springs to their eight neighbours, held along one side: two unknowns a node, the
// rigid motions as near null space. Every process adds to its neighbours' rows.
PetscErrorCode lattice(MatType type, PetscInt side, Mat* a) {
  constexpr PetscInt directions[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
  Vec places = nullptr;
  MatNullSpace motions = nullptr;
  PetscInt nodes = PETSC_DECIDE, all = side * side, begin = 0, end = 0;
  PetscFunctionBeginUser;
  PetscCall(PetscSplitOwnership(PETSC_COMM_WORLD, &nodes, &all));
  PetscCall(MatCreate(PETSC_COMM_WORLD, a));
  PetscCall(MatSetSizes(*a, 2 * nodes, 2 * nodes, 2 * all, 2 * all));
  PetscCall(MatSetBlockSize(*a, 2));
  PetscCall(MatSetType(*a, type));
  PetscCall(MatSeqAIJSetPreallocation(*a, 18, nullptr));
  PetscCall(MatMPIAIJSetPreallocation(*a, 18, nullptr, 18, nullptr));
  PetscCall(MatCreateVecs(*a, &places, nullptr));
  PetscCall(MatGetOwnershipRange(*a, &begin, &end));
  for (PetscInt node = begin / 2; node < end / 2; ++node) {
    const PetscInt i = node / side, j = node % side;
    const PetscScalar place[2] = {static_cast<PetscScalar>(i), static_cast<PetscScalar>(j)};
    PetscCall(VecSetValuesBlocked(places, 1, &node, place, INSERT_VALUES));
    for (const auto& [down, right] : directions) {
      if (i + down >= side || j + right < 0 || j + right >= side) continue;
      const PetscInt ends[2] = {node, node + down * side + right};
      PetscScalar spring[4][4];
      for (PetscInt r = 0; r < 4; ++r)
        for (PetscInt c = 0; c < 4; ++c)
          spring[r][c] = (r / 2 == c / 2 ? 1.0 : -1.0) * (r % 2 == 0 ? down : right) * (c % 2 == 0 ? down : right) /
                         (down * down + right * right);
      PetscCall(MatSetValuesBlocked(*a, 2, ends, 2, ends, &spring[0][0], ADD_VALUES));
    }
    if (i == 0)
      for (const PetscInt row : {2 * node, 2 * node + 1}) PetscCall(MatSetValue(*a, row, row, 1, ADD_VALUES));
  }
  PetscCall(MatAssemblyBegin(*a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*a, MAT_FINAL_ASSEMBLY));
  PetscCall(VecAssemblyBegin(places));
  PetscCall(VecAssemblyEnd(places));
  PetscCall(MatNullSpaceCreateRigidBody(places, &motions));
  PetscCall(MatSetNearNullSpace(*a, motions));
  PetscCall(MatNullSpaceDestroy(&motions));
  PetscCall(VecDestroy(&places));
  PetscFunctionReturn(0);
}

// What PETSc's preconditioners and tutorials make of a matrix: each from ours and from theirs.
PetscErrorCode makes_alike(Mat ours, Mat theirs) {
  Mat made[2] = {nullptr, nullptr};
  const auto check = [&](const char* what) {
    PetscFunctionBeginUser;
    PetscCall(compare(made[0], made[1], what));
    for (Mat& a : made) PetscCall(MatDestroy(&a));
    PetscFunctionReturn(0);
  };
  const Mat from[2] = {ours, theirs};
  PetscFunctionBeginUser;
  for (int k = 0; k < 2; ++k) PetscCall(MatPtAP(from[k], from[k], MAT_INITIAL_MATRIX, 3, &made[k]));
  PetscCall(check("MatPtAP"));
  for (int k = 0; k < 2; ++k) PetscCall(MatMatMult(from[k], from[1], MAT_INITIAL_MATRIX, 3, &made[k]));
  PetscCall(check("MatMatMult"));
  for (int k = 0; k < 2; ++k) {
    Mat dense = nullptr;
    PetscCall(MatConvert(from[1], MATDENSE, MAT_INITIAL_MATRIX, &dense));
    PetscCall(MatMatMult(from[k], dense, MAT_INITIAL_MATRIX, 1, &made[k]));
    PetscCall(MatDestroy(&dense));
  }
  PetscCall(check("MatMatMult with dense"));
  for (int k = 0; k < 2; ++k) {
    PetscInt begin = 0, end = 0;
    PetscCall(MatDuplicate(from[k], MAT_COPY_VALUES, &made[k]));
    PetscCall(MatGetOwnershipRange(made[k], &begin, &end));
    const PetscInt rows[] = {begin, begin + 3};
    PetscCall(MatZeroRows(made[k], 2, rows, 5, nullptr, nullptr));
  }
  PetscCall(is_ours(made[0], "with zeroed rows it is ours"));
  PetscCall(check("MatZeroRows"));
  for (int k = 0; k < 2; ++k) {
    Vec diagonal = nullptr;
    PetscCall(MatDuplicate(from[k], MAT_COPY_VALUES, &made[k]));
    PetscCall(MatCreateVecs(made[k], &diagonal, nullptr));
    PetscCall(MatStoreValues(made[k]));
    PetscCall(MatGetDiagonal(made[k], diagonal));
    PetscCall(MatDiagonalScale(made[k], diagonal, nullptr));
    PetscCall(VecDestroy(&diagonal));
  }
  PetscCall(compare(made[0], made[1], "MatDiagonalScale by MatGetDiagonal"));
  for (Mat a : made) PetscCall(MatRetrieveValues(a));
  PetscCall(check("MatRetrieveValues"));
  for (int k = 0; k < 2; ++k) {
    PetscCall(MatDuplicate(from[k], MAT_COPY_VALUES, &made[k]));
    PetscCall(MatTranspose(made[k], MAT_INPLACE_MATRIX, &made[k]));
  }
  PetscCall(check("MatTranspose in place"));
  for (int k = 0; k < 2; ++k) {
    IS rows = nullptr, columns = nullptr;
    PetscCall(MatGetOrdering(from[k], MATORDERINGRCM, &rows, &columns));
    PetscCall(MatPermute(from[k], rows, columns, &made[k]));
    PetscCall(ISDestroy(&rows));
    PetscCall(ISDestroy(&columns));
  }
  PetscCall(check("MatPermute"));
  for (int k = 0; k < 2; ++k) {
    IS rows = nullptr;
    PetscInt begin = 0, end = 0;
    PetscCall(MatGetOwnershipRange(from[k], &begin, &end));
    PetscCall(ISCreateStride(PETSC_COMM_WORLD, (end - begin) / 2, begin, 2, &rows));
    PetscCall(MatCreateSubMatrix(from[k], rows, rows, MAT_INITIAL_MATRIX, &made[k]));
    PetscCall(ISDestroy(&rows));
  }
  PetscCall(check("MatCreateSubMatrix"));
  PetscFunctionReturn(0);
}

// To every name, from PETSc's type and back, and what PETSc itself makes of it then.
PetscErrorCode converts(PetscInt n) {
  Mat theirs = nullptr, in_place = nullptr;
  PetscMPIInt processes = 1;
  PetscFunctionBeginUser;
  PetscCall(make(MATAIJ, n, false, &theirs));
  PetscCall(fill(theirs, n, 1, false));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &processes));
  for (MatType name : {MATSPARSECAST, processes == 1 ? MATSEQAIJSPARSECAST : MATMPIAIJSPARSECAST}) {
    Mat copy = nullptr, back = nullptr;
    PetscBool ours = PETSC_TRUE;
    PetscCall(MatIsSparsecast(theirs, &ours));
    expect(ours == PETSC_FALSE, "PETSc's is not ours");
    PetscCall(MatConvert(theirs, name, MAT_INITIAL_MATRIX, &copy));
    PetscCall(is_ours(copy, "converted it is ours"));
    PetscCall(compare(copy, theirs, "converted"));
    PetscCall(MatScale(theirs, 7));
    PetscCall(MatConvert(theirs, name, MAT_REUSE_MATRIX, &copy));
    PetscCall(compare(copy, theirs, "converted again"));
    PetscCall(MatConvert(copy, MATAIJ, MAT_INITIAL_MATRIX, &back));
    PetscCall(compare(back, theirs, "converted back"));
    PetscCall(MatDestroy(&back));
    for (MatType other : {MATBAIJ, MATDENSE, MATAIJPERM}) {
      PetscCall(MatConvert(copy, other, MAT_INITIAL_MATRIX, &back));
      PetscCall(compare(back, theirs, other));
      PetscCall(MatDestroy(&back));
    }
    PetscCall(MatDestroy(&copy));
  }
  PetscCall(MatDuplicate(theirs, MAT_COPY_VALUES, &in_place));
  PetscCall(MatSetType(in_place, MATSPARSECAST));
  PetscCall(is_ours(in_place, "converted in place it is ours"));
  for (Mat a : {theirs, in_place}) {
    PetscCall(MatSetOption(a, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PetscCall(fill(a, n, 2, true));
  }
  PetscCall(is_ours(in_place, "with new entries it is ours"));
  PetscCall(compare(in_place, theirs, "new entries after a conversion in place"));
  for (Mat* a : {&theirs, &in_place}) PetscCall(MatDestroy(a));
  PetscFunctionReturn(0);
}

PetscErrorCode tutorials() {
  Mat ours = nullptr, theirs = nullptr;
  PetscFunctionBeginUser;
  PetscCall(lattice(MATSPARSECAST, 24, &ours));
  PetscCall(lattice(MATAIJ, 24, &theirs));
  PetscCall(compare(ours, theirs, "lattice"));
  PetscCall(makes_alike(ours, theirs));
  for (PCType preconditioner : {PCGAMG, PCBJACOBI, PCASM, PCSOR}) PetscCall(solves_alike(ours, theirs, preconditioner));
  PetscCall(MatDestroy(&ours));
  PetscCall(MatDestroy(&theirs));
  PetscFunctionReturn(0);
}

// All rows on the first process, set up before the type is chosen, and assembled twice.
PetscErrorCode uneven(PetscInt n) {
  Mat made[2] = {nullptr, nullptr};
  PetscMPIInt process = 0;
  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &process));
  for (int k = 0; k < 2; ++k) {
    const PetscInt local = process == 0 ? n : 0;
    PetscCall(MatCreate(PETSC_COMM_WORLD, &made[k]));
    PetscCall(MatSetSizes(made[k], local, local, n, n));
    PetscCall(MatSetUp(made[k]));
    PetscCall(MatSetType(made[k], k == 0 ? MATSPARSECAST : MATAIJ));
    PetscCall(MatSetOption(made[k], MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PetscCall(fill(made[k], n, 1, false));
  }
  PetscCall(compare(made[0], made[1], "processes without rows"));
  for (Mat a : made) {
    for (const MatAssemblyType type : {MAT_FLUSH_ASSEMBLY, MAT_FINAL_ASSEMBLY, MAT_FINAL_ASSEMBLY}) {
      PetscCall(MatAssemblyBegin(a, type));
      PetscCall(MatAssemblyEnd(a, type));
    }
  }
  PetscCall(compare(made[0], made[1], "assembled again"));
  for (Mat& a : made) PetscCall(MatDestroy(&a));
  PetscFunctionReturn(0);
}

// The first blocks of ours are of a type that PETSc derives from AIJ, with operations for what it alone has; all others
// of this program are not.
PetscErrorCode derived(PetscInt n) {
  Mat ours = nullptr, theirs = nullptr;
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsSetValue(nullptr, "-mat_seqaij_type", MATSEQAIJPERM));
  PetscCall(make(MATSPARSECAST, n, false, &ours));
  PetscCall(fill(ours, n, 1, false));
  PetscCall(PetscOptionsClearValue(nullptr, "-mat_seqaij_type"));
  PetscCall(make(MATAIJ, n, false, &theirs));
  PetscCall(fill(theirs, n, 1, false));
  PetscCall(is_ours(ours, "blocks of a derived type are ours"));
  PetscCall(compare(ours, theirs, "blocks of a derived type"));
  for (Mat* a : {&ours, &theirs}) PetscCall(MatDestroy(a));
  PetscFunctionReturn(0);
}

PetscErrorCode run() {
  constexpr PetscInt n = 1201;
  Mat ours = nullptr, theirs = nullptr, by_option = nullptr, copy = nullptr;
  MatType type = nullptr;
  PetscMPIInt processes = 1;
  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &processes));
  PetscCall(derived(n));
  PetscCall(make(MATAIJ, n, false, &theirs));
  PetscCall(make(MATSPARSECAST, n, false, &ours));
  PetscCall(fill(theirs, n, 1, false));
  PetscCall(fill(ours, n, 1, false));
  PetscCall(MatGetType(ours, &type));
  expect(std::strcmp(type, processes == 1 ? MATSEQAIJ : MATMPIAIJ) == 0, "PETSc knows it by its own name");
  PetscCall(is_ours(ours, "blocks of -mat_type are ours"));
  PetscCall(compare(ours, theirs, "as filled"));

  PetscCall(fill(theirs, n, -3, false));
  PetscCall(fill(ours, n, -3, false));
  PetscCall(compare(ours, theirs, "new values"));
  PetscCall(fill(theirs, n, 2, true));
  PetscCall(fill(ours, n, 2, true));
  PetscCall(compare(ours, theirs, "new pattern"));

  PetscCall(MatDuplicate(ours, MAT_COPY_VALUES, &copy));
  PetscCall(is_ours(copy, "a duplicate is ours"));
  PetscCall(MatScale(ours, 5));
  PetscCall(compare(copy, theirs, "duplicate"));
  PetscCall(MatScale(ours, 0.2));
  PetscCall(PetscOptionsSetValue(nullptr, "-mat_seqaij_type", MATSPARSECAST));
  PetscCall(make(MATAIJ, n, true, &by_option));
  PetscCall(PetscOptionsClearValue(nullptr, "-mat_seqaij_type"));
  PetscCall(fill(by_option, n, 2, true));
  PetscCall(is_ours(by_option, "blocks of -mat_seqaij_type are ours"));
  PetscCall(compare(by_option, theirs, "by -mat_seqaij_type"));
  for (Mat a : {ours, theirs}) PetscCall(MatShift(a, 20));
  PetscCall(solves_alike(ours, theirs, PCBJACOBI));
  PetscCall(uneven(n));
  PetscCall(converts(n));
  PetscCall(tutorials());
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
