#include "cluster/rank/grid_exchange.hpp"

#include <algorithm>

namespace sparsecast::cluster {
// Pieces `first` … `first + count − 1`; each root answers for `per_root` of all pieces.
std::vector<GridExchange::Run> GridExchange::runs_of(int first, int count, int per_root) {
  std::vector<Run> runs;
  for (int piece = first; piece < first + count; ++piece) {
    const int root = piece / per_root;
    if (runs.empty() || runs.back().root != root) runs.push_back({root, piece, 0});
    ++runs.back().count;
  }
  return runs;
}

GridExchange::GridExchange(MPI_Comm comm, Grid grid, std::int64_t piece_length) : grid_(grid), piece_(piece_length) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  row_ = rank / grid.columns;
  column_ = rank % grid.columns;
  MPI_Comm_split(comm, row_, column_, &along_row_);
  MPI_Comm_split(comm, column_, row_, &down_column_);
  const int of_row = grid.pieces_of_row(), of_column = grid.pieces_of_column();
  of_row_ = runs_of(row_ * of_row, of_row, of_column);
  of_column_ = runs_of(column_ * of_column, of_column, of_row);
}

GridExchange::~GridExchange() {
  MPI_Comm_free(&along_row_);
  MPI_Comm_free(&down_column_);
}

GridExchange::Own GridExchange::own() const {
  const auto mine = std::ranges::find(of_row_, column_, &Run::root);
  if (mine == of_row_.end()) return {};
  return {mine->first * piece_, (mine->first - column_ * grid_.pieces_of_column()) * piece_, mine->count * piece_};
}
}  // namespace sparsecast::cluster
