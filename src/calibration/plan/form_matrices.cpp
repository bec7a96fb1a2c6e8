#include "calibration/plan/form_matrices.hpp"

#include <array>
#include <utility>

#include "calibration/plan/survey.hpp"
#include "calibration/plan/survey_recipes.hpp"

namespace sparsecast::calibration {
std::vector<FormMatrix> form_matrices(int count, std::int64_t most_nonzeros) {
  constexpr int beyond_the_survey = 1000;  // points of the sequence that it does not reach
  using enum formats::MadeFor;
  const auto most = static_cast<double>(most_nonzeros);
  // In every eight: two of diagonals, two of blocks, a graph, whose columns no band holds, and three of the survey
  // whose values repeat: one, 200, 16 and as many as a kind has, or so many that single precision holds.
  constexpr std::array<std::size_t, 8> turn{0, 1, 3, 0, 1, 3, 2, 3};
  constexpr std::array<int, 5> distinct{1, 200, 100'000, 16, 0};
  const std::vector<MatrixSpec> survey = survey_matrices(count, most_nonzeros);
  std::array<int, 4> made{};
  std::vector<FormMatrix> matrices;
  for (int i = 0; i < count; ++i) {
    const std::size_t kind = turn[static_cast<std::size_t>(i) % turn.size()];
    const int of_kind = made[kind]++;
    SurveyPoint p(beyond_the_survey + of_kind);
    if (kind == 0) {
      matrices.push_back({diagonal_wise(p, i, most), {diagonals, symmetry}});
    } else if (kind == 1) {
      p.at[mesh_in_blocks] = 1;
      matrices.push_back({mesh(p, i, most), {blocks, symmetry}});
    } else if (kind == 2) {
      matrices.push_back({graph_without_directions(p, i, most), {symmetry}});
    } else {
      MatrixSpec spec = survey[static_cast<std::size_t>(of_kind)];
      if (spec.kind != "rmat")  // which has one
        spec.parameters.distinct = distinct[static_cast<std::size_t>(of_kind) % distinct.size()];
      matrices.push_back({std::move(spec), {compact}});
    }
  }
  return matrices;
}
}  // namespace sparsecast::calibration
