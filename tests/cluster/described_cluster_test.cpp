#include "cluster/described/described_cluster.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>
#include <string>

#include "cluster/models/choice.hpp"
#include "forecast/model_set.hpp"
#include "made_up.hpp"
#include "support/command.hpp"
#include "support/parts.hpp"
#include "support/schema.hpp"

namespace sparsecast::cluster {
namespace {
TEST(DescribedClusters, ForecastWithoutAnyMeasurement) {
  if (!has_partitioner()) SKIP_OR_FAIL(test::parts::metis);
  const Matrix matrix = grid_matrix(300);
  PredictOptions options;
  options.schemes = {Scheme::local_rows};
  options.processes = {56, 224};
  const Prediction fast = predict_described(matrix, described("hdr200"), options);
  ASSERT_EQ(fast.forecasts.size(), 4u);  // two counts, two formats
  for (const ClusterForecast& f : fast.forecasts) {
    EXPECT_EQ(f.tier, Tier::data_sheet);
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

// What starts a team counts for every product, on a node alone as in a cluster; ranks are there already.
TEST(DescribedClusters, ARankWithAllThreadsTakesWhatItsNodeTakes) {
  if (!has_partitioner()) SKIP_OR_FAIL(test::parts::metis);
  const Matrix matrix = grid_matrix(60);
  DescribedCluster cluster = described("hdr200");
  const forecast::ModelSet node("best", cluster.node, {.threads = 56});
  const double alone = node.best(analyze(matrix), {"csr"}).at(0).seconds;
  PredictOptions options;
  options.schemes = {Scheme::local_rows};
  options.formats = {LocalFormat::csr};
  const auto core_s = [&](int ranks, int threads) {
    cluster.ranks_per_node = ranks;
    cluster.threads = threads;
    options.processes = {ranks};
    return predict_described(matrix, cluster, options).forecasts.at(0).core_s;
  };
  const double one = core_s(1, 56), teams = core_s(14, 4), apart = core_s(56, 1);
  EXPECT_NEAR(one, alone, 0.02 * alone);
  EXPECT_LT(teams, one) << "a team of four starts sooner than one of 56";
  EXPECT_LT(apart, teams) << "no thread is started";
}

// A job of fewer processes than a node has cores leaves the others idle: the same as a node with so few ranks.
TEST(DescribedClusters, FewRanksTakeWhatTheirCoresDraw) {
  const auto core_s = [](int processes, int ranks_per_node) {
    DescribedCluster cluster = described("hdr200");
    cluster.ranks_per_node = ranks_per_node;
    PredictOptions options;
    options.formats = {LocalFormat::csr};
    options.processes = {processes};
    return predict_described(stencil_of("poisson3d", 100), cluster, options).forecasts.at(0).core_s;
  };
  for (const int ranks : {1, 8}) EXPECT_DOUBLE_EQ(core_s(ranks, 56), core_s(ranks, ranks)) << ranks;
  EXPECT_GT(core_s(1, 56), 8 * core_s(56, 56)) << "one core draws less than a socket's memory gives";
}

// No job runs there, however fast it would be.
TEST(DescribedClusters, NodesThatDoNotHoldTheMatrixAreNotAdvised) {
  const auto ask = [](const std::string& question, const std::string& nodes) {
    const auto answer = test::sparsecast({"cluster", question, "--structure", "poisson3d", "--size", "1000",
                                          "--machine", "fugaku", "--nodes", nodes, "--within", "3600", "--json"},
                                         {});
    EXPECT_EQ(answer.exit_code, 0) << answer.err;
    return answer;
  };
  // 7 entries of 12 bytes in each of 10⁹ rows, and two vectors: 100 GB. A node of Fugaku has 32 GiB.
  const auto some = ask("advise", "1,2,4,8");
  EXPECT_EQ(nlohmann::json::parse(some.out)["nodes"], 4);
  EXPECT_NE(some.err.find("no forecast of 2 or fewer nodes: format and vectors take 50.0 GB of the 34.4 GB that a node "
                          "of Fugaku has"),
            std::string::npos)
      << some.err;
  EXPECT_NE(ask("predict", "1,4").err.find("no forecast of one node: format and vectors take 99.9 GB"),
            std::string::npos);
  EXPECT_EQ(ask("predict", "4").err.find("memory"), std::string::npos);
  // Nine ranks fill two nodes of three: a full one has four ninths.
  const auto partly = test::sparsecast({"cluster", "predict", "--structure", "poisson3d", "--size", "1000", "--machine",
                                        "fugaku", "--processes", "9,12"},
                                       {});
  EXPECT_NE(partly.err.find("no forecast of 9 or fewer processes: format and vectors take 44.4 GB"), std::string::npos)
      << partly.err;
  const auto none = ask("predict", "1,2");
  EXPECT_EQ(nlohmann::json::parse(none.out)["forecasts"].size(), 2U) << "of nodes that have it";
  EXPECT_NE(none.err.find("does not fit into the memory of Fugaku: format and vectors take 50.0 GB"), std::string::npos)
      << none.err;
}

TEST(DescribedClusters, MoreProcessesThanRowsAreTold) {
  const auto ask = [](const std::string& processes) {
    const auto answer = test::sparsecast({"cluster", "predict", "--structure", "poisson2d", "--size", "5", "--machine",
                                          "fugaku", "--processes", processes},
                                         {});
    EXPECT_EQ(answer.exit_code, 0) << answer.err;
    return answer.err;
  };
  EXPECT_NE(ask("4,64").find("64 processes are more than the 25 rows: dealt out by rows, 39 hold none"),
            std::string::npos)
      << ask("4,64");
  EXPECT_EQ(ask("4,25").find("rows"), std::string::npos);
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
  // Four nodes, and not as many ranks as the first has slots.
  EXPECT_EQ(hard["launch"], "mpirun -n 56 --map-by ppr:14:node:PE=4 -x OMP_NUM_THREADS=4");
}

// The limit is of all iterations, which are one where nothing is said.
TEST(DescribedClusters, AdviceTellsWhatTheLimitIsOf) {
  const auto advice = [](const std::vector<std::string>& more) {
    std::vector<std::string> words{"cluster", "advise",          "--structure", "poisson3d", "--size",  "100",
                                   "--node",  "intel-xeon-8480", "--network",   "hdr200",    "--nodes", "1,2"};
    words.insert(words.end(), more.begin(), more.end());
    return test::sparsecast(words, {}).out;
  };
  const std::string one = advice({"--within", "3600"}), many = advice({"--within", "3600", "--iterations", "1000"});
  EXPECT_NE(one.find("\n1 iteration takes "), std::string::npos) << one;
  EXPECT_NE(one.find(" of the 3600 s allowed.\n"), std::string::npos) << one;
  EXPECT_NE(many.find("\n1,000 iterations take "), std::string::npos) << many;
  EXPECT_EQ(advice({}).find("allowed"), std::string::npos);
}

TEST(DescribedClusters, NodesThatAMachineDoesNotHaveAreRefused) {
  const auto ask = [](const char* option, const char* counts) {
    return test::sparsecast({"cluster", "advise", "--structure", "poisson3d", "--size", "1000", "--machine",
                             "juwels-booster", option, counts},
                            {});
  };
  for (const auto& [option, counts] : {std::pair("--nodes", "5000"), std::pair("--processes", "8,3745")}) {
    const auto refused = ask(option, counts);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_NE(refused.err.find("juwels-booster has 936 nodes"), std::string::npos) << refused.err;
  }
  EXPECT_EQ(ask("--nodes", "936").exit_code, 0);
  // What is extrapolated there is no matter of a calibration.
  const auto few = test::sparsecast(
      {"cluster", "predict", "--structure", "poisson3d", "--size", "100", "--machine", "archer2", "--processes", "5,9"},
      {});
  EXPECT_NE(few.out.find("extrapolated: what so few ranks draw of a node's memory is not known"), std::string::npos)
      << few.out;
  EXPECT_EQ(few.out.find("calibrated"), std::string::npos) << few.out;
}

TEST(DescribedClusters, WhatIsNotForecastIsSaid) {
  const auto ask = [](std::vector<std::string> more) {
    std::vector<std::string> words{"cluster", "predict", "--structure", "poisson3d", "--size", "100"};
    words.insert(words.end(), more.begin(), more.end());
    return test::sparsecast(words, {});
  };
  const auto coo = ask({"--machine", "frontier", "--format", "coo"});
  EXPECT_EQ(coo.exit_code, 2);
  EXPECT_NE(coo.err.find("only csr can be forecast"), std::string::npos) << coo.err;
  const auto told = ask({"--machine", "frontier", "--way", "2du,l1dr", "--seed", "3", "--full"});
  EXPECT_EQ(told.exit_code, 0) << told.err;
  for (const char* const option : {"--way 2du", "--seed", "--full"})
    EXPECT_NE(told.err.find(std::string(option) + " is without effect on Frontier"), std::string::npos) << told.err;
  const auto parts = ask({"--node", "amd-epyc-7763", "--network", "hdr200", "--way", "2du,l1dr", "--nodes", "1"});
  EXPECT_NE(parts.err.find("--way 2du is without effect on amd-epyc-7763 over hdr200"), std::string::npos) << parts.err;
  EXPECT_EQ(ask({"--machine", "frontier", "--way", "l1dr"}).err, "");
}

// PETSc deals out rows: of 2du its options would start something else.
TEST(DescribedClusters, AdviceOfPetscIsOfRows) {
  const test::TemporaryFolder folder;
  const std::string matrix = folder.path() / "m.mtx", profile = folder.path() / "p.cluster.json";
  ASSERT_EQ(test::sparsecast({"generate", "poisson2d", "--size", "60", "-o", matrix}, {}).exit_code, 0);
  write_cluster_profile(made_up_profile(), profile);
  const auto ask = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"cluster", "advise", matrix, "--cluster", profile, "--processes", "4"};
    words.insert(words.end(), more.begin(), more.end());
    return test::sparsecast(words, {"SPARSECAST_HOME=" + folder.path().string()});
  };
  const auto refused = ask({"--solver", "cg", "--way", "2du"});
  EXPECT_EQ(refused.exit_code, 2) << refused.out;
  EXPECT_NE(refused.err.find("deals out rows; give --way l1dr"), std::string::npos) << refused.err;
  const auto grid = ask({"--way", "2du", "--json"});
  ASSERT_EQ(grid.exit_code, 0) << grid.err;
  EXPECT_EQ(nlohmann::json::parse(grid.out)["petsc_options"], "");
  EXPECT_EQ(ask({"--way", "2du"}).out.find("PETSc"), std::string::npos);
}

// A rank of Fugaku is a memory domain of 12 cores: started on one core each it would take twelve times as long.
TEST(DescribedClusters, RanksThatAreDomainsAreStartedWithAllTheirCores) {
  const test::TemporaryFolder folder;
  const std::string matrix = folder.path() / "m.mtx";
  ASSERT_EQ(test::sparsecast({"generate", "poisson2d", "--size", "60", "-o", matrix}, {}).exit_code, 0);
  const auto ask = [&](const std::string& question, const std::string& machine) {
    return test::sparsecast({"cluster", question, matrix, "--machine", machine, "--nodes", "1"}, {});
  };
  const auto advice = ask("advise", "fugaku");
  EXPECT_NE(advice.out.find("mpirun -n 4 --map-by slot:PE=12 -x OMP_NUM_THREADS=12"), std::string::npos) << advice.out;
  EXPECT_NE(ask("script", "fugaku").out.find("--cpus-per-task=12"), std::string::npos);
  EXPECT_NE(ask("script", "archer2").out.find("--cpus-per-task=1\n"), std::string::npos);
  // A script's iterations within its limit, in minutes where there is no colon.
  const auto limited = [&](const char* iterations, const char* limit) {
    return test::sparsecast({"cluster", "script", matrix, "--machine", "fugaku", "--nodes", "1", "--iterations",
                             iterations, "--time", limit},
                            {});
  };
  EXPECT_EQ(limited("100", "1").err, "");
  EXPECT_NE(limited("1000000", "0:01").err.find("1000000 iterations take "), std::string::npos);
  EXPECT_EQ(limited("1000000", "UNLIMITED").err, "");
  const auto boards = ask("script", "juwels-booster");
  EXPECT_EQ(boards.exit_code, 2);
  EXPECT_NE(boards.err.find("is forecast by its accelerators, and the job multiplies on processors"), std::string::npos)
      << boards.err;
}

TEST(DescribedClusters, SayThatAMatrixIsNotSquare) {
  const test::TemporaryFolder folder;
  std::string text = "%%MatrixMarket matrix coordinate pattern general\n1 3000 3000\n";
  for (int k = 1; k <= 3000; ++k) text += "1 " + std::to_string(k) + "\n";
  const auto row = folder.write("row.mtx", text);
  std::string diagonal = "%%MatrixMarket matrix coordinate pattern general\n300 300 300\n";
  for (int k = 1; k <= 300; ++k) diagonal += std::to_string(k) + " " + std::to_string(k) + "\n";
  const auto square = folder.write("square.mtx", diagonal);
  const auto ask = [&](const char* command, const std::string& file, const std::vector<std::string>& more) {
    std::vector<std::string> words{"cluster", command, file,      "--node", "intel-xeon-8480", "--network", "hdr200",
                                   "--way",   "2du",   "--nodes", "1"};
    words.insert(words.end(), more.begin(), more.end());
    const auto answer = test::sparsecast(words, {});
    EXPECT_EQ(answer.exit_code, 0) << answer.err;
    return answer;
  };
  for (const char* const command : {"predict", "advise"}) {
    const auto answer = ask(command, row.string(), {"--json"});
    EXPECT_EQ(nlohmann::json::parse(answer.out).at("square"), false) << command;
    EXPECT_NE(answer.err.find("is not square"), std::string::npos) << command;
    EXPECT_NE(ask(command, row.string(), {}).out.find("not square"), std::string::npos) << command;
    EXPECT_EQ(nlohmann::json::parse(ask(command, square.string(), {"--json"}).out).at("square"), true) << command;
  }
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
}  // namespace
}  // namespace sparsecast::cluster
