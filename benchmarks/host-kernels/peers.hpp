#pragma once
// The products of other libraries on the same matrix, each behind "multiply so many times".

#include <functional>
#include <optional>
#include <span>
#include <sparsecast/matrix.hpp>
#include <string>

namespace sparsecast::bench {

struct Contestant {
  std::string name;
  std::int64_t bytes = 0;          ///< of its matrix format
  std::function<double(int)> run;  ///< seconds of so many products y = A·x
  std::function<double()> result;  ///< sum of y's entries, to see that all computed the same
};

/// Seconds on the steady clock, from some moment on.
double now();

/// Not a product: reads so many bytes in order with wide loads and prefetches, the best of several distances. What the
/// memory (or the cache that holds so much) delivers to these cores.
Contestant read_peer(std::int64_t bytes, int threads);

/// Eigen's row-major SparseMatrix with its OpenMP product.
Contestant eigen_peer(const Matrix& matrix, std::span<const double> x, int threads);

/// MKL's inspector-executor, told of many calls and optimised; nothing where libmkl_rt cannot be loaded (`library`: its
/// path, from the virtual environment that the run script makes).
std::optional<Contestant> mkl_peer(const Matrix& matrix, std::span<const double> x, int threads,
                                   const std::string& library);

/// PETSc's MatMult on the processes of this MPI job (AIJ on one, MPIAIJ on more). Called by every process; the first
/// one gets the contestant, the others serve its calls until it is destroyed and get nothing.
class PetscSession {
 public:
  PetscSession(int* argc, char*** argv);
  ~PetscSession();
  PetscSession(const PetscSession&) = delete;
  PetscSession& operator=(const PetscSession&) = delete;

  [[nodiscard]] static bool available();
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int processes() const { return processes_; }
  /// Collective.
  std::optional<Contestant> peer(const Matrix& matrix, std::span<const double> x);
  /// On the processes other than the first: serves calls for the latest matrix until release().
  void serve();
  /// On the first process: ends the others' serve().
  void release();

 private:
  int rank_ = 0, processes_ = 1;
};

}  // namespace sparsecast::bench
