// Ranks of one node share its caches, its memory bandwidth and, where they have several, its cores.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>

#include "cluster/calibrate.hpp"
#include "cluster/cluster_profile.hpp"
#include "cluster/features/rank_timing.hpp"
#include "cluster/models/forecast.hpp"
#include "cluster/scheme/local_block.hpp"
#include "support/command.hpp"

namespace sparsecast::cluster {
namespace {

// A node whose ranks read 20 GB/s each alone, 10 GB/s each where four read from memory.
NodeCurves node_of_four() {
  NodeCurves node;
  node.bandwidth = {{8, 1, {1e5, 1e7, 1e8}, {2e10, 2e10, 2e10}}, {8, 4, {1e5, 1e7, 1e8}, {2e10, 2e10, 1e10}}};
  return node;
}

BlockFeatures block_of(double rows, double nonzeros) { return {rows, rows, nonzeros, 0, 0, 0, 0, {}}; }

TEST(NodeRates, LieBetweenTheCurves) {
  const NodeRates rates(node_of_four());
  EXPECT_DOUBLE_EQ(rates.rate(1, 1e8), 2e10);
  EXPECT_DOUBLE_EQ(rates.rate(4, 1e8), 1e10);
  EXPECT_DOUBLE_EQ(rates.rate(4, 1e6), 2e10);
  // The seconds of a byte lie on a line: two of four ranks have a third of the way from 1/20 to 1/10.
  EXPECT_DOUBLE_EQ(rates.rate(2, 1e8), 1 / (0.05e-9 + 0.05e-9 / 3));
  // More ranks than were measured have no more together.
  EXPECT_DOUBLE_EQ(rates.rate(8, 1e8), 5e9);
  EXPECT_EQ(NodeRates(NodeCurves()).rate(2, 1e6), 0);
}

TEST(NodeSharing, CostsWhatMemoryIsSlowerAndNothingWithinACache) {
  const NodeRates rates(node_of_four());
  const CacheShare caches{{32 << 10, 1 << 20, 8 << 20}};
  const BlockFeatures large = block_of(2e6, 8e6), small = block_of(1000, 5000);
  // 12 bytes an entry, 4 and 8 a row, at 10 and not 20 GB/s.
  EXPECT_NEAR(sharing_seconds(large, LocalFormat::csr, rates, caches, 4), (96e6 + 24e6) / 2e10, 1e-9);
  EXPECT_EQ(sharing_seconds(large, LocalFormat::csr, rates, caches, 1), 0);
  EXPECT_EQ(sharing_seconds(small, LocalFormat::csr, rates, caches, 4), 0);
  EXPECT_EQ(busy_ranks(2, 4), 2);
  EXPECT_EQ(busy_ranks(64, 4), 4);
}

TEST(NodeSharing, IsInTheModelsProducts) {
  ClusterProfile p;
  p.cores_per_node = 4;
  p.node = node_of_four();
  for (const double rows : {1e3, 1e4, 1e5, 1e6})
    for (const double length : {2, 5, 20})
      p.blocks.push_back({LocalFormat::csr, block_of(rows, length * rows), 1e-9 * (length + 2) * rows, "made up"});
  const CoreModel core(p);
  SchemeFeatures f;
  f.scheme = Scheme::global_rows;
  f.ranks.resize(4);
  for (RankFeatures& rank : f.ranks) rank.own = block_of(2e6, 8e6);
  const auto slowest = [&](int processes) {
    f.processes = processes;
    return core.slowest(f, LocalFormat::csr);
  };
  EXPECT_NEAR(slowest(4) - slowest(1), (96e6 + 24e6) / 2e10, 1e-9);
  for (RankFeatures& rank : f.ranks) rank.own = block_of(1e3, 5e3);
  EXPECT_DOUBLE_EQ(slowest(4), slowest(1));
}

TEST(NodeSharing, OfAPlatformIsWhatItsFileTells) {
  const test::TemporaryFolder folder;
  const auto file = [&](const std::string& inside) {
    return folder.write("p.xml", "<platform><cluster id=\"c\" prefix=\"n-\" suffix=\"\" radical=\"0-3\" core=\"8\">" +
                                     inside + "</cluster></platform>");
  };
  const Platform told = read_platform(file(
      "\n <prop id=\"memory_bandwidth\" value=\"4e10\"/><!-- a word -->\n <prop id=\"cache_bytes\" value=\"16000000\"/>"
      "<prop id=\"cache_cores\" value=\"4\"/>"));
  EXPECT_EQ(told.memory_bandwidth, 4e10);
  EXPECT_EQ(told.cache_bytes, 16000000);
  EXPECT_EQ(told.cache_cores, 4);
  EXPECT_THROW(read_platform(file("<prop id=\"memory_bandwidth\" value=\"much\"/>")), Error);

  NodeCurves host;
  host.bandwidth = {{8, 1, {1e5, 1e6, 1e7, 1e9}, {2e10, 2e10, 2e10, 1.5e10}}};
  const NodeRates rates(node_on(told, host));
  EXPECT_DOUBLE_EQ(rates.rate(1, 1e9), 1.5e10);
  EXPECT_DOUBLE_EQ(rates.rate(8, 1e9), 5e9);   // an eighth of the node's memory
  EXPECT_DOUBLE_EQ(rates.rate(8, 1e6), 2e10);  // a quarter of a cache holds it
  EXPECT_DOUBLE_EQ(rates.rate(8, 1e7), 5e9);   // … but not this
  EXPECT_EQ(NodeRates(node_on(read_platform(file("")), host)).rate(8, 1e9), 1.5e10 / 8);
}

TEST(NodeSharing, MakesSimulatedProductsLonger) {
  MatrixSpec spec;
  spec.kind = "poisson2d";
  spec.parameters = {.size = 300};
  const Matrix matrix = generate(spec);
  SimulateOptions how;
  how.caches.bytes = {1 << 10, 2 << 10, 4 << 10};
  how.timing = {1e-5, 1, 1, 0};
  how.passes = how.slowest_passes = 1;
  how.kept_blocks = 4;
  how.node = node_of_four();
  for (double& bytes : how.node.bandwidth[0].bytes) bytes /= 1000;
  for (double& bytes : how.node.bandwidth[1].bytes) bytes /= 1000;
  how.ranks_per_node = 4;
  RankTiming timing(matrix, Scheme::two_d_uniform, place(matrix, 4, 1, false), {LocalFormat::csr}, how);
  const auto& loads = timing.loads().at(LocalFormat::csr);
  const auto alone = timing.kept_blocks();
  ASSERT_EQ(alone.size(), 4u);
  for (std::size_t rank = 0; rank < 4; ++rank) {
    const BlockFeatures& f = alone[rank].features;
    EXPECT_NEAR(loads[rank].own_s - alone[rank].seconds, (12 * f.nonzeros + 12 * f.rows) / 2e10, 1e-9) << rank;
  }
}

TEST(NodeBlend, TakesTheForecastThatFollowsTheRuns) {
  // The profile's forecasts are a third too fast throughout; those by blocks are right in the middle and scatter.
  std::vector<BlendSample> samples;
  for (int k = 0; k < 20; ++k) {
    const double truth = std::pow(1.7, k);
    samples.push_back({truth, truth * (k % 2 == 0 ? 1.5 : 1 / 1.5), truth / 1.5});
  }
  const NodeBlend blend = fit_blend(samples);
  EXPECT_EQ(blend.weight, 1);
  // Half again as long, of which twenty runs are believed five eighths.
  EXPECT_NEAR(blend.seconds(7, 2), 2 * std::pow(1.5, 20. / 32), 1e-9);
  EXPECT_EQ(blend.seconds(7, 0), 7);  // the profile does not tell
  for (BlendSample& s : samples) std::swap(s.by_blocks, s.by_node);
  EXPECT_EQ(fit_blend(samples).weight, 0);
  EXPECT_EQ(fit_blend(std::span(samples).first(4)).weight, 1);  // four runs do not tell
  EXPECT_EQ(fit_blend(std::span(samples).first(2)).weight, 0);  // nor do two what its factor is
}

TEST(NodeCurves, OfRanksWithThreadsAddTheirCores) {
  const std::vector<BandwidthCurve> cores{{8, 1, {1e6}, {1e10}}, {8, 2, {1e6}, {9e9}}, {8, 4, {1e6}, {6e9}}};
  const auto ranks = of_ranks(cores, 2);
  ASSERT_EQ(ranks.size(), 2u);
  EXPECT_EQ(ranks[0].busy, 1);
  EXPECT_EQ(ranks[0].bytes, std::vector<double>{2e6});
  EXPECT_EQ(ranks[0].rate, std::vector<double>{1.8e10});
  EXPECT_EQ(ranks[1].busy, 2);
  EXPECT_EQ(ranks[1].rate, std::vector<double>{1.2e10});
}

TEST(LocalBlock, HasTheSameProductWithAnyNumberOfThreads) {
  // Rows of 0 to 6 entries, and one that outweighs all others.
  std::vector<LocalEntry> entries;
  for (std::int32_t r = 0; r < 40; ++r)
    for (std::int32_t k = 0; k < (r == 17 ? 50 : r % 7); ++k) entries.push_back({r, (3 * r + 5 * k) % 50, 0.5 + r + k});
  std::vector<double> x(50);
  std::iota(x.begin(), x.end(), 1.0);
  for (const bool listed : {false, true})
    for (const LocalFormat format : all_formats())
      for (const int threads : {2, 3, 8, 64}) {
        CsrBlock block = csr_block(40, 50, entries);
        if (listed) list_filled_rows(block);
        std::vector<double> one(40, 1.0), many(40, 1.0);
        LocalBlock(block, format).apply(x, one, listed);
        LocalBlock(block, format, threads).apply(x, many, listed);
        EXPECT_EQ(many, one) << to_string(format) << " on " << threads << ", listed " << listed;
      }
  std::vector<double> none;
  LocalBlock(csr_block(0, 0, {}), LocalFormat::csr, 4).apply(none, none, false);
}

}  // namespace
}  // namespace sparsecast::cluster
