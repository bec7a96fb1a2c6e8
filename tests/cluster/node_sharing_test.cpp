#include "cluster/node_sharing.hpp"

#include <gtest/gtest.h>

#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>
#include <string>

#include "cluster/models/core_model.hpp"
#include "cluster/simulate/simulate.hpp"
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
}  // namespace
}  // namespace sparsecast::cluster
