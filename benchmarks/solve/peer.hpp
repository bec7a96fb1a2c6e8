#pragma once
// Conjugate gradients of other libraries, with the diagonal as preconditioner, to a residual of 1e-8.

#include <functional>
#include <memory>
#include <sparsecast/matrix.hpp>
#include <string>
#include <vector>

namespace sparsecast::bench {

struct PeerRun {
  double seconds = 0;  // from x = 0 to the end, without set-up
  long iterations = 0;
  double residual = 0;  // ‖b − A·x‖/‖b‖ as the library has it
};

/// Makes what the library needs and returns its solve, which may be called again and again.
using Peer = std::function<PeerRun()>;

Peer eigen_cg(const Matrix& matrix, const std::vector<double>& b, int threads);
/// Empty without PETSc.
Peer petsc_cg(const Matrix& matrix, const std::vector<double>& b);

/// PETSc wants to be begun and ended.
struct PetscHere {
  PetscHere(int* argc, char*** argv);
  ~PetscHere();
};

}  // namespace sparsecast::bench
