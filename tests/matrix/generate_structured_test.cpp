// Does `structured` hit its targets? Over a space of targets that spans what real matrices have: features rounded from
// published descriptions of well-known matrices, and a grid of combinations. Stated tolerances: mean 2 %, deviation 5
// %, skew 5 %, bandwidth 5 % (15 % below four non-zeros per row; and 0.002), neighbours 0.06, similarity 0.04.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <sparsecast/generate.hpp>
#include <sparsecast/structure.hpp>

namespace sparsecast {
namespace {

struct Targets {
  std::int64_t rows, cols;
  double mean, deviation, skew, bandwidth, neighbours, similarity;
};

Structure imitate(const Targets& t, std::uint64_t seed = 1) {
  MatrixSpec s;
  s.kind = "structured";
  s.rows = t.rows;
  s.cols = t.cols;
  s.row_length = t.mean;
  s.seed = seed;
  s.parameters = {.row_std = t.deviation,
                  .skew = t.skew,
                  .bandwidth = t.bandwidth,
                  .neighbours = t.neighbours,
                  .similarity = t.similarity};
  const Matrix matrix = generate(s);
  EXPECT_TRUE(matrix.is_canonical());
  return analyze(matrix);
}

void expect_hit(const Targets& t, const Structure& s) {
  const std::string what =
      fmt::format("rows {} cols {} mean {} deviation {} skew {} bandwidth {} neighbours {} similarity {}", t.rows,
                  t.cols, t.mean, t.deviation, t.skew, t.bandwidth, t.neighbours, t.similarity);
  EXPECT_NEAR(s.row_mean, t.mean, 0.02 * t.mean) << what;
  EXPECT_NEAR(s.row_std, t.deviation, 0.05 * t.deviation + 0.05) << what;
  EXPECT_NEAR(s.row_skew, t.skew, 0.05 * t.skew + 1 / t.mean) << what;
  // Rows of one or two non-zeros that are much alike leave little to steer the distance by.
  EXPECT_NEAR(s.bandwidth_scaled, t.bandwidth, (t.mean < 4 ? 0.15 : 0.05) * t.bandwidth + 0.002) << what;
  EXPECT_NEAR(s.neighbours, t.neighbours, 0.06) << what;
  EXPECT_NEAR(s.cross_row_similarity, t.similarity, 0.04) << what;
}

TEST(Structured, ImitatesKindsOfRealMatrices) {
  const Targets kinds[] = {
      {60000, 60000, 64, 14, 0.22, 0.0086, 1.62, 0.91},     // a slender elastic beam
      {80000, 80000, 72, 19, 0.12, 0.07, 1.71, 0.88},       // concentric spheres, finite elements
      {50000, 50000, 53, 4.7, 2.4, 0.06, 1.88, 0.95},       // a wind tunnel
      {46000, 46000, 50, 28, 1.86, 0.19, 1.72, 0.87},       // a harbour model
      {100000, 100000, 6.2, 4.4, 6.1, 0.0019, 0.18, 0.33},  // an economic model
      {100000, 100000, 5.6, 4.4, 62, 0.30, 0.80, 0.63},     // a circuit
      {150000, 150000, 3.1, 25, 1500, 0.15, 0.32, 0.9},     // a web
      {130000, 130000, 11, 3.3, 1.5, 0.0074, 0.034, 0.05},  // a geometric graph
      {40000, 40000, 40, 224, 600, 0.55, 0.02, 0.02},       // a social graph
      {14000, 14000, 132, 36, 1.2, 0.98, 0.02, 0.037},      // random
      {4300, 300000, 700, 800, 6, 0.95, 1.58, 0.27},        // wide: a set cover
      {300000, 4300, 10, 3, 1, 0.5, 0.5, 0.5},              // tall
  };
  for (const Targets& t : kinds) expect_hit(t, imitate(t));
}

TEST(Structured, HitsAGridOfTargets) {
  int feasible = 0;
  for (const double mean : {5.0, 20.0, 100.0})
    for (const double bandwidth : {0.05, 0.3, 0.8})
      for (const double neighbours : {0.1, 0.9, 1.4})
        for (const double similarity : {0.1, 0.5, 0.9}) {
          // Rows of one run cannot be wide: where few have two, these would have to be wider than the matrix. And rows
          // that fill much of their width are similar by chance.
          const double runs = mean * (1 - neighbours / 2), chance = (mean + 2 * runs) / (bandwidth * 20000);
          if (bandwidth > 0.7 * std::min(1.0, runs - 1) || similarity < chance) continue;
          ++feasible;
          const Targets t{20000, 20000, mean, 0.3 * mean, 3, bandwidth, neighbours, similarity};
          expect_hit(t, imitate(t));
        }
  EXPECT_GT(feasible, 40);
}

TEST(Structured, SmallAndDegenerateShapesAreStillMatrices) {
  for (const std::int64_t rows : {1, 2, 5, 600})
    for (const std::int64_t cols : {1, 2, 7, 100})
      for (const double similarity : {0.0, 1.0}) {
        MatrixSpec s;
        s.kind = "structured";
        s.rows = rows;
        s.cols = cols;
        s.row_length = 0.5 + static_cast<double>(cols) / 2;
        s.parameters = {.bandwidth = 1, .neighbours = 1.5, .similarity = similarity};
        EXPECT_TRUE(generate(s).is_canonical()) << rows << " × " << cols;
      }
}

}  // namespace
}  // namespace sparsecast
