#include "matrix/structure/structure_ranges.hpp"

namespace sparsecast::matrix {

std::span<const base::NumberRange> structure_ranges() {
  using namespace base;
  using enum Numbers;
  static constexpr NumberRange table[] = {
      {"rows", 0, most_counted, whole},
      {"cols", 0, most_counted, whole},
      {"nonzeros", 0, most_counted, whole},
      {"row_min", 0, most_counted, whole},
      {"row_max", 0, most_counted, whole},
      {"row_mode", 0, most_counted, whole},
      {"empty_rows", 0, most_counted, whole},
      {"diagonal_bandwidth", 0, most_counted, whole},
      {"row_mean", 0, most_counted},
      {"row_std", 0, most_counted},
      {"row_skew", 0, most_counted},
      {"row_gini", 0, 1},
      {"bandwidth_scaled", 0, 1},
      {"neighbours", 0, 2},
      {"cross_row_similarity", 0, 1},
      {"runs_per_row", 0, most_counted},
      {"sampled_share", 0, 1},
      {"unforeseen_rows", 0, 1},
      {"unforeseen_filled_rows", 0, 1},
      {"row_histogram[][]", 0, most_counted, whole},
      {"slices[].slice_rows", 1, 1 << 20, whole},
      {"slices[].sort_rows", 1, 1 << 30, whole},
      {"slices[].slots", 0, most_counted, whole},
      {"row_groups.groups", 0, most_counted, whole},
      {"row_groups.shortest", 0, most_counted, whole},
      {"row_groups.longest", 0, most_counted, whole},
      {"row_groups.turns", 0, most_counted, whole},
      {"row_groups.cut_shortest", 0, most_counted, whole},
      {"row_groups.cut_longest", 0, most_counted, whole},
      {"row_groups.cut_turns", 0, most_counted, whole},
      {"row_groups.short_groups", 0, most_counted, whole},
      {"row_groups.more_vectors", 0, most_counted, whole},
      {"row_groups.more_rows", 0, most_counted, whole},
      {"row_groups.rest_nonzeros", 0, most_counted, whole},
      {"row_groups.unforeseen", 0, 1},
      {"row_groups.in_runs", 0, 1},
      {"dense_diagonals.diagonals", 0, most_counted, whole},
      {"dense_diagonals.nonzeros", 0, most_counted, whole},
      {"dense_diagonals.rest_rows", 0, most_counted, whole},
      {"dense_blocks.rows", 0, 8, whole},
      {"dense_blocks.cols", 0, 8, whole},
      {"dense_blocks.blocks", 0, most_counted, whole},
      {"dense_blocks.fill", 0, 1},
      {"symmetry.diagonal", 0, most_counted, whole},
      {"block_nonzeros[]", 0, most_counted, whole},
      {"x_reuse[].elements_per_line", 1, 1 << 20, whole},
      {"x_reuse[].lines", 0, most_counted, whole},
      {"x_reuse[].cold", 0, 1},
      {"x_reuse[].distance[]", 0, 1},
      {"x_reuse[].cold_followed", 0, 1},
      {"x_reuse[].followed[]", 0, 1},
  };
  return table;
}

}  // namespace sparsecast::matrix
