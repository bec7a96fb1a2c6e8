#include "cluster/described/stencil.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>
#include <string>

#include "cluster/described/described_cluster.hpp"
#include "made_up.hpp"
#include "support/command.hpp"
#include "support/parts.hpp"

namespace sparsecast::cluster {
namespace {
// 20³ points on two nodes of four ranks: boxes of 10³, of which one at the node's edge has two neighbours beside it.
TEST(Stencils, AreDealtInBoxesOfLeastSurface) {
  const Stencil cube = stencil_of("poisson3d", 20);
  EXPECT_EQ(cube.nonzeros(), 7 * 8000 - 6 * 400);
  const NodeShare share = share_of(cube, 8, 4, Precision::double_);
  EXPECT_EQ(share.features.load.messages, 3);
  EXPECT_EQ(share.features.load.near_bytes, 2 * 8 * 100);
  EXPECT_EQ(share.features.load.far_bytes, 8 * 100);
  EXPECT_EQ(share.features.load.node_bytes, 8 * 400);
  EXPECT_EQ(share.node.rows, 4000);
  // With corners each of the seven others sends: faces of 100, edges of 10, one point.
  const MessageLoad corners = share_of(stencil_of("stencil27", 20), 8, 4, Precision::double_).features.load;
  EXPECT_EQ(corners.messages, 7);
  EXPECT_EQ(corners.near_bytes + corners.far_bytes, 8 * (11 * 11 * 11 - 10 * 10 * 10));
  const MessageLoad alone = share_of(cube, 1, 4, Precision::double_).features.load;
  EXPECT_EQ(alone.messages + alone.near_bytes + alone.far_bytes + alone.node_bytes, 0);
  const MessageLoad flat = share_of(stencil_of("poisson2d", 30), 9, 1, Precision::single_).features.load;
  EXPECT_EQ(flat.messages, 4);
  EXPECT_EQ(flat.far_bytes, 4 * 4 * 10);
  EXPECT_THROW((void)stencil_of("poisson4d", 10), Error);
  EXPECT_THROW((void)stencil_of("poisson3d", 0), Error);
}

// More boxes than points: some are empty, a point has no more neighbours than the stencil, and a plane is not cut
// through its one layer.
TEST(Stencils, AreNotDealtInMoreBoxesThanTheyHavePoints) {
  for (const int processes : {1, 2, 7, 64, 4096, 65536})
    for (const int on_node : {1, 64}) {
      const auto load = [&](const char* kind, std::int64_t size) {
        return share_of(stencil_of(kind, size), processes, on_node, Precision::double_, ShareDetail::sizes)
            .features.load;
      };
      for (const char* const kind : {"poisson2d", "poisson3d", "stencil27"}) {
        const MessageLoad one = load(kind, 1);
        EXPECT_EQ(one.messages + one.near_bytes + one.far_bytes + one.node_bytes, 0) << kind << " on " << processes;
      }
      for (const std::int64_t size : {2, 3, 10, 30, 50, 100}) {
        EXPECT_LE(load("poisson2d", size).messages, 4) << size << " on " << processes;
        EXPECT_LE(load("poisson3d", size).messages, 6) << size << " on " << processes;
      }
    }
}

TEST(Stencils, AreForecastAsTheMatrixIs) {
  if (!has_partitioner()) SKIP_OR_FAIL(test::parts::metis);
  MatrixSpec spec;
  spec.kind = "poisson3d";
  spec.parameters = {.size = 90};
  PredictOptions options;
  options.schemes = {Scheme::local_rows};
  options.processes = {56, 112};
  const Prediction made = predict_described(generate(spec), described("hdr200"), options);
  const Prediction told = predict_described(stencil_of("poisson3d", 90), described("hdr200"), options);
  ASSERT_EQ(told.forecasts.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(told.forecasts[k].format, made.forecasts[k].format);
    EXPECT_NEAR(told.forecasts[k].core_s / made.forecasts[k].core_s, 1, 0.25) << k;
    EXPECT_NEAR(told.forecasts[k].communication_s / made.forecasts[k].communication_s, 1, 0.5) << k;
  }
}

// Ranks fill nodes in order: of 65 on nodes of 64 the first has 64 sixty-fifths of the rows, and not half of them.
TEST(Stencils, OnNodesThatAreNotAllFullTakeWhatTheFullOnesTake) {
  const Stencil cube = stencil_of("poisson3d", 400);
  const auto rows = [&](int processes) {
    return static_cast<double>(share_of(cube, processes, 64, Precision::double_, ShareDetail::sizes).node.rows);
  };
  for (const int processes : {65, 96, 100, 127, 129, 150, 193, 1000})
    EXPECT_NEAR(rows(processes) / (64 * 64e6 / processes), 1, 0.06) << processes;
  PredictOptions options;
  options.schemes = {Scheme::local_rows};
  options.formats = {LocalFormat::csr};
  options.processes = {64, 65, 100, 127, 128};
  DescribedCluster cluster = described("hdr200");
  cluster.node = described_profile(describe_device("amd-epyc-7763"));
  const Prediction told = predict_described(cube, cluster, options);
  ASSERT_EQ(told.forecasts.size(), 5u);
  for (std::size_t k = 1; k < 5; ++k) EXPECT_LT(told.forecasts[k].core_s, told.forecasts[k - 1].core_s) << k;
  EXPECT_GT(told.forecasts[1].seconds, 0.9 * told.forecasts[0].seconds) << "65 processes are not two full nodes";
  if (!has_partitioner()) SKIP_OR_FAIL(test::parts::metis);
  MatrixSpec spec;
  spec.kind = "poisson3d";
  spec.parameters = {.size = 40};
  options.processes = {64, 65, 128};
  const Prediction made = predict_described(generate(spec), cluster, options);
  const Prediction small = predict_described(stencil_of("poisson3d", 40), cluster, options);
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(small.forecasts.at(k).core_s / made.forecasts.at(k).core_s, 1, 0.25) << k;
}

TEST(Stencils, OfAnySizeAreForecastWithoutAMatrix) {
  const std::vector<std::string> words{"cluster", "predict", "--structure",     "poisson3d", "--size",
                                       "4000",    "--node",  "intel-xeon-8480", "--network", "hdr200",
                                       "--nodes", "64,1024", "--json"};
  const auto answer = test::sparsecast(words, {});
  ASSERT_EQ(answer.exit_code, 0) << answer.err;
  const auto document = nlohmann::json::parse(answer.out);
  EXPECT_EQ(document["matrix"]["nonzeros"], 7 * 64'000'000'000 - 6 * 16'000'000);
  ASSERT_EQ(document["scaling"].size(), 2u);
  // Sixteen times the nodes of products that no cache holds: sixteen times as fast, and the faces a sixth.
  EXPECT_NEAR(document["scaling"][1]["efficiency"].get<double>(), document["scaling"][0]["efficiency"].get<double>(),
              0.2);
  EXPECT_EQ(
      test::sparsecast({"cluster", "predict", "--structure", "poisson3d", "--node", "intel-xeon-8480"}, {}).exit_code,
      2);
  EXPECT_EQ(test::sparsecast({"cluster", "predict", "--node", "intel-xeon-8480", "--network", "edr"}, {}).exit_code, 2);
}
}  // namespace
}  // namespace sparsecast::cluster
