#pragma once
// The products of other libraries on the same matrix, each behind "multiply so many times".

#include <functional>
#include <memory>
#include <span>
#include <sparsecast/array.hpp>
#include <sparsecast/matrix.hpp>
#include <string>
#include <vector>

namespace sparsecast::bench {

struct Contestant {
  std::string name;
  std::int64_t bytes = 0;          ///< of its matrix format
  std::function<double(int)> run;  ///< seconds of so many products y = A·x
  std::function<double()> result;  ///< sum of y's entries, to see that all computed the same
};

/// Seconds on the steady clock, from some moment on.
double now();

/// What all multiply: y = A·x, or Y = A·X of several vectors by rows (entry i of vector v is x[i·vectors + v]).
template <class Value>
struct Task {
  const Matrix& matrix;
  std::span<const Value> x;
  int vectors = 1;
  int threads = 1;
  int block = 0;           ///< edge of the dense square blocks that the matrix consists of; 0: none
  bool symmetric = false;  ///< its values are
  [[nodiscard]] std::size_t rows() const { return static_cast<std::size_t>(matrix.rows()); }
};

/// A matrix as other libraries take it: 32-bit indices, values in Value. Values are copied where the Matrix has others.
template <class Value>
struct NarrowCsr {
  Matrix keep;
  std::span<const std::int32_t> pointers, columns;
  std::span<const Value> values;
  Array<Value> converted = {};

  explicit NarrowCsr(const Matrix& matrix);
  NarrowCsr(NarrowCsr&&) = delete;
  NarrowCsr& operator=(NarrowCsr&&) = delete;
  ~NarrowCsr() = default;
  [[nodiscard]] std::int64_t bytes() const {
    return static_cast<std::int64_t>(pointers.size_bytes() + columns.size_bytes() + values.size_bytes());
  }
};

/// Not a product: reads so many bytes in order with wide loads and prefetches, the best of several distances. What the
/// memory (or the cache that holds so much) delivers to these cores.
Contestant read_peer(std::int64_t bytes, int threads);

/// Eigen's row-major SparseMatrix with its OpenMP product.
template <class Value>
Contestant eigen_peer(const Task<Value>& task);

/// MKL's inspector-executor, told of many calls and optimised: "mkl" on CSR, "mkl-bsr" on blocks, "mkl-sym" on the
/// upper triangle where the values are symmetric. None where libmkl_rt cannot be loaded (`library`: its path, from the
/// virtual environment that the run script makes).
template <class Value>
std::vector<Contestant> mkl_peers(const Task<Value>& task, const std::string& library);

/// librsb, tuned for the task: "rsb" on the whole matrix, "rsb-sym" on its lower triangle where the values are
/// symmetric. None where it was not found when this was configured.
template <class Value>
std::vector<Contestant> rsb_peers(const Task<Value>& task);

/// PETSc's MatMult on the processes of this MPI job, in double, which is what Debian's PETSc has: "petsc" on AIJ,
/// "petsc-baij" on blocks, "petsc-sbaij" on the upper triangle where the values are symmetric and the process is one.
/// Called by every process; the first one gets the contestants, the others serve its calls until it releases them and
/// get nothing.
class PetscSession {
 public:
  PetscSession(int* argc, char*** argv);
  ~PetscSession();
  PetscSession(const PetscSession&) = delete;
  PetscSession& operator=(const PetscSession&) = delete;

  [[nodiscard]] static bool available();
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int processes() const { return processes_; }
  /// Collective. What the task says of vectors and threads does not count; of the others' tasks the matrix and x alone.
  std::vector<Contestant> peers(const Task<double>& task);
  /// On the processes other than the first: serves calls for the latest matrix until release().
  void serve();
  /// On the first process: ends the others' serve().
  void release();

 private:
  int rank_ = 0, processes_ = 1;
};

/// SciPy's csr_array @ x in a process of its own, on one thread, which is what it has.
class ScipySession {
 public:
  /// `python`: an interpreter that has SciPy; none: no contestant.
  ScipySession(const std::string& python, const std::string& script);
  ~ScipySession();
  ScipySession(const ScipySession&) = delete;
  ScipySession& operator=(const ScipySession&) = delete;

  /// None where SciPy is not there. Earlier contestants of the session are gone then.
  template <class Value>
  std::vector<Contestant> peers(const Task<Value>& task);

 private:
  struct Process;
  std::shared_ptr<Process> process_;
};

}  // namespace sparsecast::bench
