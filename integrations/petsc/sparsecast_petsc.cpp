// The matrix types: seqaijsparsecast, a MATSEQAIJ whose products go through a plan, and mpiaijsparsecast, which makes a
// MATMPIAIJ of such blocks. PETSc's public interface alone is used, so that one source builds with any of its releases.

#include <array>
#include <span>
#include <sparsecast/error.hpp>
#include <string>

#include "plan_products.hpp"
#include "sparsecast/petsc.h"

namespace {

using sparsecast::petsc::PlanProducts;
using Operation = void (*)(void);
using Product = PetscErrorCode (*)(Mat, Vec, Vec);
using ProductAndSum = PetscErrorCode (*)(Mat, Vec, Vec, Vec);
using Preallocation = PetscErrorCode (*)(Mat, PetscInt, const PetscInt[], PetscInt, const PetscInt[]);

constexpr const char* products_name = "sparsecast products";
constexpr const char* to_seqaij = "MatConvert_seqaijsparsecast_seqaij_C";
constexpr const char* from_seqaij = "MatConvert_seqaij_seqaijsparsecast_C";
constexpr const char* from_mpiaij = "MatConvert_mpiaij_mpiaijsparsecast_C";
constexpr const char* preallocation_name = "MatMPIAIJSetPreallocation_C";

// What hangs on a matrix: its plan, and MATSEQAIJ's own products.
struct Attached {
  PlanProducts products;
  Operation multiply = nullptr, multiply_add = nullptr, transposed = nullptr, transposed_add = nullptr;
};

PetscObject object_of(Mat a) { return reinterpret_cast<PetscObject>(a); }

PetscErrorCode delete_attached(void* attached) {
  delete static_cast<Attached*>(attached);
  return 0;
}

PetscErrorCode attached_to(Mat a, Attached*& attached) {
  PetscObject container = nullptr;
  void* pointer = nullptr;
  PetscFunctionBegin;
  PetscCall(PetscObjectQuery(object_of(a), products_name, &container));
  PetscCheck(container != nullptr, PETSC_COMM_SELF, PETSC_ERR_PLIB, "a sparsecast matrix has lost its plan");
  PetscCall(PetscContainerGetPointer(reinterpret_cast<PetscContainer>(container), &pointer));
  attached = static_cast<Attached*>(pointer);
  PetscFunctionReturn(0);
}

// y = A·x + beta·y, or with Aᵀ, by the plan.
PetscErrorCode by_plan(Mat a, const sparsecast::Plan& plan, Vec x, Vec y, double beta, bool transposed) {
  const PetscScalar* from = nullptr;
  PetscScalar* to = nullptr;
  PetscInt from_size = 0, to_size = 0;
  MatInfo info;
  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(x, &from_size));
  PetscCall(VecGetLocalSize(y, &to_size));
  PetscCall(VecGetArrayRead(x, &from));
  PetscCall(beta == 0 ? VecGetArrayWrite(y, &to) : VecGetArray(y, &to));
  std::string failure;
  try {
    const std::span<const double> source(from, static_cast<std::size_t>(from_size));
    const std::span<double> target(to, static_cast<std::size_t>(to_size));
    if (transposed) {
      plan.apply_transposed(source, target, 1, beta);
    } else {
      plan.apply(source, target, 1, beta);
    }
  } catch (const sparsecast::Error& error) {
    failure = error.what();
  }
  PetscCall(beta == 0 ? VecRestoreArrayWrite(y, &to) : VecRestoreArray(y, &to));
  PetscCall(VecRestoreArrayRead(x, &from));
  PetscCheck(failure.empty(), PETSC_COMM_SELF, PETSC_ERR_LIB, "sparsecast: %s", failure.c_str());
  PetscCall(MatGetInfo(a, MAT_LOCAL, &info));
  PetscCall(PetscLogFlops(2 * info.nz_used));
  PetscFunctionReturn(0);
}

PetscErrorCode product(Mat a, Vec x, Vec y, bool transposed) {
  Attached* attached = nullptr;
  PetscFunctionBegin;
  PetscCall(attached_to(a, attached));
  PetscCall(attached->products.follow(a));
  if (const sparsecast::Plan* plan = attached->products.plan()) {
    PetscCall(by_plan(a, *plan, x, y, 0, transposed));
  } else {
    PetscCall(reinterpret_cast<Product>(transposed ? attached->transposed : attached->multiply)(a, x, y));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode product_and_sum(Mat a, Vec x, Vec y, Vec z, bool transposed) {
  Attached* attached = nullptr;
  PetscFunctionBegin;
  PetscCall(attached_to(a, attached));
  PetscCall(attached->products.follow(a));
  if (const sparsecast::Plan* plan = attached->products.plan()) {
    if (y != z) PetscCall(VecCopy(y, z));
    PetscCall(by_plan(a, *plan, x, z, 1, transposed));
  } else {
    PetscCall(
        reinterpret_cast<ProductAndSum>(transposed ? attached->transposed_add : attached->multiply_add)(a, x, y, z));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode multiply(Mat a, Vec x, Vec y) { return product(a, x, y, false); }
PetscErrorCode multiply_transposed(Mat a, Vec x, Vec y) { return product(a, x, y, true); }
PetscErrorCode multiply_add(Mat a, Vec x, Vec y, Vec z) { return product_and_sum(a, x, y, z, false); }
PetscErrorCode multiply_transposed_add(Mat a, Vec x, Vec y, Vec z) { return product_and_sum(a, x, y, z, true); }

template <class Function>
PetscErrorCode set(Mat a, MatOperation which, Function* function) {
  return MatSetOperation(a, which, reinterpret_cast<Operation>(function));
}

// Makes it PETSc's again.
PetscErrorCode detach(Mat b) {
  Attached* attached = nullptr;
  PetscBool ours = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare(object_of(b), MATSEQAIJSPARSECAST, &ours));
  if (ours == PETSC_FALSE) PetscFunctionReturn(0);
  PetscCall(attached_to(b, attached));
  PetscCall(MatSetOperation(b, MATOP_MULT, attached->multiply));
  PetscCall(MatSetOperation(b, MATOP_MULT_ADD, attached->multiply_add));
  PetscCall(MatSetOperation(b, MATOP_MULT_TRANSPOSE, attached->transposed));
  PetscCall(MatSetOperation(b, MATOP_MULT_TRANSPOSE_ADD, attached->transposed_add));
  for (const char* conversion : {to_seqaij, from_seqaij})
    PetscCall(PetscObjectComposeFunction(object_of(b), conversion, nullptr));
  PetscCall(PetscObjectCompose(object_of(b), products_name, nullptr));
  PetscCall(PetscObjectChangeTypeName(object_of(b), MATSEQAIJ));
  PetscFunctionReturn(0);
}

// Every conversion: MatConvert's meanings of `reuse`, then what `change` does to the matrix.
template <PetscErrorCode change(Mat)>
PetscErrorCode convert(Mat a, MatType, MatReuse reuse, Mat* result) {
  PetscFunctionBegin;
  if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(a, MAT_COPY_VALUES, result));
  if (reuse == MAT_REUSE_MATRIX) PetscCall(MatCopy(a, *result, DIFFERENT_NONZERO_PATTERN));
  PetscCall(change(*result));
  PetscFunctionReturn(0);
}

// Makes a MATSEQAIJ ours.
PetscErrorCode attach(Mat b) {
  PetscBool ours = PETSC_FALSE;
  PetscContainer container = nullptr;
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare(object_of(b), MATSEQAIJSPARSECAST, &ours));
  if (ours == PETSC_TRUE) PetscFunctionReturn(0);
  auto* attached = new Attached;
  PetscCall(MatGetOperation(b, MATOP_MULT, &attached->multiply));
  PetscCall(MatGetOperation(b, MATOP_MULT_ADD, &attached->multiply_add));
  PetscCall(MatGetOperation(b, MATOP_MULT_TRANSPOSE, &attached->transposed));
  PetscCall(MatGetOperation(b, MATOP_MULT_TRANSPOSE_ADD, &attached->transposed_add));
  PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &container));
  PetscCall(PetscContainerSetPointer(container, attached));
  PetscCall(PetscContainerSetUserDestroy(container, delete_attached));
  PetscCall(PetscObjectCompose(object_of(b), products_name, reinterpret_cast<PetscObject>(container)));
  PetscCall(PetscContainerDestroy(&container));
  PetscCall(set(b, MATOP_MULT, multiply));
  PetscCall(set(b, MATOP_MULT_ADD, multiply_add));
  PetscCall(set(b, MATOP_MULT_TRANSPOSE, multiply_transposed));
  PetscCall(set(b, MATOP_MULT_TRANSPOSE_ADD, multiply_transposed_add));
  PetscCall(PetscObjectComposeFunction(object_of(b), to_seqaij, convert<detach>));
  // Without it PETSc converts by making new arrays, and within its products of matrices goes on freeing the old ones.
  PetscCall(PetscObjectComposeFunction(object_of(b), from_seqaij, convert<attach>));
  PetscCall(PetscObjectChangeTypeName(object_of(b), MATSEQAIJSPARSECAST));
  PetscFunctionReturn(0);
}

PetscErrorCode create_sequential(Mat b) {
  PetscFunctionBegin;
  PetscCall(MatSetType(b, MATSEQAIJ));
  PetscCall(attach(b));
  PetscFunctionReturn(0);
}

Preallocation preallocate_mpiaij = nullptr;  // MATMPIAIJ's own, which makes the local blocks

PetscErrorCode preallocate(Mat b, PetscInt d_nz, const PetscInt d_nnz[], PetscInt o_nz, const PetscInt o_nnz[]);

// It stays a MATMPIAIJ by name: where PETSc compares that name (MatGetOrdering), another one is a type it knows nothing
// of, and its rows are read as if they were local.
PetscErrorCode attach_parallel(Mat b) {
  std::array<Mat, 2> blocks{};
  PetscFunctionBegin;
  PetscCall(PetscObjectComposeFunction(object_of(b), preallocation_name, preallocate));
  PetscCall(PetscObjectComposeFunction(object_of(b), from_mpiaij, convert<attach_parallel>));
  PetscCall(MatMPIAIJGetSeqAIJ(b, &blocks[0], &blocks[1], nullptr));
  for (Mat block : blocks)
    if (block != nullptr) PetscCall(attach(block));
  PetscFunctionReturn(0);
}

PetscErrorCode preallocate(Mat b, PetscInt d_nz, const PetscInt d_nnz[], PetscInt o_nz, const PetscInt o_nnz[]) {
  PetscFunctionBegin;
  PetscCall(preallocate_mpiaij(b, d_nz, d_nnz, o_nz, o_nnz));
  PetscCall(attach_parallel(b));
  PetscFunctionReturn(0);
}

PetscErrorCode create_parallel(Mat b) {
  PetscFunctionBegin;
  PetscCall(MatSetType(b, MATMPIAIJ));
  if (preallocate_mpiaij == nullptr)
    PetscCall(PetscObjectQueryFunction(object_of(b), preallocation_name, &preallocate_mpiaij));
  PetscCall(attach_parallel(b));
  PetscFunctionReturn(0);
}

bool registered = false;
PetscErrorCode forget_registration() {
  registered = false;
  return 0;
}

}  // namespace

PetscErrorCode SparsecastPetscInitialize(void) {
  PetscFunctionBegin;
  if (registered) PetscFunctionReturn(0);
  registered = true;
  PetscCall(MatRegisterRootName(MATSPARSECAST, MATSEQAIJSPARSECAST, MATMPIAIJSPARSECAST));
  PetscCall(MatRegister(MATSEQAIJSPARSECAST, create_sequential));
  PetscCall(MatRegister(MATMPIAIJSPARSECAST, create_parallel));
  PetscCall(MatSeqAIJRegister(MATSPARSECAST, convert<attach>));
  PetscCall(MatSeqAIJRegister(MATSEQAIJSPARSECAST, convert<attach>));
  PetscCall(PetscRegisterFinalize(forget_registration));
  PetscFunctionReturn(0);
}

/* What PETSc calls after loading libsparsecastpetsc.so by -dll_append. */
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_sparsecastpetsc(void) { return SparsecastPetscInitialize(); }
