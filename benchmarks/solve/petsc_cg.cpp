#include "peer.hpp"

#ifdef BENCH_PETSC
#include <petscksp.h>

#include <chrono>
#include <stdexcept>

namespace sparsecast::bench {
namespace {

void require(PetscErrorCode code) {
  if (code != 0) throw std::runtime_error("PETSc failed");
}

struct Problem {
  std::vector<PetscInt> pointers, columns;
  std::vector<PetscScalar> values, right;
  Mat a = nullptr;
  Vec b = nullptr, x = nullptr, r = nullptr;
  KSP ksp = nullptr;
  Problem() = default;
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;
  ~Problem() {
    KSPDestroy(&ksp);
    MatDestroy(&a);
    VecDestroy(&b);
    VecDestroy(&x);
    VecDestroy(&r);
  }
};

}  // namespace

Peer petsc_cg(const Matrix& matrix, const std::vector<double>& b) {
  auto problem = std::make_shared<Problem>();
  matrix.visit([&](const auto& csr) {
    problem->pointers.assign(csr.row_pointers.begin(), csr.row_pointers.end());
    problem->columns.assign(csr.column_indices.begin(), csr.column_indices.end());
    problem->values.assign(csr.values.begin(), csr.values.end());
  });
  problem->right = b;
  const auto n = static_cast<PetscInt>(matrix.rows());
  require(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, n, n, problem->pointers.data(), problem->columns.data(),
                                    problem->values.data(), &problem->a));
  require(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, n, problem->right.data(), &problem->b));
  require(VecDuplicate(problem->b, &problem->x));
  require(VecDuplicate(problem->b, &problem->r));
  require(KSPCreate(PETSC_COMM_SELF, &problem->ksp));
  require(KSPSetOperators(problem->ksp, problem->a, problem->a));
  require(KSPSetType(problem->ksp, KSPCG));
  PC pc = nullptr;
  require(KSPGetPC(problem->ksp, &pc));
  require(PCSetType(pc, PCJACOBI));
  // The residual that is tested is the system's own, as in the others.
  require(KSPSetNormType(problem->ksp, KSP_NORM_UNPRECONDITIONED));
  require(KSPSetTolerances(problem->ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 100000));
  require(KSPSetUp(problem->ksp));
  return [problem] {
    const auto start = std::chrono::steady_clock::now();
    require(KSPSolve(problem->ksp, problem->b, problem->x));
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    PetscInt iterations = 0;
    PetscReal residual = 0, norm = 0;
    require(KSPGetIterationNumber(problem->ksp, &iterations));
    require(MatMult(problem->a, problem->x, problem->r));
    require(VecAXPY(problem->r, -1, problem->b));
    require(VecNorm(problem->r, NORM_2, &residual));
    require(VecNorm(problem->b, NORM_2, &norm));
    return PeerRun{taken.count(), static_cast<long>(iterations), residual / norm};
  };
}

PetscHere::PetscHere(int* argc, char*** argv) { require(PetscInitialize(argc, argv, nullptr, nullptr)); }
PetscHere::~PetscHere() { PetscFinalize(); }

}  // namespace sparsecast::bench

#else

namespace sparsecast::bench {

Peer petsc_cg(const Matrix&, const std::vector<double>&) { return {}; }
PetscHere::PetscHere(int*, char***) {}
PetscHere::~PetscHere() = default;

}  // namespace sparsecast::bench
#endif
