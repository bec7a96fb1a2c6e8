#pragma once
// The kinds of benchmark matrices that points of a space are turned into: any features, and what these do not reach
// (thin rows, graphs, meshes, few long rows, stencils and bands).

#include <array>
#include <sparsecast/matrix_spec.hpp>

namespace sparsecast::calibration {
/// A point of the unit cube. The order of its coordinates goes from the most to the least important property, as the
/// small bases fill most evenly.
struct SurveyPoint {
  explicit SurveyPoint(int index);
  std::array<double, 8> at{};
  [[nodiscard]] double between(std::size_t d, double low, double high) const { return low + at[d] * (high - low); }
  [[nodiscard]] double log_between(std::size_t d, double low, double high) const;
};

/// The beginning of a recipe: rows, mean row length in so many decimals as recipes carry, and the seed of its index.
[[nodiscard]] MatrixSpec spec_of(const char* kind, double rows, double row_mean, int index);

/// A recipe of each kind at a point, of at most about so many non-zeros; `index` is its number among others.
using SurveyRecipe = MatrixSpec(const SurveyPoint& point, int index, double most_nonzeros);
SurveyRecipe structured, thin, graph, graph_without_directions, mesh, long_rows, stencil, diagonal_wise;
/// The coordinate of a mesh that decides whether it is made of blocks: those from a half on are.
inline constexpr std::size_t mesh_in_blocks = 2;
}  // namespace sparsecast::calibration
