// The three schemes under the launcher that is here: right vectors, memory, failures. Skipped where there is no MPI.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <sparsecast/generate.hpp>
#include <sparsecast/write.hpp>

#include "cluster/features/simulated_load.hpp"
#include "cluster/launch/measure.hpp"
#include "cluster/launch/platform.hpp"
#include "cluster/scheme/partition.hpp"
#include "made_up.hpp"
#include "mpi.hpp"
#include "support/command.hpp"
#include "support/parts.hpp"
#include "support/schema.hpp"

namespace sparsecast::cluster {
namespace {

using nlohmann::json;
using test::CommandResult;
using test::sparsecast;
using test::TemporaryFolder;

const std::string tiny =
    "%%MatrixMarket matrix coordinate real general\n% rows 2 is empty\n3 3 4\n1 1 2\n1 3 -1\n3 2 4\n3 3 0.5\n";

class Runs : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_mpi()) SKIP_OR_FAIL(test::parts::mpi);
  }
  TemporaryFolder folder;
  std::vector<std::string> home() const { return {"SPARSECAST_HOME=" + folder.path().string()}; }

  CommandResult measure(const std::string& file, const std::vector<std::string>& options) {
    std::vector<std::string> words{"cluster", "measure", file, "--json", "--budget", "0.01"};
    words.insert(words.end(), options.begin(), options.end());
    return sparsecast(words, home());
  }

  void expect_right_vectors(const std::string& file, const std::string& processes) {
    for (const char* const iterations : {"1", "50"}) {
      const CommandResult result = measure(file, {"--processes", processes, "--iterations", iterations});
      ASSERT_EQ(result.exit_code, 0) << result.err;
      const json document = json::parse(result.out);
      EXPECT_FALSE(document.at("measurements").empty());
      for (const json& m : document.at("measurements")) {
        EXPECT_LT(m.at("checksum_error").get<double>(), 1e-10) << m;
        EXPECT_EQ(m.at("source"), "measured");
        EXPECT_EQ(m.at("nodes"), 1) << "however many processes, this machine is one";
        EXPECT_GT(m.at("seconds").get<double>(), 0);
      }
    }
  }

  std::string made(const std::string& kind, std::int64_t rows, double row_length,
                   const MatrixParameters& parameters = {}) {
    MatrixSpec spec;
    spec.kind = kind;
    spec.rows = rows;
    spec.row_length = row_length;
    spec.parameters = parameters;
    spec.seed = 9;
    const auto file = folder.path() / (kind + ".mtx");
    write_matrix_market(generate(spec), file);
    return file.string();
  }

  // A launcher that wraps mpirun: `body` is run by every rank's shell before the rank program "$@".
  std::string wrapping(const std::string& body) {
    const auto rank = folder.write("rank.sh", "#!/bin/bash\n" + body + "\nexec \"$@\"\n");
    // The command hands over: -n P program folder.
    const auto launcher =
        folder.write("launcher.sh", "#!/bin/bash\nexec mpirun \"$1\" \"$2\" " + rank.string() + " \"${@:3}\"\n");
    for (const auto& file : {rank, launcher}) chmod(file.c_str(), 0700);
    return launcher.string();
  }
};

TEST_F(Runs, SymmetricMatrix) { expect_right_vectors(made("poisson2d", 0, 0, {.size = 23}), "1,2,3,4"); }
TEST_F(Runs, UnsymmetricMatrix) { expect_right_vectors(made("random", 700, 6), "2,4"); }
TEST_F(Runs, PowerLawMatrix) { expect_right_vectors(made("powerlaw", 900, 7), "4,9"); }
TEST_F(Runs, GridsThatAreNotSquare) { expect_right_vectors(made("random", 101, 5), "6"); }
TEST_F(Runs, ProcessesWithThreads) {
  const std::string file = made("random", 900, 6);
  const CommandResult result = measure(file, {"--processes", "2", "--rank-threads", "2", "--iterations", "3"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json document = json::parse(result.out);
  ASSERT_EQ(document.at("measurements").size(), 4u);
  for (const json& m : document.at("measurements")) {
    EXPECT_LT(m.at("checksum_error").get<double>(), 1e-10) << m;
    EXPECT_EQ(m.at("threads"), 2);
  }
  EXPECT_EQ(measure(file, {"--processes", "2", "--rank-threads", "2", "--platform", "p.xml"}).exit_code, 2);
}
TEST_F(Runs, SinglePrecision) {
  for (const std::string& file : {made("poisson2d", 0, 0, {.size = 23}), made("powerlaw", 900, 7)}) {
    const CommandResult result = measure(file, {"--processes", "2,4", "--iterations", "20", "--precision", "single"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const json document = json::parse(result.out);
    ASSERT_EQ(document.at("measurements").size(), 10u);  // 2du has no grid of two
    for (const json& m : document.at("measurements")) {
      EXPECT_EQ(m.at("precision"), "single");
      EXPECT_LT(m.at("checksum_error").get<double>(), 1e-5) << m;  // 2^-24 is 6e-8
      EXPECT_GT(m.at("checksum_error").get<double>(), 1e-12) << "computed in double precision: " << m;
    }
  }
  EXPECT_EQ(measure(folder.write("t.mtx", tiny).string(), {"--precision", "single", "--platform", "p.xml"}).exit_code,
            2);
}
TEST_F(Runs, EmptyRows) { expect_right_vectors(made("random", 400, 0.7), "4"); }
TEST_F(Runs, MoreProcessesThanRows) { expect_right_vectors(folder.write("three.mtx", tiny).string(), "4,5"); }

TEST_F(Runs, FileFormsAgree) {
  // One triangle, pattern, comments, blank lines, no line end at the end: read in parts, and whole where compressed.
  std::string text = "%%MatrixMarket matrix coordinate pattern symmetric\n%\n\n40 40 79\n";
  for (int k = 1; k <= 40; ++k) text += std::to_string(k) + " " + std::to_string(k) + (k % 7 == 0 ? "\n\n" : "\n");
  for (int k = 1; k < 40; ++k) text += std::to_string(k + 1) + "  " + std::to_string(k) + (k == 39 ? "" : "\n");
  const auto plain = folder.write("pattern.mtx", text);
  expect_right_vectors(plain.string(), "4");
  ASSERT_EQ(test::run_program("gzip", {"-k", plain.string()}).exit_code, 0);
  expect_right_vectors(plain.string() + ".gz", "4");
}

TEST_F(Runs, MemoryOfARankIsBoundedByItsShare) {
  const std::string file = made("random", 60000, 40);
  constexpr double rows = 6e4, entries = 2.4e6, ranks = 4;
  // While a rank assembles it holds its entries in vectors that grow by doubling, the block made of them (12 bytes an
  // entry) and a few chunks of a megabyte. 2du: entries of 16 bytes. By rows: 16 bytes and 8 for the column, the
  // columns once more to find the distinct ones, and the entries once more with local columns. The whole matrix would
  // add as much for the shares of the three others.
  const std::pair<const char*, double> bytes_per_entry[] = {
      {"2du", 3 * 16 + 12}, {"g1dr", 3 * (16 + 8) + 8 + 16 + 12}, {"l1dr", 3 * (16 + 8) + 8 + 3 * 16 + 12}};
  for (const auto& [scheme, bytes] : bytes_per_entry) {
    // 2du unchecked: no process, the command neither, holds the whole matrix.
    const CommandResult result =
        measure(file, {"--processes", "4", "--way", scheme, "--format", "csr", "--no-check", "--iterations", "2"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const json memory = json::parse(result.out).at("rank_memory").at(0);
    for (std::size_t rank = 0; rank < 4; ++rank) {
      const double grown = memory.at("peak_bytes")[rank].get<double>() - memory.at("base_bytes")[rank].get<double>();
      EXPECT_LT(grown, entries / ranks * bytes + 3 * 8 * rows + 16e6) << scheme << " rank " << rank;
      EXPECT_GT(grown, entries / ranks * 12) << scheme << " rank " << rank << ": less than its block takes";
    }
  }
}

TEST_F(Runs, WrongCountIsAUsageError) {
  const CommandResult result =
      measure(folder.write("t.mtx", tiny), {"--processes", "3", "--way", "2du", "--format", "csr"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("not a product of two numbers"), std::string::npos);
}

TEST_F(Runs, ARectangularMatrixIsMultipliedByTheSameVectorAsOftenAsAsked) {
  for (const auto& [rows, cols] : {std::pair(60, 23), std::pair(23, 60)}) {
    std::string text = "%%MatrixMarket matrix coordinate real general\n" + std::to_string(rows) + ' ' +
                       std::to_string(cols) + " 120\n";
    for (int k = 0; k < 120; ++k)
      text += std::to_string(1 + k % rows) + ' ' + std::to_string(1 + (k * 7 + k / rows) % cols) + ' ' +
              std::to_string(k - 50) + '\n';
    const auto file = folder.write("r.mtx", text);
    for (const std::string iterations : {"1", "30"}) {  // with the same x: always the same y
      const CommandResult result = measure(file, {"--processes", "4", "--iterations", iterations});
      ASSERT_EQ(result.exit_code, 0) << result.err;
      const json document = json::parse(result.out);
      ASSERT_EQ(document.at("measurements").size(), 6u);
      EXPECT_EQ(document.at("square"), false);
      EXPECT_EQ(document.at("iterations"), std::stoi(iterations));
      EXPECT_NE(result.err.find("is not square: an iteration is a product y = A·x"), std::string::npos) << result.err;
      for (const json& m : document.at("measurements")) EXPECT_LT(m.at("checksum_error").get<double>(), 1e-10) << m;
      const CommandResult parts = measure(
          file, {"--processes", "4", "--way", "2du", "--format", "csr", "--no-check", "--iterations", iterations});
      EXPECT_EQ(parts.exit_code, 0) << parts.err;
      EXPECT_EQ(json::parse(parts.out).at("square"), false);  // though nobody here has seen the matrix
    }
  }
}

TEST_F(Runs, ABadFileEndsAllRanksWithOneLine) {
  const std::pair<std::string, std::string> cases[] = {
      {"cut off", "%%MatrixMarket matrix coordinate real general\n5 5 3\n1 1 1\n"},
      {"bad number", "%%MatrixMarket matrix coordinate real general\n5 5 3\n1 1 1\n2 2 x\n3 3 1\n"},
      {"out of range", "%%MatrixMarket matrix coordinate real general\n5 5 3\n1 1 1\n2 9 1\n3 3 1\n"},
      {"too many", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1\n2 2 1\n"},
      {"huge", "%%MatrixMarket matrix coordinate real general\n5 5 99999999999\n1 1 1\n"},
  };
  for (const auto& [name, text] : cases)
    for (const bool by_ranks : {false, true}) {
      std::vector<std::string> options{"--processes", "4", "--way", "2du", "--format", "csr"};
      if (by_ranks) options.emplace_back("--no-check");
      const CommandResult result = measure(folder.write("bad.mtx", text), options);
      EXPECT_EQ(result.exit_code, 3) << name << ": " << result.err;
      EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    }
  // The line is that of the file although rank 3 found it in its own range.
  std::string text = "%%MatrixMarket matrix coordinate real general\n% a comment\n100 100 100\n";
  for (int k = 1; k <= 100; ++k) text += k == 97 ? "97 x 1\n" : std::to_string(k) + " 1 1\n";
  const CommandResult result =
      measure(folder.write("late.mtx", text), {"--processes", "4", "--way", "2du", "--format", "csr", "--no-check"});
  EXPECT_NE(result.err.find("late.mtx:100:"), std::string::npos) << result.err;
}

TEST_F(Runs, AFileThatOneRankCannotSeeNamesTheRank) {
  // The rank program by hand, on a job that names its matrix relative to the current folder; rank 2 stands elsewhere.
  made("poisson2d", 0, 0, {.size = 12});
  folder.write(
      "job.json",
      R"({"task":"measure","matrix":{"file":"poisson2d.mtx","form":"market"},"cases":[{"way":"2du","format":"csr"}],
    "iterations":1,"seed":1,"budget_s":0.01,"keep_vectors":false,"largest_message_bytes":8})");
  const std::string launcher = wrapping("if [ \"${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\" = 2 ]; then cd /; fi");
  const std::string program = (std::filesystem::path(SPARSECAST_COMMAND).parent_path() / "sparsecast-rank").string();
  const CommandResult result = test::run_program(
      "bash",
      {"-c", "cd " + folder.path().string() + " && timeout 300 " + launcher + " -n 4 " + program + " " +
                 folder.path().string()},
      {"OMPI_MCA_rmaps_base_oversubscribe=1", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_NE(result.err.find("poisson2d.mtx: rank 2 on "), std::string::npos) << result.err;
}

TEST_F(Runs, AKilledRankEndsAllWithinSeconds) {
  const std::string file = made("poisson2d", 0, 0, {.size = 60});
  // Rank 1 is killed while the others wait for it, in the middle of more products than anybody would wait for (all
  // ranks have begun where the job's folder has a sign of life): that the command ends at all is what is tested.
  const std::string launcher = wrapping(
      "if [ \"${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\" = 1 ]; then "
      "(while ! test -e \"${@: -1}/alive\"; do sleep 0.1; done; sleep 0.5; kill -9 $$) & fi");
  const CommandResult result = sparsecast({"cluster", "measure", file, "--processes", "3", "--way", "l1dr", "--format",
                                           "csr", "--iterations", "1000000", "--budget", "600", "--launcher", launcher},
                                          home());
  EXPECT_EQ(result.exit_code, 1) << result.out;
  EXPECT_NE(result.err.find("signal 9"), std::string::npos) << result.err;
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
}

TEST_F(Runs, AMissingLauncherIsUnavailable) {
  const CommandResult result =
      measure(folder.write("t.mtx", tiny), {"--processes", "4", "--way", "l1dr", "--launcher", "no-such-launcher"});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_EQ(result.out, "");
}

TEST_F(Runs, WhatAnotherClusterGaveIsNotGoneOnWith) {
  const auto profile = folder.path() / "p.cluster.json";
  write_cluster_profile(made_up_profile(), profile);
  const CommandResult refused = sparsecast({"cluster", "calibrate", "--quick", "--processes", "1", "-o",
                                            profile.string(), "--resume", "--cores-per-node", "77"},
                                           home());
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(std::ranges::count(refused.err, '\n'), 1) << refused.err;
  EXPECT_NE(refused.err.find("for another cluster"), std::string::npos) << refused.err;
}

using SlowRuns = Runs;  // scripts/due

TEST_F(SlowRuns, ACalibrationThatWasInterruptedGoesOn) {
  const auto profile = folder.path() / "p.cluster.json";
  const std::vector<std::string> calibrate{"cluster", "calibrate", "--quick",        "--processes",
                                           "1",       "-o",        profile.string(), "--resume"};
  // Its time is the clock's: under a sanitizer, or beside other work, it has to go on before there are runs to lose.
  json whole;
  for (int call = 0; call < 6 && (whole.empty() || whole.at("runs").size() < 2); ++call) {
    const CommandResult result = sparsecast(calibrate, home());
    ASSERT_EQ(result.exit_code, 0) << result.err;
    whole = json::parse(test::read_text(profile));
    // However few they are, that they are not all is said.
    EXPECT_EQ(result.err.find("continues") == std::string::npos, whole.at("complete").get<bool>()) << result.err;
  }
  // As it was when it had half of its runs to do: how many they are depends on how fast it is here.
  json part = whole;
  ASSERT_GE(whole.at("runs").size(), 2U);
  const std::size_t kept = whole.at("runs").size() / 2;
  part.at("runs").erase(part.at("runs").begin() + static_cast<std::ptrdiff_t>(kept), part.at("runs").end());
  folder.write("p.cluster.json", part.dump());
  ASSERT_EQ(sparsecast(calibrate, home()).exit_code, 0);
  const json again = json::parse(test::read_text(profile));
  EXPECT_EQ(again.at("node"), whole.at("node"));
  EXPECT_EQ(again.at("messages"), whole.at("messages"));
  ASSERT_GE(again.at("runs").size(), whole.at("runs").size());  // more where the first ran out of time
  for (std::size_t k = 0; k < kept; ++k) EXPECT_EQ(again.at("runs")[k], whole.at("runs")[k]) << k;
}

// Two processes that are taken for two nodes of one core, and are on this one.
TEST_F(SlowRuns, ACalibrationSaysWhereProcessesWereNotOnTheirNodes) {
  const std::string profile = (folder.path() / "p.cluster.json").string();
  const CommandResult calibrated = sparsecast(
      {"cluster", "calibrate", "--quick", "--processes", "1,2", "--cores-per-node", "1", "-o", profile}, home());
  ASSERT_EQ(calibrated.exit_code, 0) << calibrated.err;
  const char* const remark = "2 processes ran on one node and are taken for 2 nodes with room for 1 each";
  EXPECT_NE(calibrated.err.find(remark), std::string::npos) << calibrated.err;
  const auto predicted_on = [&](const char* processes) {
    return sparsecast(
        {"cluster", "predict", made("poisson2d", 0, 0, {.size = 30}), "--cluster", profile, "--processes", processes},
        home());
  };
  EXPECT_NE(predicted_on("1,2").err.find(remark), std::string::npos);
  EXPECT_EQ(predicted_on("1").err.find(remark), std::string::npos);
}

TEST_F(Runs, AnEvaluationHoldsEveryModelAgainstTheTimeOfItsCase) {
  const auto profile = folder.path() / "made-up.cluster.json";
  write_cluster_profile(made_up_profile(), profile);
  std::vector<std::string> words{"cluster",
                                 "evaluate",
                                 made("random", 700, 6),
                                 made("poisson2d", 0, 0, {.size = 23}),
                                 "--cluster",
                                 profile.string(),
                                 "--processes",
                                 "1,4",
                                 "--way",
                                 "2du",
                                 "--format",
                                 "csr",
                                 "--budget",
                                 "0.01"};
  const auto with = [&](std::initializer_list<std::string> more) {
    std::vector<std::string> all = words;
    all.insert(all.end(), more);
    return sparsecast(all, home());
  };
  const CommandResult result = with({"--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json document = json::parse(result.out);
  EXPECT_TRUE(!test::can_validate() || test::fits_its_schema(result.out));
  EXPECT_EQ(document.at("source"), "measured");
  EXPECT_TRUE(document.at("skipped").empty());
  EXPECT_GE(document.at("summary").size(), 3u);  // sparsecast, microbench, linear; svr where libsvm is here
  for (const json& of : document.at("summary")) {
    std::set<std::pair<std::string, int>> judged;
    double sum = 0;
    for (const json& one : document.at("cases")) {
      if (one.at("model") != of.at("model")) continue;
      judged.emplace(one.at("matrix").get<std::string>(), one.at("processes").get<int>());
      const double actual = one.at("measured_s"), predicted = one.at("seconds");
      EXPECT_NEAR(one.at("error").get<double>(), std::abs(actual - predicted) / actual, 1e-9);
      sum += one.at("error").get<double>();
    }
    EXPECT_EQ(judged.size(), 4u) << of;
    EXPECT_NEAR(of.at("mean_error").get<double>(), sum / 4, 1e-9 * sum);
  }
  const CommandResult screen = with({"--all"});
  for (const char* const word : {"2du csr by microbench", "actual", "predicted", "error"})
    EXPECT_NE(screen.out.find(word), std::string::npos) << word << "\n" << screen.out;
  // Times for another cluster, a simulated one, judge nothing of this.
  EXPECT_EQ(with({"--platform", "p.xml"}).exit_code, 2);
}

const std::string platform = std::string(SPARSECAST_SOURCE_DIR) + "/profiles/platforms/skylake-edr.xml";

TEST(Simulation, IsMarkedSimulatedAndItsProductsTakeTheSameTime) {
  const TemporaryFolder folder;
  MatrixSpec spec;
  spec.kind = "poisson2d";
  spec.parameters = {.size = 40};
  write_matrix_market(generate(spec), folder.path() / "m.mtx");
  const CommandResult result = sparsecast({"cluster", "measure", folder.path() / "m.mtx", "--platform", platform,
                                           "--processes", "4,16", "--iterations", "2", "--json"},
                                          {"SPARSECAST_HOME=" + folder.path().string()});
  if (result.exit_code == 4) SKIP_OR_FAIL(test::parts::simgrid);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json document = json::parse(result.out);
  EXPECT_EQ(document.at("measurements").size(), 12u);
  for (const json& m : document.at("measurements")) {
    EXPECT_EQ(m.at("source"), "simulated:skylake-edr");
    EXPECT_EQ(m.at("low_s"), m.at("high_s"));
    EXPECT_GT(m.at("seconds").get<double>(), 0.5 * m.at("core_s").get<double>());
  }
}

// The local products of a simulation are timed on this machine, its messages are not: with given times of the products
// two simulations end at the same instant.
TEST(Simulation, RepeatsItself) {
  const auto program = std::filesystem::path(SPARSECAST_COMMAND).parent_path() / "sparsecast-rank-smpi";
  if (!std::filesystem::exists(program)) SKIP_OR_FAIL(test::parts::simgrid);
  const TemporaryFolder folder;
  constexpr int processes = 4;
  Job job;
  job.task = Task::simulate;
  job.iterations = 3;
  for (const Scheme scheme : all_schemes()) job.cases.push_back({scheme, LocalFormat::csr});
  // Every rank hands 100 entries to the next one.
  for (std::size_t k = 0; k < job.cases.size(); ++k) {
    std::string lines;
    for (int rank = 0; rank < processes; ++rank)
      lines += to_line(
          {1000, 1e-6, (2 + rank) * 1e-5, 3e-6, {{(rank + 3) % processes, 100}}, {{(rank + 1) % processes, 100}}});
    folder.write("loads-" + std::to_string(k) + ".txt", lines);
  }
  folder.write("job.json", to_text(job));
  std::vector<std::string> words = simulation_command(platform, processes, folder.path());
  words.insert(words.end(), {program.string(), folder.path().string()});
  const auto outcome = [&] {
    std::filesystem::remove(folder.path() / "outcome.json");
    const CommandResult run = test::run_program(words[0], {words.begin() + 1, words.end()});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return json::parse(test::read_text(folder.path() / "outcome.json"));
  };
  const json first = outcome(), second = outcome();
  ASSERT_EQ(first.at("cases").size(), 3u);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(first.at("cases")[k].at("seconds"), second.at("cases")[k].at("seconds")) << k;
    EXPECT_GT(first.at("cases")[k].at("seconds").get<double>(), 5e-5) << k << ": the slowest rank's products alone";
  }
}

}  // namespace
}  // namespace sparsecast::cluster
