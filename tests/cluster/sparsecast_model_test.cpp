#include "cluster/models/sparsecast_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "made_up.hpp"

namespace sparsecast::cluster {
namespace {
TEST(ClusterModels, SparsecastLearnsWhatUnequalSharesCost) {
  // g1dr on 4 processes: what is waited for beyond equal shares costs 3 ns a byte.
  const auto run = [](double rows, double excess) {
    SchemeFeatures f;
    f.scheme = Scheme::global_rows;
    f.processes = 4;
    f.rows = static_cast<std::int64_t>(rows);
    f.ranks.resize(4);
    for (RankFeatures& rank : f.ranks) rank.own = {rows / 4, rows, rows, 0, 0, 0, 0, {}};
    f.load.gathered_bytes = 6 * rows + excess;
    return f;
  };
  const auto truth = [](const SchemeFeatures& f) {
    return block_truth(f.ranks[0].own) + message_truth(8 * static_cast<double>(f.rows), 4) +
           3e-9 * (f.load.gathered_bytes - 6 * static_cast<double>(f.rows));
  };
  ClusterProfile p = made_up_profile();
  for (const double rows : {400, 4000, 40000, 400000})
    for (const double share : {0.0, 0.5, 2.0}) {
      const SchemeFeatures f = run(rows, share * 8 * rows);
      p.runs.push_back({"made up", false, LocalFormat::csr, 1, truth(f), block_truth(f.ranks[0].own), f});
    }
  const SchemeFeatures f = run(20000, 160000);
  EXPECT_NEAR(sparsecast_model(p)->forecast(f, LocalFormat::csr)->seconds / truth(f), 1, 0.15);
}

TEST(ClusterModels, SparsecastFindsTheTruthItWasFittedTo) {
  const ClusterProfile p = made_up_profile();
  for (const int processes : {1, 4}) {
    const SchemeFeatures f = target_features(p, processes);
    const auto forecast = sparsecast_model(p)->forecast(f, LocalFormat::csr);
    ASSERT_TRUE(forecast);
    EXPECT_NEAR(forecast->seconds / target_truth(f), 1, 0.1);
    EXPECT_NEAR(forecast->core_s + forecast->communication_s, forecast->seconds, 1e-15);
    EXPECT_FALSE(forecast->extrapolated);
  }
  EXPECT_TRUE(sparsecast_model(p)->forecast(target_features(p, 64), LocalFormat::csr)->extrapolated);
}

// A calibration that ran out of time after two matrices: the fit to one of them, which knows nothing of the other's
// size, says nothing of the fit to both.
TEST(ClusterModels, SparsecastsErrorsAreUnknownWhereOneRunWouldBeLeft) {
  const ClusterProfile p = made_up_profile();
  for (const std::size_t matrices : {2, 3}) {
    ClusterProfile some = p;
    some.runs.clear();
    for (std::size_t k = 0; k < matrices; ++k) {
      some.runs.push_back(p.runs[p.runs.size() - 1 - 3 * k]);  // on 4 processes, of another size each
      some.runs.back().matrix = std::string(1, static_cast<char>('a' + k));
      some.runs.back().random = false;
    }
    const auto model = sparsecast_model(some);
    const SchemeFeatures f = target_features(some, 4);
    EXPECT_EQ(model->left_out_errors(f.scheme, LocalFormat::csr, 4).size(), matrices == 2 ? 0 : matrices);
  }
}

// Two runs of one matrix, in two states of the cores, are not two matrices.
TEST(ClusterModels, SparsecastsErrorsAreUnknownWhereRunsOfOneMatrixWouldBeLeft) {
  ClusterProfile two = made_up_profile();
  const TrainingRun large = two.runs.back(), small = two.runs[two.runs.size() - 4];
  two.runs.clear();
  for (const TrainingRun& run : {large, small, small}) {
    two.runs.push_back(run);
    two.runs.back().random = false;
    two.runs.back().matrix = std::to_string(run.features.rows);
  }
  const SchemeFeatures f = target_features(two, 4);
  EXPECT_TRUE(sparsecast_model(two)->left_out_errors(f.scheme, LocalFormat::csr, 4).empty());
}

// Runs of l1dr on 4 processes whose messages cost 2 µs and 0.5 µs each, of which the local product hides its own time
// (overlapped) or nothing.
struct LocalRun {
  SchemeFeatures features;
  double core = 0, messages = 0;
  [[nodiscard]] double seconds(bool overlapped) const {
    return overlapped ? std::max(core, messages) : core + messages;
  }
};

LocalRun local_run(double rows, int messages) {
  LocalRun run;
  run.features.scheme = Scheme::local_rows;
  run.features.processes = 4;
  run.features.ranks.resize(4);
  for (RankFeatures& rank : run.features.ranks) rank.own = {rows, rows, 5 * rows, 0, 0, 0, 0, {}};
  run.features.load.messages = messages;
  run.core = block_truth(run.features.ranks[0].own);
  run.messages = messages > 0 ? 2e-6 + 5e-7 * messages : 0;
  return run;
}

TEST(ClusterModels, SparsecastLearnsWhetherMessagesTravelWhileTheCoreIsBusy) {
  for (const bool overlapped : {false, true}) {
    ClusterProfile p = made_up_profile();
    for (const double rows : {100, 300, 1000, 3000})
      for (const int messages : {0, 1, 2, 3}) {
        const LocalRun run = local_run(rows, messages);
        p.runs.push_back(
            {"made up", false, LocalFormat::csr, 1, run.seconds(overlapped), run.core, run.features.thinned(16)});
      }
    for (const double rows : {200, 2000}) {
      const LocalRun run = local_run(rows, 2);
      const auto forecast = sparsecast_model(p)->forecast(run.features, LocalFormat::csr);
      ASSERT_TRUE(forecast);
      EXPECT_NEAR(forecast->seconds / run.seconds(overlapped), 1, 0.1) << rows << " rows, overlapped " << overlapped;
    }
  }
}
}  // namespace
}  // namespace sparsecast::cluster
