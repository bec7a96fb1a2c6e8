// What a user of PETSc writes: a matrix of the installed type.

#include <sparsecast/petsc.h>

int main(int argc, char** argv) {
  Mat a = nullptr;
  PetscBool is_ours = PETSC_FALSE;
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
  PetscCall(SparsecastPetscInitialize());
  PetscCall(MatCreate(PETSC_COMM_SELF, &a));
  PetscCall(MatSetSizes(a, 3, 3, 3, 3));
  PetscCall(MatSetType(a, MATSPARSECAST));
  PetscCall(MatIsSparsecast(a, &is_ours));
  PetscCall(MatDestroy(&a));
  PetscCall(PetscFinalize());
  return is_ours == PETSC_TRUE ? 0 : 1;
}
