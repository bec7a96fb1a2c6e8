#pragma once
// One iteration x ← A·x in each of the three schemes (Hossain & Saule, section II-B). What the local products do is
// handed in as functions: the true ones, or, in a simulation, ones that pass their measured time on the simulated
// clock.

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "cluster/rank/assembly.hpp"

namespace sparsecast::cluster {

/// y = A·x, or y += A·x for the remote part of l1dr.
using LocalProduct = std::function<void(std::span<const double> x, std::span<double> y)>;
/// Gathers the entries of x that go out into the send buffer.
using Pack = std::function<void(std::span<const double> x, std::span<double> outgoing)>;

class Iteration {
 public:
  virtual ~Iteration() = default;
  virtual void step() = 0;
  /// The entries of x that this rank answers for (none for most processes of 2du).
  [[nodiscard]] virtual std::span<double> own() = 0;
  /// Collective: makes every rank's copy of x agree with own() after that was changed.
  virtual void spread() = 0;
  /// Seconds of this rank in local products (packing included) since the last reset.
  [[nodiscard]] double core_seconds() const { return core_s_; }
  void reset_clock() { core_s_ = 0; }

 protected:
  template <class F>
  void timed(const F& work) {
    const double start = MPI_Wtime();
    work();
    core_s_ += MPI_Wtime() - start;
  }

 private:
  double core_s_ = 0;
};

class GridIteration : public Iteration {
 public:
  /// Position of own() in the permuted vector.
  [[nodiscard]] virtual std::int64_t first_own() const = 0;
};
/// A rank multiplies one block: block_rows × block_columns pieces of so many entries (Grid).
std::unique_ptr<GridIteration> grid_iteration(MPI_Comm comm, Grid grid, std::int64_t piece_length,
                                              LocalProduct product);
/// counts: rows of every rank.
std::unique_ptr<Iteration> global_iteration(MPI_Comm comm, const std::vector<std::int64_t>& counts,
                                            LocalProduct product);
std::unique_ptr<Iteration> local_iteration(MPI_Comm comm, std::int64_t rows, const HaloPlan& halo, Pack pack,
                                           LocalProduct own, LocalProduct remote);

#ifndef SPARSECAST_SIMULATION
/// The same by one neighbourhood collective a step.
std::unique_ptr<Iteration> neighbourhood_iteration(MPI_Comm comm, std::int64_t rows, const HaloPlan& halo, Pack pack,
                                                   LocalProduct own, LocalProduct remote);
#endif

}  // namespace sparsecast::cluster
