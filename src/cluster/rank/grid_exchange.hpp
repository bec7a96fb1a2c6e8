#pragma once
// The messages of 2du: the sums of each row of blocks go to the processes that answer for its pieces, and these hand
// them to the columns of blocks that multiply by them.

#include <mpi.h>
#include <cstdint>
#include <vector>

#include "cluster/scheme/scheme.hpp"

namespace sparsecast::cluster {
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
  GridExchange& operator=(GridExchange&&) = delete;  // nor copied
  /// Pieces of another length from now on.
  void resize(std::int64_t piece_length) { piece_ = piece_length; }

  [[nodiscard]] std::int64_t row_length() const { return piece_ * grid_.pieces_of_row(); }        ///< of y
  [[nodiscard]] std::int64_t column_length() const { return piece_ * grid_.pieces_of_column(); }  ///< of x
  /// Collective: the sums of y over this row of blocks, into the x of whoever answers for them.
  template <class Value>
  void reduce(const Value* y, Value* x) const {
    const int first_of_row = row_ * grid_.pieces_of_row(), first_of_column = column_ * grid_.pieces_of_column();
    for (const Run& run : of_row_) {
      Value* const to = run.root == column_ ? x + (run.first - first_of_column) * piece_ : nullptr;
      MPI_Reduce(y + (run.first - first_of_row) * piece_, to, static_cast<int>(run.count * piece_), mpi_type<Value>(),
                 MPI_SUM, run.root, along_row_);
    }
  }
  /// Collective: x of this column of blocks from those who answer for it.
  template <class Value>
  void broadcast(Value* x) const {
    const int first_of_column = column_ * grid_.pieces_of_column();
    for (const Run& run : of_column_)
      MPI_Bcast(x + (run.first - first_of_column) * piece_, static_cast<int>(run.count * piece_), mpi_type<Value>(),
                run.root, down_column_);
  }
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

  static std::vector<Run> runs_of(int first, int count, int per_root);
};
}  // namespace sparsecast::cluster
