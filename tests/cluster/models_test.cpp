// The four models on profiles whose truth is known because it was made up.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>

#include "cluster/cluster_profile.hpp"
#include "cluster/launch/job.hpp"
#include "cluster/models/forecast.hpp"
#include "support/command.hpp"
#include "support/parts.hpp"

namespace sparsecast::cluster {
namespace {

// Latency 1 µs, 1 GB/s, and log2(P) steps.
double message_truth(double bytes, int processes) { return (1e-6 + bytes * 1e-9) * (1 + std::log2(processes)); }

// A product costs 1 ns per non-zero and 2 ns per row; 2du adds its messages.
double block_truth(const BlockFeatures& f) { return 1e-9 * f.nonzeros + 2e-9 * f.rows; }

Matrix random_square(std::int64_t rows, double row_length, std::uint64_t seed) {
  MatrixSpec spec;
  spec.kind = "random";
  spec.rows = rows;
  spec.row_length = row_length;
  spec.seed = seed;
  return generate(spec);
}

ClusterProfile made_up_profile() {
  ClusterProfile p;
  p.name = "made-up";
  p.cores_per_node = 4;
  p.node.bandwidth = {{8, 1, {1e4, 1e6, 1e8}, {2e10, 2e10, 2e10}}};
  p.node.latency.bytes = {1e4, 1e8};
  p.node.latency.seconds = {1e-9, 1e-7};
  p.node.fma_s = 1e-10;
  for (const int processes : {1, 4, 16})
    for (const char* const pattern :
         {"grid", "grid_reduce", "grid_bcast", "allgatherv", "bcast", "reduce", "ping_pong_near", "ping_pong_far"})
      for (double bytes = 8; bytes <= 1 << 22; bytes *= 4)
        p.messages.push_back({pattern, processes, p.nodes(processes), bytes, 0, message_truth(bytes, processes)});
  for (const int processes : {1, 4})
    for (const std::int64_t rows : {400, 4000, 40000})
      for (const double length : {1.0, 4.0, 16.0}) {
        const Matrix matrix = random_square(rows, length, static_cast<std::uint64_t>(rows));
        const SchemeFeatures f = scheme_features(matrix, Scheme::two_d_uniform, place(matrix, processes, 1, false),
                                                 p.caches, p.cores_per_node);
        double core = 0;
        for (const RankFeatures& rank : f.ranks) {
          p.blocks.push_back({LocalFormat::csr, rank.own, block_truth(rank.own)});
          core = std::max(core, block_truth(rank.own));
        }
        const double side = std::ceil(static_cast<double>(rows) / grid_side(processes));
        p.runs.push_back({"random", true, LocalFormat::csr, p.nodes(processes),
                          core + message_truth(8 * side, processes), core, f.thinned(16)});
      }
  return p;
}

SchemeFeatures target_features(const ClusterProfile& p, int processes) {
  const Matrix matrix = random_square(10000, 6, 77);
  return scheme_features(matrix, Scheme::two_d_uniform, place(matrix, processes, 1, false), p.caches, p.cores_per_node);
}

double target_truth(const SchemeFeatures& f) {
  double core = 0;
  for (const RankFeatures& rank : f.ranks) core = std::max(core, block_truth(rank.own));
  return core + message_truth(8 * 10000.0 / grid_side(f.processes), f.processes);
}

TEST(NonnegativeFit, FindsCoefficientsAndKeepsThePriorWhereDataAreSilent) {
  const std::vector<std::vector<double>> rows{{1, 0, 2}, {0, 0, 1}, {3, 0, 1}};
  const std::vector<double> y{2 + 6, 3, 6 + 3};
  const std::vector<double> prior{0, 5, 0};
  const auto c = fit_nonnegative(rows, y, prior, 1e-9);
  EXPECT_NEAR(c[0], 2, 1e-5);
  EXPECT_EQ(c[1], 5);
  EXPECT_NEAR(c[2], 3, 1e-5);
  EXPECT_EQ(fit_nonnegative({}, {}, prior, 1), prior);
}

TEST(NonnegativeFit, NeverGoesBelowZero) {
  for (const double c :
       fit_nonnegative({{1, 1}, {1, 2}, {1, 3}}, std::vector<double>{3, 2, 1}, std::vector<double>{0, 0}, 1e-9))
    EXPECT_GE(c, 0);
}

TEST(MessageCurves, PassThroughThePointsAndInterpolate) {
  const ClusterProfile p = made_up_profile();
  const MessageCurves curves(p);
  EXPECT_DOUBLE_EQ(*curves.seconds("grid", 4, 512), message_truth(512, 4));
  EXPECT_NEAR(*curves.seconds("grid", 4, 3000), message_truth(3000, 4), 0.15 * message_truth(3000, 4));
  EXPECT_GT(*curves.seconds("grid", 64, 512), *curves.seconds("grid", 16, 512));
  EXPECT_DOUBLE_EQ(*curves.seconds("grid", 4, 1), message_truth(8, 4));  // no message is cheaper than the smallest
  EXPECT_FALSE(curves.seconds("carrier pigeon", 4, 8).has_value());
}

// Times whose logarithm is a polynomial of the logarithms, as the model's is.
double polynomial_truth(int nodes, int processes, double bytes) {
  const double s = std::log2(bytes), p = std::log2(processes), n = std::log2(nodes);
  return std::exp(-14 + 0.05 * s + 0.01 * s * s + 0.3 * p - 0.02 * p * p + 0.004 * s * p + 0.1 * n);
}

TEST(MessagePolynomials, FindThePolynomialOfTheMeasurements) {
  ClusterProfile profile;
  for (const int processes : {4, 8, 16, 32})
    for (const int nodes : {1, 2, 4})
      for (double bytes = 8; bytes <= 1 << 21; bytes *= 4)
        profile.messages.push_back({"grid", processes, nodes, bytes, 0, polynomial_truth(nodes, processes, bytes)});
  const MessagePolynomials polynomials(profile);
  for (const MessageTime& m : profile.messages)
    EXPECT_NEAR(*polynomials.seconds("grid", m.nodes, m.processes, m.bytes) / m.seconds, 1, 1e-9) << m.bytes;
  // Between the measurements and beyond their processes; a size beyond the largest takes as much longer as it is
  // larger.
  for (const double bytes : {10.0, 3000.0, 1e6})
    EXPECT_NEAR(*polynomials.seconds("grid", 3, 24, bytes) / polynomial_truth(3, 24, bytes), 1, 1e-9) << bytes;
  EXPECT_NEAR(*polynomials.seconds("grid", 8, 64, 3000) / polynomial_truth(8, 64, 3000), 1, 1e-9);
  EXPECT_NEAR(*polynomials.seconds("grid", 2, 16, 1 << 24) / (8 * polynomial_truth(2, 16, 1 << 21)), 1, 1e-9);
  EXPECT_FALSE(polynomials.seconds("carrier pigeon", 1, 4, 8).has_value());
}

TEST(CoreModel, LearnsTheCostOfABlock) {
  const ClusterProfile p = made_up_profile();
  const CoreModel core(p);
  for (const RankFeatures& rank : target_features(p, 4).ranks)
    EXPECT_NEAR(core.seconds(rank.own, LocalFormat::csr) / block_truth(rank.own), 1, 0.1);
}

TEST(CoreModel, FindsHowMuchTheBranchPredictorRemembers) {
  // Blocks of which half the rows change length; their changes cost 8 ns each once there are 100,000 bits and more.
  const auto truth = [](const BlockFeatures& f) {
    return block_truth(f) + (f.length_bits > 1e5 ? 8e-9 * f.length_changes : 0);
  };
  const auto block = [](double rows) { return BlockFeatures{rows, rows, 3 * rows, 0, rows / 2, 2 * rows, 0, {}}; };
  ClusterProfile p = made_up_profile();
  for (double rows = 1000; rows < 400000; rows *= 1.2)
    p.blocks.push_back({LocalFormat::csr, block(rows), truth(block(rows))});
  const CoreModel core(p);
  for (const double rows : {10000, 40000, 120000, 300000})
    EXPECT_NEAR(core.seconds(block(rows), LocalFormat::csr) / truth(block(rows)), 1, 0.15) << rows;
}

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

TEST(ClusterModels, LinearFindsALineBetweenTwoNumbersOfRows) {
  const ClusterProfile p = made_up_profile();
  const SchemeFeatures f = target_features(p, 4);
  const auto forecast = linear_model(p)->forecast(f, LocalFormat::csr);
  ASSERT_TRUE(forecast);
  EXPECT_NEAR(forecast->seconds / target_truth(f), 1, 0.1);
  SchemeFeatures other = f;
  other.scheme = Scheme::local_rows;
  EXPECT_FALSE(linear_model(p)->forecast(other, LocalFormat::csr));
  EXPECT_FALSE(linear_model(p)->forecast(f, LocalFormat::coo));  // no runs in that format
}

// 2du on 4 processes. The time is a power law of the attributes, a plane in the regression's logarithms.
SchemeFeatures power_law_features(double rows, double row_length) {
  SchemeFeatures f;
  f.scheme = Scheme::two_d_uniform;
  f.processes = 4;
  f.rows = static_cast<std::int64_t>(4 * rows);
  f.attributes = {rows, rows * row_length, row_length, row_length / (4 * rows)};
  return f;
}
double power_law_truth(double rows, double row_length) {
  return 2e-9 * std::pow(rows, 0.95) * std::pow(row_length, 0.8);
}

TEST(ClusterModels, SvrFindsThePowerLawOfItsRuns) {
  ClusterProfile p;
  for (double rows = 100; rows <= 1e5; rows *= 2)
    for (const double length : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0})
      p.runs.push_back(
          {"made up", false, LocalFormat::csr, 1, power_law_truth(rows, length), 0, power_law_features(rows, length)});
  const auto svr = svr_model(p);
  // Matrices between the trained ones. The regression does not look at errors of less than 1 % of a factor e.
  for (const double rows : {300.0, 5000.0, 70000.0})
    for (const double length : {1.5, 6.0, 25.0}) {
      const auto forecast = svr->forecast(power_law_features(rows, length), LocalFormat::csr);
      if (!forecast) SKIP_OR_FAIL(test::parts::svm);
      EXPECT_NEAR(forecast->seconds / power_law_truth(rows, length), 1, 0.02) << rows << " rows of " << length;
      EXPECT_EQ(forecast->core_s, 0) << "it knows the whole only";
    }
}

TEST(ClusterModels, SvrTakesTheParametersThatTheProfileHolds) {
  ClusterProfile p;
  for (double rows = 100; rows <= 3200; rows *= 2)
    for (const double length : {1.0, 4.0})
      p.runs.push_back(
          {"made up", false, LocalFormat::csr, 1, power_law_truth(rows, length), 0, power_law_features(rows, length)});
  const auto whole = search_regressions(p);
  if (whole.empty()) SKIP_OR_FAIL(test::parts::svm);
  ASSERT_EQ(whole.size(), 1u);  // one scheme, format and count has runs
  EXPECT_EQ(whole[0].processes, 4);
  EXPECT_TRUE(whole[0].gamma >= 0.01 && whole[0].gamma <= 0.3) << whole[0].gamma;
  const auto seconds = [&] { return svr_model(p)->forecast(power_law_features(500, 2), LocalFormat::csr)->seconds; };
  p.regressions = whole;
  const double fine = seconds();
  EXPECT_NEAR(fine / power_law_truth(500, 2), 1, 0.05);
  p.regressions[0].epsilon = 50;  // nothing is further off than that: one value for all
  EXPECT_GT(std::abs(std::log(seconds() / fine)), 0.05);
}

TEST(TrainingMatrices, AreNinetyWhereThePapersNumberIsAskedFor) {
  for (const bool large : {false, true}) {
    const auto specs = ninety_matrices(large);
    EXPECT_EQ(specs.size(), 90u);
    std::set<std::string> names;
    for (const MatrixSpec& spec : specs) names.insert(generated_name(spec));
    EXPECT_EQ(names.size(), specs.size()) << "a matrix is known by its name";
  }
}

TEST(ClusterModels, MicrobenchAddsUpTableOne) {
  const ClusterProfile p = made_up_profile();
  SchemeFeatures f;
  f.scheme = Scheme::two_d_uniform;
  f.rows = 1000;
  f.ranks.resize(1);
  f.ranks[0].own = {1000, 1000, 5000, 0, 0, 0, 0, {0, 0, 100}};
  const auto forecast = microbench_model(p)->forecast(f, LocalFormat::csr);
  ASSERT_TRUE(forecast);
  // FMA; 2·rpp row pointers, columns and values, y, hits of x at 20 GB/s; 100 misses at the latency of a larger ring.
  const double expected = 1e-10 * 5000 + (2 * 1000 * 4 + 5000 * 12 + 1000 * 8 + 4900 * 8) / 2e10 + 100 * 1e-7;
  EXPECT_NEAR(forecast->core_s, expected, 1e-12);
}

TEST(ClusterModels, AreFourAndKnownByName) {
  const ClusterProfile p = made_up_profile();
  std::vector<std::string> names;
  for (const auto& model : cluster_models(p)) names.push_back(model->name());
  EXPECT_EQ(names, (std::vector<std::string>{"sparsecast", "microbench", "svr", "linear"}));
  EXPECT_THROW(cluster_models(p, "oracle"), Error);
}

ClusterForecast forecast(Scheme scheme, int processes, double seconds) {
  return {scheme, LocalFormat::csr, "sparsecast", processes, 1, seconds, seconds / 2, seconds / 2, false};
}

TEST(Choice, TakesTheFewestProcessesWithinTenPercent) {
  const ClusterChoice choice = choose({forecast(Scheme::local_rows, 1, 10), forecast(Scheme::local_rows, 4, 1.09),
                                       forecast(Scheme::global_rows, 4, 1.05), forecast(Scheme::local_rows, 16, 1.0),
                                       forecast(Scheme::two_d_uniform, 16, 3)});
  EXPECT_EQ(choice.fastest.processes, 16);
  EXPECT_EQ(choice.recommended.processes, 4);
  EXPECT_EQ(choice.recommended.scheme, Scheme::global_rows);
  EXPECT_NE(choice.reason.find("within 10 %"), std::string::npos);
  EXPECT_EQ(choice.scaling.size(), 5u);
  const auto point = std::ranges::find_if(
      choice.scaling, [](const ScalingPoint& one) { return one.scheme == Scheme::local_rows && one.processes == 16; });
  ASSERT_NE(point, choice.scaling.end());
  EXPECT_DOUBLE_EQ(point->efficiency, 10.0 / 16);
  EXPECT_NE(scaling_picture(choice.scaling).find('l'), std::string::npos);
}

TEST(Choice, OfNothingIsAnError) { EXPECT_THROW(choose({}), Error); }

std::string script_for(const char* scheduler) {
  ScriptOptions options;
  options.scheduler = scheduler;
  options.matrix = "/data/it's a $(matrix).mtx";
  options.cores_per_node = 36;
  return job_script({Scheme::local_rows, LocalFormat::csr, "sparsecast", 144, 4, 1e-3, 0, 0, false}, options);
}

TEST(JobScript, SurvivesAnyFileName) {
  for (const char* const scheduler : {"slurm", "mpirun"}) {
    const std::string script = script_for(scheduler);
    EXPECT_NE(script.find("--processes 144 --way l1dr --format csr"), std::string::npos);
    EXPECT_EQ(script.find("#SBATCH --ntasks=144") != std::string::npos, std::string(scheduler) == "slurm");
    const test::TemporaryFolder folder;
    const auto file = folder.write("job", script);
    const auto printed =
        test::run_program("bash", {"-c", "sparsecast() { printf '%s\\n' \"$3\"; }; source " + file.string()});
    EXPECT_EQ(printed.out, "/data/it's a $(matrix).mtx\n");
  }
}

TEST(JobScript, PassesShellcheck) {
  const test::TemporaryFolder folder;
  for (const char* const scheduler : {"slurm", "mpirun"}) {
    const auto checked = test::run_program("shellcheck", {folder.write("job", script_for(scheduler)).string()});
    if (checked.exit_code == 127) SKIP_OR_FAIL(test::parts::shellcheck);
    EXPECT_EQ(checked.exit_code, 0) << checked.out;
  }
}

TEST(JobScript, OfAnUnknownSchedulerIsAnError) {
  ScriptOptions pigeon;
  pigeon.scheduler = "pigeon";
  EXPECT_THROW(job_script({}, pigeon), Error);
}

TEST(ClusterProfile, ComesBackFromItsFile) {
  ClusterProfile p = made_up_profile();
  p.threads = 3;
  p.runs[2].features.node_s[0] = 2e-6;
  p.regressions = {{Scheme::global_rows, LocalFormat::coo, 4, 0.25, 0.3, 0.1}};
  const test::TemporaryFolder folder;
  write_cluster_profile(p, folder.path() / "a.json");
  const ClusterProfile q = read_cluster_profile(folder.path() / "a.json");
  write_cluster_profile(q, folder.path() / "b.json");
  EXPECT_EQ(test::read_text(folder.path() / "a.json"), test::read_text(folder.path() / "b.json"));
  EXPECT_EQ(q.runs.size(), p.runs.size());
  EXPECT_EQ(q.threads, 3);
  EXPECT_EQ(q.runs[2].features.node_s[0], 2e-6);
  ASSERT_EQ(q.regressions.size(), 1u);
  EXPECT_EQ(q.regressions[0].gamma, 0.3);
  for (const char* const bad : {"", "{}", "[1", R"({"schema":"sparsecast/cluster-profile/1"})"})
    EXPECT_THROW(read_cluster_profile(folder.write("bad.json", bad)), Error) << bad;
}

}  // namespace
}  // namespace sparsecast::cluster
