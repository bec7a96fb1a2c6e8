#pragma once
/* PETSc's AIJ matrices whose products are a plan's: -mat_type sparsecast, or -mat_seqaij_type sparsecast for sequential
 * matrices and the local blocks of MPIAIJ. Entries, factors and everything else stay PETSc's.
 *
 *   PetscInitialize(&argc, &argv, NULL, NULL);
 *   SparsecastPetscInitialize();
 *   … MatSetType(A, MATSPARSECAST), or MatSetFromOptions(A) and the option …
 *
 * A program that was not written for it: PETSC_OPTIONS="-dll_append libsparsecastpetsc.so -mat_type sparsecast".
 *
 * Options, with the matrix's prefix: -sparsecast_kernel NAME (default: what the planner finds with this machine's
 * calibration, else the default kernel), -sparsecast_threads N (default 1), -sparsecast_iterations N: products that
 * the conversion is to pay over (default 1000).
 *
 * Thread safety: as PETSc's, one thread. */

#include <petscmat.h>

#define MATSPARSECAST "sparsecast" /* the next two by the number of processes */
#define MATSEQAIJSPARSECAST "seqaijsparsecast"
#define MATMPIAIJSPARSECAST "mpiaijsparsecast" /* MatGetType() says MATMPIAIJ; its two blocks are MATSEQAIJSPARSECAST \
                                                */

/* Registers the types; after PetscInitialize(), any number of times. */
PETSC_EXTERN PetscErrorCode SparsecastPetscInitialize(void);
