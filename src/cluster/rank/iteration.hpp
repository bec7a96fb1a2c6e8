#pragma once
// One iteration x ← A·x in each of the three schemes (Hossain & Saule, section II-B). What the local products do is
// handed in as functions: the true ones, or, in a simulation, ones that pass their measured time on the simulated
// clock.

#include <mpi.h>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "cluster/rank/assembly.hpp"
#include "cluster/scheme/scheme.hpp"

namespace sparsecast::cluster {
// The messages of 2du: the sums of each row of blocks go to the processes that answer for its pieces, and these hand
// them to the columns of blocks that multiply by them.

/// What MPI calls the precision of a vector.
template <class Value>
MPI_Datatype mpi_type() {
  return sizeof(Value) == sizeof(float) ? MPI_FLOAT : MPI_DOUBLE;
}

class GridExchange {
 public:
  /// Collective.
  GridExchange(MPI_Comm comm, Grid grid, std::int64_t piece_length);
  ~GridExchange();
  GridExchange(const GridExchange&) = delete;
  GridExchange& operator=(const GridExchange&) = delete;
  /// Pieces of another length from now on.
  void resize(std::int64_t piece_length) { piece_ = piece_length; }

  [[nodiscard]] std::int64_t row_length() const { return piece_ * grid_.pieces_of_row(); }        ///< of y
  [[nodiscard]] std::int64_t column_length() const { return piece_ * grid_.pieces_of_column(); }  ///< of x
  /// Collective: the sums of y over this row of blocks, into the x of whoever answers for them.
  template <class Value>
  void reduce(const Value* y, Value* x) const;
  /// Collective: x of this column of blocks from those who answer for it.
  template <class Value>
  void broadcast(Value* x) const;
  /// What this rank answers for: position in the whole vector, place in its x, and length (0 for most ranks).
  struct Own {
    std::int64_t position = 0, place = 0, length = 0;
  };
  [[nodiscard]] Own own() const;

 private:
  // Pieces in a row that one process answers for.
  struct Run {
    int root = 0;              ///< in the communicator of the row or column
    int first = 0, count = 0;  ///< pieces of the whole vector
  };
  Grid grid_;
  std::int64_t piece_;
  int row_ = 0, column_ = 0;
  MPI_Comm along_row_ = MPI_COMM_NULL, down_column_ = MPI_COMM_NULL;
  std::vector<Run> of_row_, of_column_;
};

/// y = A·x, or y += A·x for the remote part of l1dr.
template <class Value>
using LocalProductOf = std::function<void(std::span<const Value> x, std::span<Value> y)>;
using LocalProduct = LocalProductOf<double>;
/// Gathers the entries of x that go out into the send buffer.
template <class Value>
using PackOf = std::function<void(std::span<const Value> x, std::span<Value> outgoing)>;
using Pack = PackOf<double>;

template <class Value>
class IterationOf {
 public:
  virtual ~IterationOf() = default;
  virtual void step() = 0;
  /// The entries of x that this rank answers for (none for most processes of 2du).
  [[nodiscard]] virtual std::span<Value> own() = 0;
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
using Iteration = IterationOf<double>;

template <class Value>
class GridIterationOf : public IterationOf<Value> {
 public:
  /// Position of own() in the permuted vector.
  [[nodiscard]] virtual std::int64_t first_own() const = 0;
};

// Value, double where it is not named, is never deduced: products are often handed in as lambdas.
template <class Value>
using Given = std::type_identity_t<Value>;

/// A rank multiplies one block: block_rows × block_columns pieces of so many entries (Grid).
template <class Value = double>
std::unique_ptr<GridIterationOf<Value>> grid_iteration(MPI_Comm comm, Grid grid, std::int64_t piece_length,
                                                       Given<LocalProductOf<Value>> product);
/// counts: rows of every rank.
template <class Value = double>
std::unique_ptr<IterationOf<Value>> global_iteration(MPI_Comm comm, const std::vector<std::int64_t>& counts,
                                                     Given<LocalProductOf<Value>> product);
template <class Value = double>
std::unique_ptr<IterationOf<Value>> local_iteration(MPI_Comm comm, std::int64_t rows, const HaloPlan& halo,
                                                    Given<PackOf<Value>> pack, Given<LocalProductOf<Value>> own,
                                                    Given<LocalProductOf<Value>> remote);

#ifndef SPARSECAST_SIMULATION
/// The same by one neighbourhood collective a step.
template <class Value = double>
std::unique_ptr<IterationOf<Value>> neighbourhood_iteration(MPI_Comm comm, std::int64_t rows, const HaloPlan& halo,
                                                            Given<PackOf<Value>> pack, Given<LocalProductOf<Value>> own,
                                                            Given<LocalProductOf<Value>> remote);
#endif
}  // namespace sparsecast::cluster
