#pragma once
// The three schemes x ← A·x on P processes and the two local storage formats (Hossain & Saule, section II), and which
// process counts a scheme runs on.

#include <cstdint>
#include <span>
#include <sparsecast/cluster_forecast.hpp>
#include <string_view>

namespace sparsecast::cluster {
std::string_view to_string(Scheme scheme);
std::string_view to_string(LocalFormat format);

std::span<const Scheme> all_schemes();
std::span<const LocalFormat> all_formats();

/// 2du's grid of processes, rank = row · columns + column. Rows of blocks are cut into pieces, so many that columns of
/// blocks are whole pieces too: each piece of x lies in one row and one column of blocks, whose common process answers
/// for it. On a square grid a piece is a block, and those processes are the diagonal.
struct Grid {
  int rows = 0, columns = 0;  ///< 0: there is none
  [[nodiscard]] int pieces() const;
  [[nodiscard]] int pieces_of_row() const { return pieces() / rows; }
  [[nodiscard]] int pieces_of_column() const { return pieces() / columns; }
  // Of a matrix with n rows; the last blocks are padded.
  [[nodiscard]] std::int64_t piece_length(std::int64_t n) const;  ///< 1 at least
  [[nodiscard]] std::int64_t block_rows(std::int64_t n) const { return piece_length(n) * pieces_of_row(); }
  [[nodiscard]] std::int64_t block_columns(std::int64_t n) const { return piece_length(n) * pieces_of_column(); }
};
/// As near to a square as the count allows, with no more rows than columns and two of each at least; 1 × 1 for one
/// process; none for 2 and other counts that are no product of two numbers from 2 on.
Grid grid_of(int processes);
/// p where processes = p², else 0: the paper's grids.
int grid_side(int processes);
/// True where the scheme runs on that many processes: 2du needs a grid.
bool admissible(Scheme scheme, int processes);
/// Error usage that names the nearest counts where it is not.
void require_admissible(Scheme scheme, int processes);
}  // namespace sparsecast::cluster
