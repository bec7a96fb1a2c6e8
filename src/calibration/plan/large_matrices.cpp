#include "calibration/plan/large_matrices.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "calibration/plan/survey_recipes.hpp"

namespace sparsecast::calibration {
std::vector<MatrixSpec> large_matrices(int count, std::int64_t nonzeros) {
  // The kinds take turns in what they ask of memory: streams alone, x at random from far beyond a cache, and between.
  // Some of those at random have one value, so that compact storage is among what is learned of them.
  // `size` times the non-zeros, rows of `row_mean`.
  struct Large {
    const char* kind;
    double size, row_mean;
    MatrixParameters parameters = {};
  };
  const std::array<Large, 8> table{{{"poisson3d", 1, 7},
                                    {"uniform", 1, 6, {.distinct = 1}},
                                    {"rmat", 1, 12, {.distinct = 1}},
                                    {"powerlaw", 1, 5, {.exponent = 2.3}},
                                    {"banded", 1.6, 5, {.bandwidth = 2}},
                                    {"rmat", 1.3, 4, {.distinct = 1}},
                                    {"uniform", 1, 2},
                                    {"geometric", 2, 20, {.dimensions = 3}}}};
  std::vector<MatrixSpec> matrices;
  for (const Large& large : table) {
    const double size = large.size * static_cast<double>(nonzeros);
    MatrixSpec spec = spec_of(large.kind, size / large.row_mean, large.row_mean, static_cast<int>(matrices.size()));
    spec.parameters = large.parameters;
    const std::string_view kind = large.kind;
    if (kind == "rmat") {
      spec.rows = 0, spec.row_length = 0;
      spec.parameters.scale = std::round(std::log2(size / large.row_mean));
      spec.parameters.edges = std::round(size);
    } else if (kind == "poisson3d") {
      spec.rows = 0, spec.row_length = 0;
      spec.parameters.size = std::round(std::cbrt(size / large.row_mean));
    }
    matrices.push_back(std::move(spec));
  }
  matrices.resize(static_cast<std::size_t>(std::clamp<int>(count, 0, static_cast<int>(matrices.size()))));
  return matrices;
}
}  // namespace sparsecast::calibration
