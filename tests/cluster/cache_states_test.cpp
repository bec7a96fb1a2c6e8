// Two processes whose cores have a cache in common, or not: states told apart, curves and forecasts of each.

#include "cluster/cache_states.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cluster/models/message_curves.hpp"
#include "cluster/models/model_table.hpp"
#include "cluster/models/prediction.hpp"
#include "made_up.hpp"
#include "support/command.hpp"

namespace sparsecast::cluster {
namespace {
constexpr double common_s = 28e-9, apart_s = 170e-9;

TEST(CacheStates, TheWidestGapPartsThem) {
  const CacheStates states({30e-9, 0, 26e-9, 155e-9, 210e-9, 0, 38e-9});
  ASSERT_TRUE(states.met());
  EXPECT_DOUBLE_EQ((*states.met())[0], 30e-9);
  EXPECT_DOUBLE_EQ((*states.met())[1], 182.5e-9);
  EXPECT_EQ(states.index_of(45e-9), 0u);
  EXPECT_EQ(states.index_of(120e-9), 1u);
  EXPECT_TRUE(states.alike(26e-9, 38e-9));
  EXPECT_FALSE(states.alike(26e-9, 155e-9));
  EXPECT_TRUE(states.alike(0, 155e-9)) << "of no known state";
}

TEST(CacheStates, OneStateIsNotTwo) {
  for (const std::vector<double>& handovers : {std::vector<double>{}, {0, 0}, {28e-9}, {25e-9, 31e-9, 40e-9}}) {
    const CacheStates states(handovers);
    EXPECT_FALSE(states.met());
    EXPECT_EQ(states.index_of(1e-6), 0u);
  }
}

// Messages of two processes take four times as long apart, in every pattern; products take the same.
constexpr double longer = 4;
ClusterProfile two_states() {
  ClusterProfile p;
  p.name = "two states";
  p.cores_per_node = 2;
  p.node.bandwidth = {{8, 1, {1e4, 1e6, 1e8}, {2e10, 2e10, 2e10}}};
  p.node.latency.bytes = {1e4, 1e8};
  p.node.latency.seconds = {1e-9, 1e-7};
  p.node.fma_s = 1e-10;
  for (const double handover_s : {common_s, apart_s})
    for (const MessagePattern pattern : {MessagePattern::grid, MessagePattern::allgatherv,
                                         MessagePattern::ping_pong_near, MessagePattern::reduce, MessagePattern::bcast})
      for (double bytes = 8; bytes <= 1 << 22; bytes *= 4)
        p.messages.push_back(
            {pattern, 2, 1, bytes, 0, (handover_s == apart_s ? longer : 1) * message_truth(bytes, 2), handover_s});
  std::size_t turn = 0;
  for (const std::int64_t rows : {400, 1000, 4000, 10000, 40000})
    for (const double length : {1.0, 4.0, 16.0}) {
      const Matrix matrix = random_square(rows, length, static_cast<std::uint64_t>(rows));
      SchemeFeatures f = scheme_features(matrix, Scheme::global_rows, place(matrix, 2, 1, true), p.caches, 2);
      double core = 0;
      for (const RankFeatures& rank : f.ranks) {
        p.blocks.push_back({LocalFormat::csr, rank.own, block_truth(rank.own)});
        core = std::max(core, block_truth(rank.own));
      }
      // One matrix ran in the one state, the next in the other.
      f.handover_s = turn++ % 2 == 0 ? common_s : apart_s;
      const double vector_bytes = 8.0 * static_cast<double>(rows);  // each gathers the whole
      const double messages = (f.handover_s == apart_s ? longer : 1) * message_truth(vector_bytes, 2);
      p.runs.push_back({"random" + std::to_string(turn), false, LocalFormat::csr, 1, core + messages, core, f});
    }
  return p;
}

TEST(CacheStates, CurvesAreOfOneState) {
  const ClusterProfile p = two_states();
  const CacheStates states = CacheStates::of(p);
  ASSERT_TRUE(states.met());
  const MessageCurves common(p, states, common_s), apart(p, states, apart_s);
  for (const double bytes : {8.0, 1000.0, 1e6})
    EXPECT_NEAR(*apart.seconds(MessagePattern::grid, 2, bytes) / *common.seconds(MessagePattern::grid, 2, bytes),
                longer, 1e-9);
}

// Of sizes that were met in one state alone the other takes as much longer as with the nearest size.
TEST(CacheStates, ACurveReachesAsFarAsTheOtherStates) {
  ClusterProfile p = two_states();
  std::erase_if(p.messages,
                [](const MessageTime& m) { return m.handover_s > 1e-7 && (m.bytes > 1000 || m.bytes < 100); });
  const MessageCurves apart(p, CacheStates::of(p), apart_s);
  for (const double bytes : {8.0, 500.0, 2'000'000.0})
    EXPECT_NEAR(*apart.seconds(MessagePattern::grid, 2, bytes), longer * message_truth(bytes, 2),
                0.03 * longer * message_truth(bytes, 2));
}

// What was met in one state alone stands for both.
TEST(CacheStates, APatternThatWasNotMetIsAsItWasMet) {
  ClusterProfile p = two_states();
  std::erase_if(p.messages,
                [](const MessageTime& m) { return m.pattern == MessagePattern::bcast && m.handover_s > 1e-7; });
  const MessageCurves apart(p, CacheStates::of(p), apart_s);
  EXPECT_NEAR(*apart.seconds(MessagePattern::bcast, 2, 8), message_truth(8, 2), 1e-12);
}

TEST(CacheStates, AForecastIsOfTheStateThatIsToldAndElseHoldsBoth) {
  const ClusterProfile p = two_states();
  const Matrix matrix = random_square(2000, 3, 77);
  PredictOptions options;
  options.processes = {2};
  options.schemes = {Scheme::global_rows};
  options.formats = {LocalFormat::csr};
  options.model = "sparsecast";
  const auto one = [&] {
    const Prediction prediction = predict_cluster(matrix, p, options);
    EXPECT_EQ(prediction.forecasts.size(), 1u);
    return prediction.forecasts.at(0);
  };
  const ClusterForecast open = one();
  ASSERT_EQ(open.states.size(), 2u);
  EXPECT_DOUBLE_EQ(open.seconds, open.states[0].seconds);
  EXPECT_LE(open.low_s, open.states[0].low_s);
  EXPECT_GE(open.high_s, open.states[1].high_s);
  const SchemeFeatures f = scheme_features(matrix, Scheme::global_rows, place(matrix, 2, 1, true), p.caches, 2);
  double core = 0;
  for (const RankFeatures& rank : f.ranks) core = std::max(core, block_truth(rank.own));
  const double messages = message_truth(8.0 * static_cast<double>(matrix.rows()), 2);
  EXPECT_NEAR(open.states[0].seconds, core + messages, 0.05 * (core + messages));
  EXPECT_NEAR(open.states[1].seconds, core + longer * messages, 0.05 * (core + longer * messages));
  options.handover_s = 155e-9;
  EXPECT_DOUBLE_EQ(one().seconds, open.states[1].seconds);
  options.state_told = true;
  EXPECT_DOUBLE_EQ(one().high_s, open.states[1].high_s);
  EXPECT_DOUBLE_EQ(one().low_s, open.states[1].low_s);
}

TEST(CacheStates, AFileKeepsThemAndAFileWithoutThemIsRead) {
  const test::TemporaryFolder folder;
  const ClusterProfile p = two_states();
  write_cluster_profile(p, folder.path() / "p.json");
  const ClusterProfile again = read_cluster_profile(folder.path() / "p.json");
  ASSERT_EQ(again.messages.size(), p.messages.size());
  EXPECT_DOUBLE_EQ(again.messages.back().handover_s, apart_s);
  EXPECT_DOUBLE_EQ(again.runs[1].features.handover_s, apart_s);
  EXPECT_TRUE(CacheStates::of(again).met());
  write_cluster_profile(made_up_profile(), folder.path() / "q.json");
  EXPECT_EQ(test::read_text(folder.path() / "q.json").find("handover"), std::string::npos);
  EXPECT_FALSE(CacheStates::of(read_cluster_profile(folder.path() / "q.json")).met());
}
}  // namespace
}  // namespace sparsecast::cluster
