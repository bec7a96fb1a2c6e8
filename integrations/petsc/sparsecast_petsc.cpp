// The matrix types. A matrix of ours stays a MATSEQAIJ or MATMPIAIJ, by name too: PETSc compares names (conversions,
// products of matrices, orderings, preconditioners), and one that it does not know it reads in another way or refuses.
// What changes are operations: the products of a MATSEQAIJ go through a plan, its duplicates are ours as well, and a
// MATMPIAIJ sees to it after every assembly that its two local blocks are. PETSc's public interface alone is used, so
// that one source builds with any of its releases.

#include <petsctime.h>

#include <algorithm>
#include <array>
#include <exception>
#include <span>
#include <sparsecast/error.hpp>
#include <string>
#include <utility>
#include <vector>

#include "plan_products.hpp"
#include "sparsecast/petsc.h"

namespace {

using sparsecast::petsc::PlanProducts;
using sparsecast::petsc::Way;
using Operation = void (*)(void);
using Product = PetscErrorCode (*)(Mat, Vec, Vec);
using ProductAndSum = PetscErrorCode (*)(Mat, Vec, Vec, Vec);

constexpr const char* products_name = "sparsecast products";
constexpr const char* retrieve_name = "MatRetrieveValues_C";
// Conversions are found on a matrix of the new type, under all names that the old and the new one may have.
constexpr std::array conversions_sequential{"MatConvert_seqaij_sparsecast_C", "MatConvert_seqaij_seqaijsparsecast_C"};
constexpr std::array conversions_parallel{"MatConvert_mpiaij_sparsecast_C", "MatConvert_mpiaij_mpiaijsparsecast_C"};

// Operations that are replaced, and PETSc's own: the same for all matrices of a type, so what the first one had. A
// block of ours may be of a type that is derived from AIJ (-mat_seqaij_type seqaijperm), with operations for its data
// alone.
template <std::size_t count>
struct Replaced {
  using Operations = std::array<Operation, count>;
  struct OfType {
    std::string type;
    Operations own{};
  };
  std::array<MatOperation, count> which;
  Operations ours;
  std::vector<OfType> kept{};

  // Those of the first type where a type is not known: PETSc changed it, and left the operation as it was.
  [[nodiscard]] const Operations& kept_of(MatType type) const {
    for (const OfType& one : kept)
      if (one.type == type) return one.own;
    return kept.front().own;
  }

  // PETSc's own for that matrix.
  PetscErrorCode own(Mat a, std::size_t i, Operation& operation) const {
    MatType type = nullptr;
    PetscFunctionBegin;
    PetscCall(MatGetType(a, &type));
    operation = kept_of(type)[i];
    PetscFunctionReturn(0);
  }

  PetscErrorCode is_ours(Mat a, bool& ours_already) const {
    Operation current = nullptr;
    PetscFunctionBegin;
    PetscCall(MatGetOperation(a, which[0], &current));
    ours_already = current == ours[0];
    PetscFunctionReturn(0);
  }

  PetscErrorCode replace(Mat a) {
    MatType type = nullptr;
    PetscFunctionBegin;
    PetscCall(MatGetType(a, &type));
    const bool known = std::ranges::any_of(kept, [&](const OfType& one) { return one.type == type; });
    OfType of_type{type};
    for (std::size_t i = 0; i < count; ++i) {
      Operation& current = of_type.own[i];
      PetscCall(MatGetOperation(a, which[i], &current));
      if (current == ours[i]) current = kept.front().own[i];
      PetscCall(MatSetOperation(a, which[i], ours[i]));
    }
    if (!known) kept.push_back(std::move(of_type));
    PetscFunctionReturn(0);
  }
};

template <class Function>
Operation operation(Function* function) {
  return reinterpret_cast<Operation>(function);
}

template <bool transposed>
PetscErrorCode multiply(Mat a, Vec x, Vec y);
template <bool transposed>
PetscErrorCode multiply_add(Mat a, Vec x, Vec y, Vec z);
PetscErrorCode duplicate_sequential(Mat a, MatDuplicateOption option, Mat* b);
PetscErrorCode view_sequential(Mat a, PetscViewer viewer);
PetscErrorCode assembly_end(Mat a, MatAssemblyType type);
PetscErrorCode duplicate_parallel(Mat a, MatDuplicateOption option, Mat* b);
PetscErrorCode view_parallel(Mat a, PetscViewer viewer);

Replaced<6> sequential{
    {MATOP_MULT, MATOP_MULT_ADD, MATOP_MULT_TRANSPOSE, MATOP_MULT_TRANSPOSE_ADD, MATOP_DUPLICATE, MATOP_VIEW},
    {operation(multiply<false>), operation(multiply_add<false>), operation(multiply<true>),
     operation(multiply_add<true>), operation(duplicate_sequential), operation(view_sequential)}};
Replaced<3> parallel{{MATOP_ASSEMBLY_END, MATOP_DUPLICATE, MATOP_VIEW},
                     {operation(assembly_end), operation(duplicate_parallel), operation(view_parallel)}};

PetscLogEvent product_event = 0;

// What hangs on a sequential matrix; `prefix` is that of the matrix whose options hold, a block's is its parent's.
struct Attached {
  PlanProducts products;
  std::string prefix;
};

PetscObject object_of(Mat a) { return reinterpret_cast<PetscObject>(a); }

PetscErrorCode delete_attached(void* attached) {
  delete static_cast<Attached*>(attached);
  return 0;
}

PetscErrorCode prefix_of(Mat a, std::string& prefix) {
  const char* name = nullptr;
  PetscFunctionBegin;
  PetscCall(MatGetOptionsPrefix(a, &name));
  prefix = name == nullptr ? "" : name;
  PetscFunctionReturn(0);
}

// Made where there is none: PETSc may have put another matrix's inside into this one (MatHeaderMerge).
PetscErrorCode attached_to(Mat a, Attached*& attached) {
  PetscContainer container = nullptr;
  void* pointer = nullptr;
  PetscFunctionBegin;
  PetscCall(PetscObjectQuery(object_of(a), products_name, reinterpret_cast<PetscObject*>(&container)));
  if (container == nullptr) {
    attached = new Attached;
    PetscCall(prefix_of(a, attached->prefix));
    PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &container));
    PetscCall(PetscContainerSetPointer(container, attached));
    PetscCall(PetscContainerSetUserDestroy(container, delete_attached));
    PetscCall(PetscObjectCompose(object_of(a), products_name, reinterpret_cast<PetscObject>(container)));
    PetscCall(PetscContainerDestroy(&container));
  } else {
    PetscCall(PetscContainerGetPointer(container, &pointer));
    attached = static_cast<Attached*>(pointer);
  }
  PetscFunctionReturn(0);
}

// y = A·x + beta·y, or with Aᵀ, by the plan.
PetscErrorCode by_plan(Mat a, PlanProducts& products, Way way, Vec x, Vec y, double beta, bool transposed) {
  const PetscScalar* from = nullptr;
  PetscScalar* to = nullptr;
  PetscInt from_size = 0, to_size = 0;
  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(product_event, a, x, y, nullptr));
  PetscCall(VecGetLocalSize(x, &from_size));
  PetscCall(VecGetLocalSize(y, &to_size));
  PetscCall(VecGetArrayRead(x, &from));
  PetscCall(beta == 0 ? VecGetArrayWrite(y, &to) : VecGetArray(y, &to));
  std::string failure;
  try {
    products.multiply(way, {from, static_cast<std::size_t>(from_size)}, {to, static_cast<std::size_t>(to_size)}, beta,
                      transposed);
  } catch (const std::exception& error) {  // PETSc is C: none may pass
    failure = error.what();
  }
  PetscCall(beta == 0 ? VecRestoreArrayWrite(y, &to) : VecRestoreArray(y, &to));
  PetscCall(VecRestoreArrayRead(x, &from));
  PetscCheck(failure.empty(), PETSC_COMM_SELF, PETSC_ERR_LIB, "sparsecast: %s", failure.c_str());
  PetscCall(PetscLogFlops(2.0 * static_cast<double>(products.entries())));
  PetscCall(PetscLogEventEnd(product_event, a, x, y, nullptr));
  PetscFunctionReturn(0);
}

// One product, in the way whose turn it is, which it is told what that took. `by_petsc` calls PETSc's own; a plan's is
// z = A·x, or z = y + A·x where there is a y.
template <class ByPetsc>
PetscErrorCode product(Mat a, Vec x, Vec y, Vec z, bool transposed, ByPetsc by_petsc) {
  Attached* attached = nullptr;
  Way way = Way::petsc;
  PetscLogDouble start = 0, end = 0;
  PetscFunctionBegin;
  PetscCall(attached_to(a, attached));
  PlanProducts& products = attached->products;
  PetscCall(products.next(a, attached->prefix, transposed, way));
  const bool timed = products.is_timed(transposed);
  if (timed) PetscCall(PetscTime(&start));
  if (way == Way::petsc) {
    PetscCall(by_petsc());
  } else {
    if (y != nullptr && y != z) PetscCall(VecCopy(y, z));
    PetscCall(by_plan(a, products, way, x, z, y == nullptr ? 0 : 1, transposed));
  }
  if (timed) PetscCall(PetscTime(&end));
  if (timed) products.took(way, transposed, end - start);
  PetscFunctionReturn(0);
}

template <bool transposed>
PetscErrorCode multiply(Mat a, Vec x, Vec y) {
  return product(a, x, nullptr, y, transposed, [&] {
    Operation own = nullptr;
    PetscFunctionBegin;
    PetscCall(sequential.own(a, transposed ? 2 : 0, own));
    PetscCall(reinterpret_cast<Product>(own)(a, x, y));
    PetscFunctionReturn(0);
  });
}
template <bool transposed>
PetscErrorCode multiply_add(Mat a, Vec x, Vec y, Vec z) {
  return product(a, x, y, z, transposed, [&] {
    Operation own = nullptr;
    PetscFunctionBegin;
    PetscCall(sequential.own(a, transposed ? 3 : 1, own));
    PetscCall(reinterpret_cast<ProductAndSum>(own)(a, x, y, z));
    PetscFunctionReturn(0);
  });
}

PetscErrorCode compose_conversions(Mat b);

// PETSc's own does not tell that the values are others, which a plan in another format has to know.
PetscErrorCode (*retrieve_own)(Mat) = nullptr;
PetscErrorCode retrieve(Mat a) {
  PetscScalar* values = nullptr;
  PetscFunctionBegin;
  PetscCall(retrieve_own(a));
  PetscCall(MatSeqAIJGetArray(a, &values));
  PetscCall(MatSeqAIJRestoreArray(a, &values));
  PetscFunctionReturn(0);
}

// Makes a MATSEQAIJ ours.
PetscErrorCode attach(Mat b) {
  bool ours = false;
  PetscFunctionBegin;
  PetscCall(sequential.is_ours(b, ours));
  if (!ours) PetscCall(sequential.replace(b));
  if (retrieve_own == nullptr) PetscCall(PetscObjectQueryFunction(object_of(b), retrieve_name, &retrieve_own));
  PetscCall(PetscObjectComposeFunction(object_of(b), retrieve_name, retrieve));
  PetscCall(compose_conversions(b));
  PetscFunctionReturn(0);
}

// Makes the local blocks of a MATMPIAIJ ours, once it has some.
PetscErrorCode attach_blocks(Mat b) {
  std::array<Mat, 2> blocks{};
  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(b, &blocks[0], &blocks[1], nullptr));
  for (Mat block : blocks) {
    Attached* attached = nullptr;
    if (block == nullptr) continue;
    PetscCall(attach(block));
    PetscCall(attached_to(block, attached));
    PetscCall(prefix_of(b, attached->prefix));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode attach_parallel(Mat b) {
  bool ours = false;
  PetscFunctionBegin;
  PetscCall(parallel.is_ours(b, ours));
  if (!ours) PetscCall(parallel.replace(b));
  PetscCall(compose_conversions(b));
  PetscCall(attach_blocks(b));
  PetscFunctionReturn(0);
}

PetscErrorCode assembly_end(Mat a, MatAssemblyType type) {
  Operation own = nullptr;
  PetscFunctionBegin;
  PetscCall(parallel.own(a, 0, own));
  PetscCall(reinterpret_cast<PetscErrorCode (*)(Mat, MatAssemblyType)>(own)(a, type));
  PetscCall(attach_blocks(a));
  PetscFunctionReturn(0);
}

template <PetscErrorCode attach(Mat), std::size_t count>
PetscErrorCode duplicate(const Replaced<count>& replaced, std::size_t i, Mat a, MatDuplicateOption option, Mat* b) {
  Operation own = nullptr;
  PetscFunctionBegin;
  PetscCall(replaced.own(a, i, own));
  PetscCall(reinterpret_cast<PetscErrorCode (*)(Mat, MatDuplicateOption, Mat*)>(own)(a, option, b));
  PetscCall(attach(*b));
  PetscFunctionReturn(0);
}
PetscErrorCode duplicate_sequential(Mat a, MatDuplicateOption option, Mat* b) {
  return duplicate<attach>(sequential, 4, a, option, b);
}
PetscErrorCode duplicate_parallel(Mat a, MatDuplicateOption option, Mat* b) {
  return duplicate<attach_parallel>(parallel, 1, a, option, b);
}

// MatConvert's meanings of `reuse`, then what `attach` does to the matrix.
template <PetscErrorCode attach(Mat)>
PetscErrorCode convert(Mat a, MatType, MatReuse reuse, Mat* result) {
  PetscFunctionBegin;
  if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(a, MAT_COPY_VALUES, result));
  if (reuse == MAT_REUSE_MATRIX) PetscCall(MatCopy(a, *result, DIFFERENT_NONZERO_PATTERN));
  PetscCall(attach(*result));
  PetscFunctionReturn(0);
}

PetscErrorCode compose_conversions(Mat b) {
  PetscFunctionBegin;
  for (const char* name : conversions_sequential)
    PetscCall(PetscObjectComposeFunction(object_of(b), name, convert<attach>));
  for (const char* name : conversions_parallel)
    PetscCall(PetscObjectComposeFunction(object_of(b), name, convert<attach_parallel>));
  PetscFunctionReturn(0);
}

// Whether the viewer asks for what is known of the matrix and is not a solver's report, which is to read as AIJ's.
PetscErrorCode asks_for_information(Mat a, PetscViewer viewer, PetscBool& asks) {
  PetscViewerFormat format = PETSC_VIEWER_DEFAULT;
  PetscInt indentation = 0;
  PetscBool assembled = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &asks));
  if (asks == PETSC_FALSE) PetscFunctionReturn(0);
  PetscCall(PetscViewerGetFormat(viewer, &format));
  PetscCall(PetscViewerASCIIGetTab(viewer, &indentation));
  PetscCall(MatAssembled(a, &assembled));
  // MatView indents twice before it asks the matrix.
  asks = static_cast<PetscBool>(assembled == PETSC_TRUE && (format == PETSC_VIEWER_ASCII_INFO_DETAIL ||
                                                            (format == PETSC_VIEWER_ASCII_INFO && indentation <= 2)));
  PetscFunctionReturn(0);
}

template <std::size_t blocks, std::size_t count>
PetscErrorCode view(const Replaced<count>& replaced, std::size_t own_at, Mat a, const std::array<Mat, blocks>& parts,
                    PetscViewer viewer) {
  constexpr std::array<const char*, 2> names{blocks == 1 ? "" : "diagonal block: ", "; off-diagonal block: "};
  PetscBool asks = PETSC_FALSE;
  Operation own = nullptr;
  std::string text;
  PetscFunctionBegin;
  PetscCall(replaced.own(a, own_at, own));
  PetscCall(reinterpret_cast<PetscErrorCode (*)(Mat, PetscViewer)>(own)(a, viewer));
  PetscCall(asks_for_information(a, viewer, asks));
  if (asks == PETSC_FALSE) PetscFunctionReturn(0);
  for (std::size_t i = 0; i < blocks; ++i) {
    Attached* attached = nullptr;
    PetscCall(attached_to(parts[i], attached));
    PetscCall(attached->products.foresee(parts[i], attached->prefix));
    text += names[i] + attached->products.describe();
  }
  PetscCall(PetscViewerASCIIPushSynchronized(viewer));
  PetscCall(PetscViewerASCIISynchronizedPrintf(viewer, "sparsecast: %s\n", text.c_str()));
  PetscCall(PetscViewerFlush(viewer));
  PetscCall(PetscViewerASCIIPopSynchronized(viewer));
  PetscFunctionReturn(0);
}

PetscErrorCode view_sequential(Mat a, PetscViewer viewer) { return view<1>(sequential, 5, a, {a}, viewer); }

PetscErrorCode view_parallel(Mat a, PetscViewer viewer) {
  std::array<Mat, 2> blocks{};
  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(a, &blocks[0], &blocks[1], nullptr));
  PetscCall(view<2>(parallel, 2, a, blocks, viewer));
  PetscFunctionReturn(0);
}

// As AIJ's by name, and set up where it was before its type changed: PETSc forgets that, and AIJ stays set up.
PetscErrorCode set_type(Mat b, MatType type) {
  PetscLayout rows = nullptr;
  const PetscInt* ranges = nullptr;
  PetscFunctionBegin;
  PetscCall(MatSetType(b, type));
  PetscCall(MatGetLayouts(b, &rows, nullptr));
  PetscCall(PetscLayoutGetRanges(rows, &ranges));
  if (ranges != nullptr) PetscCall(MatSetUp(b));
  PetscFunctionReturn(0);
}

PetscErrorCode create_sequential(Mat b) {
  PetscFunctionBegin;
  PetscCall(set_type(b, MATSEQAIJ));
  PetscCall(attach(b));
  PetscFunctionReturn(0);
}

PetscErrorCode create_parallel(Mat b) {
  PetscFunctionBegin;
  PetscCall(set_type(b, MATMPIAIJ));
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
  PetscCall(PetscLogEventRegister("SparsecastPlan", MAT_CLASSID, &sparsecast::petsc::planning_event));
  PetscCall(PetscLogEventRegister("SparsecastMult", MAT_CLASSID, &product_event));
  PetscCall(PetscRegisterFinalize(forget_registration));
  PetscFunctionReturn(0);
}

PetscErrorCode MatIsSparsecast(Mat a, PetscBool* is) {
  std::array<Mat, 2> blocks{a, nullptr};
  PetscBool many = PETSC_FALSE;
  bool ours = false;
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare(object_of(a), MATMPIAIJ, &many));
  if (many == PETSC_TRUE) {
    PetscCall(parallel.is_ours(a, ours));
    PetscCall(MatMPIAIJGetSeqAIJ(a, &blocks[0], &blocks[1], nullptr));
  }
  for (Mat block : blocks)
    if (block != nullptr && !ours) PetscCall(sequential.is_ours(block, ours));
  *is = ours ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(0);
}

/* What PETSc calls after loading libsparsecastpetsc.so by -dll_append. */
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_sparsecastpetsc(void) { return SparsecastPetscInitialize(); }
