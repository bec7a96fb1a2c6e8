#include "answers/cluster_petsc_iteration.hpp"

#include <algorithm>
#include <cmath>
#include <sparsecast/error.hpp>
#include <sparsecast_constants.hpp>

namespace sparsecast::answers {
namespace {
using solving::MethodKind;

// By what a loop of PETSc's or BLAS's waits for in each entry: the sum of a dot product, which is one chain; unrolled
// loops of one and of two products; several vectors at once, of each.
struct LoopCosts {
  double chain = constants::petsc_pass_costs[0], plain = constants::petsc_pass_costs[1],
         paired = constants::petsc_pass_costs[2], grouped = constants::petsc_pass_costs[3];
};
const LoopCosts costs;

void pass(PetscIteration& i, double reads, double writes, double adds) { i.passes.push_back({reads, writes, adds}); }
// A dot product or a norm ends in a sum over all processes.
void reduced(PetscIteration& i, double reads) {
  pass(i, reads, 0, costs.chain);
  ++i.sums;
}

void apply(PetscIteration& i, PetscPreconditioner preconditioner) {
  ++i.applications;
  // PCJACOBI is a pointwise product; no preconditioner is a copy (PCApply_None: VecCopy).
  if (preconditioner == PetscPreconditioner::jacobi) pass(i, 2, 1, costs.plain);
  if (preconditioner == PetscPreconditioner::none) pass(i, 1, 1, 0);
}

// VecMDot and VecMAXPY take four vectors of the basis at a time, with another pass over the vector beside them.
double groups_of_four(double vectors) { return std::ceil(vectors / 4); }

PetscIteration cg(PetscPreconditioner preconditioner) {
  PetscIteration i;
  i.products = 1;
  pass(i, 2, 1, costs.plain);  // p = z + b p
  reduced(i, 2);               // (p, w)
  pass(i, 2, 1, 0);            // x += a p
  pass(i, 2, 1, 0);            // r -= a w
  apply(i, preconditioner);
  reduced(i, 1);  // |z|
  reduced(i, 2);  // (z, r)
  i.held = 5;     // x, r, z, p, w
  return i;
}

PetscIteration bicgstab(PetscPreconditioner preconditioner) {
  PetscIteration i;
  i.products = 2;
  reduced(i, 2);                // (r, r*)
  pass(i, 3, 1, costs.paired);  // p = r + b p - c v
  apply(i, preconditioner);
  reduced(i, 2);                // (v, r*)
  pass(i, 2, 1, costs.paired);  // s = r - a v
  apply(i, preconditioner);
  reduced(i, 2);                // (s, t) and |t| at once
  pass(i, 3, 1, costs.paired);  // x += a p + o s
  pass(i, 2, 1, costs.paired);  // r = s - o t
  reduced(i, 1);                // |r|
  i.held = 8;                   // x, r, r*, p, v, s, t, and between product and preconditioner
  return i;
}

// All of a restart, of which an iteration has its share.
PetscIteration gmres(int restart, PetscPreconditioner preconditioner) {
  PetscIteration i;
  for (int k = 1; k <= restart; ++k) {
    apply(i, preconditioner);
    pass(i, k + groups_of_four(k), 0, k * costs.grouped);                  // VecMDot
    pass(i, k + groups_of_four(k), groups_of_four(k), k * costs.grouped);  // VecMAXPY
    ++i.sums;
    reduced(i, 1);               // VecNormalize: the norm,
    pass(i, 1, 1, costs.plain);  // and the division
  }
  // The solution is put together, and its residual.
  pass(i, restart + groups_of_four(restart), groups_of_four(restart), restart * costs.grouped);
  pass(i, 2, 1, 0);
  apply(i, preconditioner);
  pass(i, 2, 1, costs.plain);
  reduced(i, 1);
  pass(i, 1, 1, costs.plain);
  i.share = 1.0 / restart;
  i.products = (restart + 1.0) / restart;
  i.applications /= restart;
  i.sums /= restart;
  i.held = restart / 2.0 + 3;
  return i;
}
}  // namespace

double PetscIteration::reads() const {
  double all = 0;
  for (const PetscPass& pass : passes) all += pass.reads;
  return share * all;
}

double PetscIteration::writes() const {
  double all = 0;
  for (const PetscPass& pass : passes) all += pass.writes;
  return share * all;
}

double PetscIteration::seconds(double vector_bytes, double bytes_per_s, double add_s) const {
  double all = 0;
  for (const PetscPass& pass : passes)
    all += std::max((pass.reads + pass.writes) * vector_bytes / bytes_per_s,
                    pass.adds * add_s * vector_bytes / sizeof(double));
  return share * all;
}

PetscPreconditioner petsc_preconditioner(const std::string& name) {
  if (name.empty() || name == "jacobi") return PetscPreconditioner::jacobi;
  if (name == "none") return PetscPreconditioner::none;
  if (name == "bjacobi") return PetscPreconditioner::block_jacobi;
  throw Error(ErrorCode::usage, "clusters have no preconditioner '" + name + "'", {}, "use none, jacobi or bjacobi");
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

std::string petsc_words(const solving::Method& method, PetscPreconditioner preconditioner) {
  std::string words = " -ksp_type ";
  switch (method.kind()) {
    case MethodKind::bicgstab: words += "bcgs"; break;
    case MethodKind::gmres: words += "gmres -ksp_gmres_restart " + std::to_string(method.parameter); break;
    default: words += "cg"; break;
  }
  constexpr const char* names[] = {"none", "jacobi", "bjacobi"};
  return words + " -pc_type " + names[static_cast<int>(preconditioner)];
}
}  // namespace sparsecast::answers
