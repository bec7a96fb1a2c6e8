#pragma once
// The matrix that -f names, in PETSc's binary format: of type AIJ, or what -mat_type says.

#include <petscmat.h>

inline PetscErrorCode load(Mat* a) {
  char file[PETSC_MAX_PATH_LEN] = "";
  PetscViewer viewer = nullptr;
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-f", file, sizeof file, nullptr));
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, file, FILE_MODE_READ, &viewer));
  PetscCall(MatCreate(PETSC_COMM_WORLD, a));
  PetscCall(MatSetType(*a, MATAIJ));
  PetscCall(MatSetFromOptions(*a));
  PetscCall(MatLoad(*a, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(0);
}
