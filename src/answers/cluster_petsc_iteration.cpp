#include "answers/cluster_petsc_iteration.hpp"

#include <cmath>
#include <sparsecast/error.hpp>

namespace sparsecast::answers {
namespace {
using solving::MethodKind;

// One vector operation: what it reads and writes.
void pass(PetscIteration& i, double reads, double writes) {
  i.reads += reads;
  i.writes += writes;
  ++i.calls;
}
// A dot product or a norm ends in a sum over all processes.
void reduced(PetscIteration& i, double reads) {
  pass(i, reads, 0);
  ++i.sums;
}

void apply(PetscIteration& i, PetscPreconditioner preconditioner) {
  ++i.applications;
  // PCJACOBI is a pointwise product; no preconditioner is a copy (PCApply_None: VecCopy).
  if (preconditioner == PetscPreconditioner::jacobi) pass(i, 2, 1);
  if (preconditioner == PetscPreconditioner::none) pass(i, 1, 1);
}

// VecMDot and VecMAXPY take four vectors of the basis at a time, with another pass over the vector beside them.
double groups_of_four(double vectors) { return std::ceil(vectors / 4); }

PetscIteration cg(PetscPreconditioner preconditioner) {
  PetscIteration i;
  i.products = 1;
  pass(i, 2, 1);  // p = z + b p
  reduced(i, 2);  // (p, w)
  pass(i, 2, 1);  // x += a p
  pass(i, 2, 1);  // r -= a w
  apply(i, preconditioner);
  reduced(i, 1);  // |z|
  reduced(i, 2);  // (z, r)
  i.held = 5;     // x, r, z, p, w
  return i;
}

PetscIteration bicgstab(PetscPreconditioner preconditioner) {
  PetscIteration i;
  i.products = 2;
  reduced(i, 2);  // (r, r*)
  pass(i, 3, 1);  // p = r + b p - c v
  apply(i, preconditioner);
  reduced(i, 2);  // (v, r*)
  pass(i, 2, 1);  // s = r - a v
  apply(i, preconditioner);
  reduced(i, 2);  // (s, t) and |t| at once
  pass(i, 3, 1);  // x += a p + o s
  pass(i, 2, 1);  // r = s - o t
  reduced(i, 1);  // |r|
  i.held = 8;     // x, r, r*, p, v, s, t, and between product and preconditioner
  return i;
}

// The mean over a restart.
PetscIteration gmres(int restart, PetscPreconditioner preconditioner) {
  PetscIteration all;
  for (int k = 1; k <= restart; ++k) {
    ++all.products;
    apply(all, preconditioner);
    reduced(all, k + groups_of_four(k));                  // VecMDot
    pass(all, k + groups_of_four(k), groups_of_four(k));  // VecMAXPY
    reduced(all, 1);                                      // VecNormalize: the norm,
    pass(all, 1, 1);                                      // and the division
  }
  pass(all, restart + groups_of_four(restart), groups_of_four(restart));  // the solution is put together
  pass(all, 2, 1);
  ++all.products;  // and its residual
  apply(all, preconditioner);
  pass(all, 2, 1);
  reduced(all, 1);
  pass(all, 1, 1);
  PetscIteration mean;
  mean.products = all.products / restart;
  mean.applications = all.applications / restart;
  mean.reads = all.reads / restart;
  mean.writes = all.writes / restart;
  mean.sums = all.sums / restart;
  mean.calls = all.calls / restart;
  mean.held = restart / 2.0 + 3;
  return mean;
}
}  // namespace

PetscPreconditioner petsc_preconditioner(const std::string& name) {
  if (name.empty() || name == "jacobi") return PetscPreconditioner::jacobi;
  if (name == "none") return PetscPreconditioner::none;
  if (name == "bjacobi") return PetscPreconditioner::block_jacobi;
  throw Error(ErrorCode::usage, "no preconditioner of a cluster's solves is called '" + name + "'", {},
              "take none, jacobi or bjacobi");
}

std::optional<PetscIteration> petsc_iteration(const solving::Method& method, PetscPreconditioner preconditioner) {
  PetscIteration iteration;
  switch (method.kind()) {
    case MethodKind::cg: iteration = cg(preconditioner); break;
    case MethodKind::bicgstab: iteration = bicgstab(preconditioner); break;
    case MethodKind::gmres: iteration = gmres(method.parameter, preconditioner); break;
    default: return std::nullopt;
  }
  if (preconditioner == PetscPreconditioner::jacobi) ++iteration.held;  // the diagonal
  return iteration;
}
}  // namespace sparsecast::answers
