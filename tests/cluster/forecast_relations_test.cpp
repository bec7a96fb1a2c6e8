// What holds of every forecast, of whatever model, scheme, format and count of processes, calibrated or not.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "cluster/models/physical_floor.hpp"
#include "cluster/models/prediction.hpp"
#include "cluster/training_matrices.hpp"
#include "made_up.hpp"
#include "support/parts.hpp"

namespace sparsecast::cluster {
namespace {
// Calibrated on 1 and 4 processes of two cores: all patterns, and runs in every scheme and format. `message_s` on so
// many processes for so many bytes.
template <class Message>
ClusterProfile calibrated_on_1_and_4(const Message& message_s) {
  ClusterProfile p = made_up_profile();
  p.cores_per_node = 2;
  p.messages.clear();
  p.runs.clear();
  p.blocks.clear();
  for (const int processes : {1, 4})
    for (const MessagePattern pattern :
         {MessagePattern::grid, MessagePattern::grid_reduce, MessagePattern::grid_bcast, MessagePattern::allgatherv,
          MessagePattern::ping_pong_near, MessagePattern::ping_pong_far, MessagePattern::halo}) {
      const bool alone = pattern == MessagePattern::ping_pong_near || pattern == MessagePattern::ping_pong_far ||
                         pattern == MessagePattern::halo;
      if (alone && processes == 1) continue;
      for (double bytes = 8; bytes <= 1 << 20; bytes *= 4)
        p.messages.push_back({pattern, processes, p.nodes(processes), bytes, pattern == MessagePattern::halo ? 2 : 0,
                              message_s(processes, bytes)});
    }
  for (const int processes : {1, 4})
    for (const std::int64_t rows : {400, 2000, 10000})
      for (const double length : {1.0, 4.0, 16.0}) {
        const Matrix matrix = random_square(rows, length, static_cast<std::uint64_t>(rows));
        const Placement placement = place(matrix, processes, 1, true);
        for (const Scheme scheme : all_schemes())
          for (const LocalFormat format : all_formats()) {
            const SchemeFeatures f = scheme_features(matrix, scheme, placement, p.caches, p.cores_per_node);
            double core = 0;
            for (const RankFeatures& rank : f.ranks) {
              core = std::max(core, block_truth(rank.own) + block_truth(rank.remote));
              p.blocks.push_back({format, rank.own, block_truth(rank.own)});
            }
            const double sent = processes == 1 ? 0 : message_s(processes, 8.0 * static_cast<double>(rows));
            for (const bool random : {false, true})
              p.runs.push_back({"made up " + std::to_string(rows), random, format, p.nodes(processes), core + sent,
                                core, f.thinned(16)});
          }
      }
  // Else each model would search for them again.
  for (const int processes : {1, 4})
    for (const Scheme scheme : all_schemes())
      for (const LocalFormat format : all_formats()) p.regressions.push_back({scheme, format, processes, 8, 0.1, 0.01});
  return p;
}

void expect_relations(const ClusterProfile& profile, const std::string& what) {
  PredictOptions options;
  options.processes = {1, 2, 3, 4, 6, 9, 16, 64, 144};
  const std::set<int> known{1, 4};
  const PhysicalFloor floor(profile);
  for (const Matrix& matrix : {grid_matrix(30), random_square(3000, 40, 3), random_square(50, 1, 4)}) {
    std::map<std::pair<Scheme, int>, SchemeFeatures> features;
    for_each_case(matrix, options, profile.caches, profile.cores_per_node,
                  [&](const SchemeFeatures& f, const Placement&) {
                    features[{f.scheme, f.processes}] = f;
                  });
    const Prediction prediction = predict_cluster(matrix, profile, options);
    EXPECT_EQ(prediction.missing, "");
    std::set<std::string> models;
    std::set<int> counts;
    for (const ClusterForecast& f : prediction.forecasts) {
      const SchemeFeatures& of = features.at({f.scheme, f.processes});
      const std::string where = what + ": " + f.model + " " + std::string(to_string(f.scheme)) + " " +
                                std::string(to_string(f.format)) + " on " + std::to_string(f.processes);
      models.insert(f.model);
      counts.insert(f.processes);
      ASSERT_TRUE(std::isfinite(f.seconds) && std::isfinite(f.low_s) && std::isfinite(f.high_s)) << where;
      EXPECT_GE(f.seconds, floor.seconds(of, f.format)) << where;
      EXPECT_GE(f.low_s, floor.seconds(of, f.format)) << where;
      EXPECT_LE(f.low_s, f.seconds) << where;
      EXPECT_GE(f.high_s, f.seconds) << where;
      EXPECT_LT(f.seconds, 60) << where << ": no product of these takes a minute";
      if (f.core_s > 0 || f.communication_s > 0) {
        EXPECT_NEAR(f.core_s + f.communication_s, f.seconds, 1e-12 * f.seconds) << where;
        EXPECT_GE(f.communication_s, floor.latency_seconds(of)) << where;
      }
      EXPECT_TRUE(f.extrapolated || known.contains(f.processes)) << where;
      if (!known.contains(f.processes)) {
        EXPECT_GT(f.high_s, 1.05 * f.seconds) << where << ": nobody measured there";
      }
    }
    EXPECT_GE(models.size(), 3u) << "microbench, sparsecast and linear; svr where libsvm is here";
    EXPECT_EQ(counts.size(), options.processes.size());
  }
}

TEST(ForecastRelations, HoldOnEveryCount) {
  if (!has_partitioner()) SKIP_OR_FAIL(test::parts::metis);
  expect_relations(calibrated_on_1_and_4([](int processes, double bytes) {
                     return processes == 1 ? 2e-8 + bytes / 2e10 : 5e-5 + bytes / 1e9;
                   }),
                   "more ranks than cores");
  expect_relations(
      calibrated_on_1_and_4([](int processes, double bytes) { return (processes == 1 ? 2e-7 : 1.5e-6) + bytes / 8e9; }),
      "cheap messages");
  // Without runs the micro-benchmarks alone speak: refuse nothing that they know.
  ClusterProfile benchmarks = calibrated_on_1_and_4([](int, double bytes) { return 1.5e-6 + bytes / 8e9; });
  benchmarks.runs.clear();
  PredictOptions options;
  options.processes = {1, 4, 144};
  for (const ClusterForecast& f : predict_cluster(grid_matrix(30), benchmarks, options).forecasts) {
    EXPECT_EQ(f.model, "microbench");
    EXPECT_EQ(f.extrapolated, f.processes == 144);
    EXPECT_GT(f.high_s / f.seconds, f.processes == 144 ? 8 : 1);
  }
}

// A calibration that ran out of time holds runs of few matrices, some of them disturbed: beside a profile of the host,
// a mesh beyond all caches, a tiny one, and so on.
TEST(ForecastRelations, IntervalsOfACalibrationThatWasCutShortSaySomething) {
  if (!has_partitioner()) SKIP_OR_FAIL(test::parts::metis);
  const auto message_s = [](int processes, double bytes) { return (processes == 1 ? 2e-7 : 1.5e-6) + bytes / 8e9; };
  ClusterProfile cut = calibrated_on_1_and_4(message_s);
  cut.runs.clear();
  PredictOptions options;
  options.processes = {1, 4, 144};
  options.model = "sparsecast";
  for (const std::int64_t side : {300, 12, 60}) {
    const Matrix matrix = grid_matrix(side);
    for (const int processes : {1, 4}) {
      const Placement placement = place(matrix, processes, 1, true);
      for (const Scheme scheme : all_schemes())
        for (const LocalFormat format : all_formats()) {
          SchemeFeatures f = scheme_features(matrix, scheme, placement, cut.caches, cut.cores_per_node);
          double core = 0;
          for (const RankFeatures& rank : f.ranks)
            core = std::max(core, block_truth(rank.own) + block_truth(rank.remote));

          const double vector = 8.0 * static_cast<double>(matrix.rows()), disturbed = side == 12 ? 40 : 1;
          const double seconds = disturbed * (core + (processes == 1 ? 0 : message_s(processes, vector)));
          cut.runs.push_back(
              {"mesh" + std::to_string(side), false, format, cut.nodes(processes), seconds, core, f.thinned(16)});
        }
    }
    const Prediction prediction = predict_cluster(grid_matrix(100), cut, options);
    EXPECT_FALSE(prediction.forecasts.empty());
    for (const ClusterForecast& f : prediction.forecasts)
      EXPECT_LT(f.high_s / f.low_s, f.processes == 144 ? 1e5 : 1e3)
          << "up to " << side << ": " << to_string(f.scheme) << " " << to_string(f.format) << " on " << f.processes;
  }
}

// A calibration on one node says nothing of messages between several.
TEST(ForecastRelations, NothingIsForecastOfSeveralNodesFromOne) {
  if (!has_partitioner()) SKIP_OR_FAIL(test::parts::metis);
  ClusterProfile one = calibrated_on_1_and_4([](int, double bytes) { return 1.5e-6 + bytes / 8e9; });
  one.cores_per_node = 4;
  for (MessageTime& m : one.messages) m.nodes = 1;
  for (TrainingRun& run : one.runs) run.nodes = 1;
  PredictOptions options;
  options.processes = {1, 2, 3, 4, 5, 6, 64};
  const Prediction prediction = predict_cluster(grid_matrix(30), one, options);
  std::set<int> counts;
  for (const ClusterForecast& f : prediction.forecasts) counts.insert(f.processes);
  EXPECT_EQ(counts, (std::set<int>{1, 2, 3, 4}));
  EXPECT_NE(prediction.missing.find("5 processes and more need several nodes"), std::string::npos)
      << prediction.missing;
  // Where nobody has anything to tell the others, there is nothing to be known of messages.
  options.schemes = {Scheme::local_rows};
  options.processes = {6};
  EXPECT_FALSE(predict_cluster(small_matrix("banded", 600, 1, {.bandwidth = 1}), one, options).forecasts.empty());
}

// Training runs were forecast by the profile of a host that is not the one which is asked now, or has changed: the
// cluster is forecast as if none had been.
TEST(ForecastRelations, AnotherHostsProfileSaysNothingOfACluster) {
  if (!has_partitioner()) SKIP_OR_FAIL(test::parts::metis);
  const ClusterProfile alone = calibrated_on_1_and_4([](int, double bytes) { return 1.5e-6 + bytes / 8e9; });
  const MatrixSpec trained = training_matrices(false).front();
  for (const double told_s : {1e-12, 1e3}) {  // of whatever this host says, if it says anything
    ClusterProfile beside = alone;
    for (TrainingRun& run : beside.runs) {
      run.matrix = generated_name(trained);
      run.features.node_s = {told_s, told_s};
    }
    ClusterProfile without = beside;
    for (TrainingRun& run : without.runs) run.features.node_s = {};
    PredictOptions options;
    options.processes = {1, 4};
    options.model = "sparsecast";
    const Prediction expected = predict_cluster(grid_matrix(30), without, options);
    const Prediction prediction = predict_cluster(grid_matrix(30), beside, options);
    EXPECT_TRUE(expected.missing.empty()) << expected.missing;
    EXPECT_NE(prediction.missing.find("calibrate the cluster again"), std::string::npos) << prediction.missing;
    ASSERT_EQ(prediction.forecasts.size(), expected.forecasts.size());
    for (std::size_t k = 0; k < expected.forecasts.size(); ++k)
      EXPECT_EQ(prediction.forecasts[k].seconds, expected.forecasts[k].seconds) << k;
  }
}

TEST(ForecastRelations, NothingIsForecastOfSeveralProcessesFromOne) {
  ClusterProfile alone = made_up_profile();
  std::erase_if(alone.messages, [](const MessageTime& m) { return m.processes > 1; });
  std::erase_if(alone.runs, [](const TrainingRun& run) { return run.features.processes > 1; });
  PredictOptions options;
  options.schemes = {Scheme::two_d_uniform};
  options.formats = {LocalFormat::csr};
  options.processes = {4};
  EXPECT_TRUE(predict_cluster(grid_matrix(30), alone, options).forecasts.empty());
  options.processes = {1};
  EXPECT_FALSE(predict_cluster(grid_matrix(30), alone, options).forecasts.empty());
}
}  // namespace
}  // namespace sparsecast::cluster
