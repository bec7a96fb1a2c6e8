#include "calibration/plan/survey.hpp"

#include <array>

#include "calibration/plan/survey_recipes.hpp"

namespace sparsecast::calibration {
std::vector<MatrixSpec> survey_matrices(int count, std::int64_t most_nonzeros) {
  // In every twenty: eleven of any features, a thin one, and two each of graphs, meshes, ones with few long rows and
  // stencils. Each kind walks through a sequence of its own, or the rhythm would beat with that of the sequence.
  struct Kind {
    SurveyRecipe* make;
    int made = 0;
  };
  std::array<Kind, 6> kinds{{{structured}, {graph}, {mesh}, {long_rows}, {stencil}, {thin}}};
  constexpr std::array<std::size_t, 20> turn{0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 1, 0, 2, 0, 3, 0, 4, 0, 0};
  std::vector<MatrixSpec> matrices;
  for (int i = 0; i < count; ++i) {
    Kind& kind = kinds[turn[static_cast<std::size_t>(i) % turn.size()]];
    matrices.push_back(kind.make(SurveyPoint(kind.made++), i, static_cast<double>(most_nonzeros)));
  }
  return matrices;
}
}  // namespace sparsecast::calibration
