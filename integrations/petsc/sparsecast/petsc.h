#pragma once
/* PETSc's AIJ matrices whose products are a plan's: -mat_type sparsecast, or -mat_seqaij_type sparsecast for sequential
 * matrices and the local blocks of MPIAIJ. Entries, factors and everything else stay PETSc's.
 *
 *   PetscInitialize(&argc, &argv, NULL, NULL);
 *   SparsecastPetscInitialize();
 *   … MatSetType(A, MATSPARSECAST), or MatSetFromOptions(A) and the option …
 *
 * A program that was not written for it: PETSC_OPTIONS="-dll_append PATH/libsparsecastpetsc.so -mat_type sparsecast".
 *
 * The first products are PETSc's own; then sell and, once the products have taken a while, the planner's choice have
 * their turn, each timed in the caller's products. What was fastest goes on, so the last digits may differ between two
 * runs. Options, with the prefix that the matrix had when it was assembled: -mat_sparsecast_kernel NAME (that kernel
 * from the first product on, the same digits every time), -mat_sparsecast_threads N (default 1),
 * -mat_sparsecast_iterations N: products that a planner's conversion is to pay over (default 1000; 0: the
 * fastest product, whatever its conversion costs).
 *
 * Thread safety: as PETSc's, one thread. */

#include <petscmat.h>

/* MatGetType() goes on saying MATSEQAIJ or MATMPIAIJ: but for its products, a matrix of ours is one. So MatConvert() to
 * MATAIJ is a duplicate, whose products go through a plan as well. */
#define MATSPARSECAST "sparsecast" /* the next two by the number of processes */
#define MATSEQAIJSPARSECAST "seqaijsparsecast"
#define MATMPIAIJSPARSECAST "mpiaijsparsecast"

/* Registers the types; after PetscInitialize(), any number of times. */
PETSC_EXTERN PetscErrorCode SparsecastPetscInitialize(void);

/* Whether the products of an AIJ matrix, or of its block on this process, may go through a plan. */
PETSC_EXTERN PetscErrorCode MatIsSparsecast(Mat, PetscBool*);
