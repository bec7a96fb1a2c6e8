// Clusters from descriptions, intervals, the decision's cost, and the plan for users' own programs.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>

#include "cluster/described/described_cluster.hpp"
#include "cluster/models/forecast.hpp"
#include "cluster/node/node_time.hpp"
#include "support/command.hpp"
#include "support/parts.hpp"
#include "support/schema.hpp"

namespace sparsecast::cluster {
namespace {

Matrix grid_matrix(std::int64_t side) {
  MatrixSpec spec;
  spec.kind = "poisson2d";
  spec.parameters = {.size = side};
  return generate(spec);
}

Network plain_network() { return {"plain", 1e9, 1, 1e-6, 0, "made up"}; }

TEST(Networks, ThatShipAreWholeAndFitTheirSchema) {
  const auto names = described_networks();
  EXPECT_GE(names.size(), 10u);
  for (const char* const known : {"hdr200", "hdr100", "edr", "fdr", "ndr400", "slingshot11", "omnipath100", "100gbe"})
    EXPECT_NE(std::ranges::find(names, known), names.end()) << known;
  for (const std::string& name : names) {
    const Network network = network_of(name);
    EXPECT_EQ(network.name, name);
    EXPECT_FALSE(network.source.empty()) << name;
    EXPECT_LT(network.message_s, network.latency_s) << name;
    if (!test::can_validate()) SKIP_OR_FAIL(test::parts::schemas);
    EXPECT_TRUE(test::fits_its_schema(
        test::read_text(std::string(SPARSECAST_SOURCE_DIR) + "/profiles/networks/" + name + ".json")));
  }
}

TEST(Networks, BadOnesAreRefusedWithTheField) {
  const test::TemporaryFolder folder;
  const auto reason = [&](const std::string& text) {
    try {
      (void)network_of(folder.write("n.json", text).string());
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      return error.reason();
    }
    return std::string("accepted");
  };
  EXPECT_NE(reason(R"({"name":"n","latency_s":1e-6,"message_s":0})").find("bandwidth"), std::string::npos);
  EXPECT_NE(reason(R"({"name":"n","bandwidth":-1,"latency_s":1e-6,"message_s":0})").find("bandwidth is -1"),
            std::string::npos);
  EXPECT_NE(reason("{").find("not a network description"), std::string::npos);
  // Never the words of the parser below ours, and the place.
  for (const std::string& number : {std::string("1e999"), std::string(400, '9'), std::string("\xff")})
    EXPECT_EQ(reason("{\"name\": \"n\",\n\"bandwidth\": " + number + "}").find("json.exception"), std::string::npos);
  EXPECT_NE(reason(std::string(100'000, '[')), "accepted");
  try {
    (void)network_from_text("{\"name\": \"n\",\n\"bandwidth\": 1e999}", "n.json");
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.place().line, 2);
  }
  try {
    (void)network_of("hdr20");
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_NE(error.remedy().find("hdr200"), std::string::npos);
  }
}

SchemeFeatures exchange(int processes, double messages, double near, double far, double node) {
  SchemeFeatures f;
  f.scheme = Scheme::local_rows;
  f.processes = processes;
  f.load = {messages, near, far, node, 0};
  return f;
}

TEST(MessageTimes, AddLatencyAndWhatBytesPassThrough) {
  const NearMessages near{1e-7, 1e10, 1e11};
  EXPECT_EQ(message_seconds(exchange(1, 0, 0, 0, 0), plain_network(), near, 4).seconds(), 0);
  // 2000 bytes into one rank, 4000 into its node, at 1 GB/s; 1000 from beside it at 10 GB/s.
  const MessageSeconds t = message_seconds(exchange(8, 3, 1000, 2000, 4000), plain_network(), near, 4);
  EXPECT_DOUBLE_EQ(t.latency_s, 1e-6);
  EXPECT_DOUBLE_EQ(t.bandwidth_s, 4e-6 + 1e-7);
  // Two adapters take the node's bytes at twice the rate; one rank's still go through one.
  Network two = plain_network();
  two.rails = 2;
  EXPECT_DOUBLE_EQ(message_seconds(exchange(8, 3, 1000, 2000, 4000), two, near, 4).bandwidth_s, 2e-6 + 1e-7);
}

TEST(NodeMatrix, HoldsTheBlocksOfItsRanksAndNothingElse) {
  if (!has_partitioner()) SKIP_OR_FAIL(test::parts::metis);
  const Matrix matrix = grid_matrix(20);
  const Placement placement = place(matrix, 8, 1, true);
  const SchemeFeatures f = scheme_features(matrix, Scheme::local_rows, placement, {}, 4);
  double nonzeros = 0, columns = 0;
  for (int rank = 4; rank < 8; ++rank) {
    const RankFeatures& one = f.ranks[static_cast<std::size_t>(rank)];
    nonzeros += one.own.nonzeros + one.remote.nonzeros;
    columns += one.own.columns + one.received;
  }
  const Matrix node = node_matrix(matrix, Scheme::local_rows, placement, 4, 8);
  EXPECT_TRUE(node.is_canonical());
  EXPECT_EQ(node.nonzeros(), static_cast<std::int64_t>(nonzeros));
  EXPECT_EQ(node.cols(), static_cast<std::int64_t>(columns));
  // All of x on every rank, as far as there is room.
  EXPECT_EQ(node_matrix(matrix, Scheme::global_rows, placement, 0, 4).cols(), 4 * 400);
  EXPECT_EQ(node_matrix(matrix, Scheme::global_rows, placement, 0, 4, 800).cols(), 800);
}

DescribedCluster described(const char* network) {
  return {described_profile(describe_device("intel-xeon-8480")), network_of(network), 0};
}

TEST(DescribedClusters, ForecastWithoutAnyMeasurement) {
  if (!has_partitioner()) SKIP_OR_FAIL(test::parts::metis);
  const Matrix matrix = grid_matrix(300);
  PredictOptions options;
  options.schemes = {Scheme::local_rows};
  options.processes = {56, 224};
  const Prediction fast = predict_described(matrix, described("hdr200"), options);
  ASSERT_EQ(fast.forecasts.size(), 4u);  // two counts, two formats
  for (const ClusterForecast& f : fast.forecasts) {
    EXPECT_EQ(f.tier, "data sheet");
    EXPECT_EQ(f.nodes, f.processes / 56);
    EXPECT_GT(f.core_s, 0);
    EXPECT_GT(f.communication_s, 0);
    EXPECT_DOUBLE_EQ(f.seconds, f.core_s + f.communication_s);
    EXPECT_LT(f.low_s, f.seconds);
    EXPECT_GT(f.high_s, f.seconds);
  }
  EXPECT_LT(fast.forecasts[2].core_s, fast.forecasts[0].core_s);
  // A slower network leaves one node as it is.
  const Prediction slow = predict_described(matrix, described("25gbe"), options);
  EXPECT_DOUBLE_EQ(slow.forecasts[2].core_s, fast.forecasts[2].core_s);
  EXPECT_GT(slow.forecasts[2].communication_s, 5 * fast.forecasts[2].communication_s);
}

// 20³ points on two nodes of four ranks: boxes of 10³, of which one at the node's edge has two neighbours beside it.
TEST(Stencils, AreDealtInBoxesOfLeastSurface) {
  const Stencil cube = stencil_of("poisson3d", 20);
  EXPECT_EQ(cube.nonzeros(), 7 * 8000 - 6 * 400);
  const StencilShare share = share_of(cube, 8, 4, Precision::double_);
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

TEST(DescribedClusters, AdviceTellsHowToStart) {
  const std::vector<std::string> words{
      "cluster",   "advise",  "--structure",      "stencil27", "--size",         "500", "--node",  "intel-xeon-8480",
      "--network", "hdr200",  "--ranks-per-node", "14",        "--rank-threads", "4",   "--nodes", "1,2,4",
      "--json",    "--within"};
  const auto advice = [&](const std::string& seconds) {
    std::vector<std::string> all = words;
    all.push_back(seconds);
    const auto answer = test::sparsecast(all, {});
    EXPECT_EQ(answer.exit_code, 0) << answer.err;
    EXPECT_TRUE(!test::can_validate() || test::fits_its_schema(answer.out));
    return nlohmann::json::parse(answer.out);
  };
  const auto easy = advice("3600"), hard = advice("1e-9");
  EXPECT_EQ(easy["nodes"], 1);
  EXPECT_EQ(easy["possible"], true);
  EXPECT_EQ(easy["launch"], "mpirun -n 14 --map-by slot:PE=4 -x OMP_NUM_THREADS=4");
  EXPECT_NE(easy["petsc_options"].get<std::string>().find("-mat_sparsecast_threads 4"), std::string::npos);
  EXPECT_EQ(hard["possible"], false);
  EXPECT_EQ(hard["nodes"], 4);
}

TEST(DescribedClusters, OfGpusAreRefused) {
  DescribedCluster gpus{described_profile(describe_device("nvidia-h100")), network_of("hdr200"), 4};
  PredictOptions options;
  options.processes = {4};
  EXPECT_THROW(predict_described(grid_matrix(10), gpus, options), Error);
}

TEST(DescribedClusters, CommandAnswersOnAScreenAndInItsSchema) {
  if (!has_partitioner()) SKIP_OR_FAIL(test::parts::metis);
  const test::TemporaryFolder folder;
  const std::vector<std::string> home{"SPARSECAST_HOME=" + folder.path().string()};
  const std::string matrix = folder.path() / "m.mtx";
  ASSERT_EQ(test::sparsecast({"generate", "poisson2d", "--size", "60", "-o", matrix}, home).exit_code, 0);
  std::vector<std::string> words{"cluster",         "predict",          matrix, "--node",
                                 "intel-xeon-8480", "--network",        "edr",  "--nodes",
                                 "1,2,4,8",         "--ranks-per-node", "16"};
  const auto text = test::sparsecast(words, home);
  ASSERT_EQ(text.exit_code, 0) << text.err;
  EXPECT_LE(std::ranges::count(text.out, '\n'), 30);
  EXPECT_NE(text.out.find("node hours"), std::string::npos);
  words.insert(words.end(), {"--within", "3600", "--json"});
  const auto json = test::sparsecast(words, home);
  ASSERT_EQ(json.exit_code, 0) << json.err;
  if (!test::can_validate()) SKIP_OR_FAIL(test::parts::schemas);
  EXPECT_TRUE(test::fits_its_schema(json.out));
  EXPECT_EQ(nlohmann::json::parse(json.out)["within"]["choice"]["nodes"], 1);
  EXPECT_EQ(test::sparsecast({"cluster", "predict", matrix, "--node", "intel-xeon-8480"}, home).exit_code, 2);
}

// A model whose left-out errors are known.
class KnownErrors final : public ClusterModel {
 public:
  explicit KnownErrors(std::vector<double> errors) : ClusterModel(1), errors_(std::move(errors)) {}
  [[nodiscard]] std::string name() const override { return "known"; }
  [[nodiscard]] std::optional<ClusterForecast> forecast(const SchemeFeatures&, LocalFormat) const override {
    return {};
  }
  [[nodiscard]] std::vector<double> left_out_errors(Scheme, LocalFormat format, int) const override {
    return format == LocalFormat::csr ? errors_ : std::vector<double>();
  }

 private:
  std::vector<double> errors_;
};

ClusterForecast one_second(int processes) {
  ClusterForecast f;
  f.processes = f.nodes = processes;
  f.seconds = 1;
  return f;
}

TEST(Intervals, HoldNineTenthsOfWhatWasLeftOut) {
  std::vector<double> errors;
  for (int k = 1; k <= 19; ++k) errors.push_back((k % 2 == 0 ? 0.01 : -0.01) * k);  // 1 % … 19 %
  ClusterForecast f = one_second(4);
  set_interval(f, KnownErrors(errors), {1, 4});
  EXPECT_DOUBLE_EQ(f.high_s, std::exp(0.18));
  EXPECT_DOUBLE_EQ(f.low_s, std::exp(-0.18));
  // Two factors of two beyond what was calibrated: twice as wide.
  ClusterForecast beyond = one_second(16);
  set_interval(beyond, KnownErrors(errors), {1, 4});
  EXPECT_DOUBLE_EQ(beyond.high_s, std::exp(0.36));
  // Nothing known: a factor e.
  ClusterForecast unknown = one_second(4);
  set_interval(unknown, KnownErrors({}), {4});
  EXPECT_DOUBLE_EQ(unknown.high_s, std::exp(1.0));
}

ClusterForecast parted(int processes, double core, double messages, double latency = 0) {
  ClusterForecast f = one_second(processes);
  f.model = "sparsecast";
  f.core_s = core;
  f.communication_s = messages;
  f.latency_s = latency;
  f.seconds = core + messages;
  return f;
}

TEST(Choice, TellsWhereScalingEndsAndWhy) {
  EXPECT_EQ(choose({parted(1, 8, 0), parted(4, 2, 1), parted(16, 0.5, 4)}).end.reason, "messages");
  EXPECT_EQ(choose({parted(1, 8, 0), parted(4, 2, 1), parted(16, 0.5, 4, 3)}).end.reason, "latency");
  const ScalingEnd end = choose({parted(1, 8, 0), parted(4, 5, 0.1), parted(16, 5, 0.2)}).end;
  EXPECT_EQ(end.reason, "products");
  EXPECT_EQ(end.processes, 4);
  EXPECT_TRUE(end.seen);
  EXPECT_FALSE(choose({parted(1, 8, 0), parted(4, 2, 1)}).end.seen);
}

TEST(Choice, TakesTheFewestNodesThatAreInTime) {
  const std::vector<ClusterForecast> forecasts{parted(1, 8, 0), parted(4, 2, 1), parted(16, 0.5, 1)};
  const auto found = done_within(forecasts, 300, 100);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->processes, 4);
  EXPECT_DOUBLE_EQ(node_hours(*found, 100), 4 * 300 / 3600.0);
  EXPECT_FALSE(done_within(forecasts, 100, 100));
}

TEST(SolverExample, SolvesOnRealRanks) {
  if (!has_partitioner()) SKIP_OR_FAIL(test::parts::metis);
  const test::TemporaryFolder folder;
  const std::vector<std::string> home{"SPARSECAST_HOME=" + folder.path().string()};
  const std::string matrix = folder.path() / "m.mtx", program = folder.path() / "solver";
  ASSERT_EQ(test::sparsecast({"generate", "poisson2d", "--size", "24", "-o", matrix}, home).exit_code, 0);
  for (const char* const processes : {"2", "4"}) {
    const std::string place = folder.path() / processes;
    const auto written = test::sparsecast({"cluster", "script", matrix, "--node", "intel-xeon-8480", "--network", "edr",
                                           "--ranks-per-node", "2", "--processes", processes, "--solver", place},
                                          home);
    ASSERT_EQ(written.exit_code, 0) << written.err;
    const auto built =
        test::run_program("sh", {"-c", "test -x " + program + " || mpicxx -DOMPI_SKIP_MPICXX -std=c++20 -O1 -Wall " +
                                           place + "/solver.cpp -o " + program});
    if (built.exit_code == 127) SKIP_OR_FAIL(test::parts::mpi);
    ASSERT_EQ(built.exit_code, 0) << built.err;
    const auto run =
        test::run_program("mpirun", {"--oversubscribe", "-n", processes, program, matrix, place + "/parts.txt", "300"},
                          {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    // Conjugate gradients find the solution only where every product is right.
    const auto at = run.out.find("residual ");
    ASSERT_NE(at, std::string::npos) << run.out;
    EXPECT_LT(std::strtod(run.out.c_str() + at + 9, nullptr), 1e-8) << run.out;
  }
}

}  // namespace
}  // namespace sparsecast::cluster
