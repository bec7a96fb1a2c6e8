// What the report says of a program: directives for functions, storage, uncertainty, turns of loops, errors in the
// user's own lines, and the program as it is beside the forecast.

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>
#include <sparsecast/profile.hpp>

#include "octave.hpp"
#include "support/schema.hpp"
#include "memory_traffic/language/syntax.hpp"
#include "memory_traffic/run/traffic.hpp"

namespace sparsecast::memory_traffic {
namespace {

using Json = nlohmann::json;
using test::TemporaryFolder;

struct Files {
  TemporaryFolder folder;
  test::CommandResult run(const std::string& program, std::vector<std::string> more = {}) const {
    const auto file = folder.write("program.m", program);
    more.insert(more.begin(), {"traffic", file.string()});
    return test::sparsecast(more, {"SPARSECAST_HOME=" + folder.path().string()});
  }
  // A region by its name.
  Json region(const std::string& program, const std::string& name = "r") const {
    const auto done = run(program, {"--json"});
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_TRUE(test::fits_its_schema(done.out));
    if (done.exit_code != 0) return {};
    const Json document = Json::parse(done.out);
    for (const Json& one : document["regions"])
      if (one["name"] == name) return one;
    return {};
  }
};

TEST(Directives, FuncNamesWhatMovesNothing) {
  NEEDS_OCTAVE();
  const Files files;
  const std::string marked = "%SLM start r;\ns = sum(x);\n%SLM end r;\n", x = "x = rand(1000,1);\n";
  EXPECT_EQ(files.region(x + marked)["wsl_bytes"], 8000);
  EXPECT_EQ(files.region(x + "%SLM Func sum;\n" + marked)["wsl_bytes"], 0);
  EXPECT_EQ(files.region(x + "%SLM Func sum;\n" + marked)["wss_bytes"], 8);
}

TEST(Directives, IncFuncNamesWhatCountsForItself) {
  NEEDS_OCTAVE();
  const Files files;
  files.folder.write("doubled.m",
                     "function y = doubled(x)\n%SLM FuncStart doubled;\ny = 2*x;\n%SLM FuncEnd doubled;\nend\n");
  const std::string x = "x = rand(1000,1);\n", marked = "%SLM start r;\ny = doubled(x);\n%SLM end r;\n";
  // The function loads its argument and stores its result, and nobody does so again.
  const Json once = files.region(x + "%SLM IncFunc doubled;\n" + marked);
  EXPECT_EQ(once["wsl_bytes"], 8000);
  EXPECT_EQ(once["wss_bytes"], 8000);
  EXPECT_EQ(files.region(x + marked)["wss_bytes"], 16000);
}

TEST(Storage, IsWhatLivesAtOnceAndNotWhatIsMoved) {
  NEEDS_OCTAVE();
  const Files files;
  // x and y of 8000 bytes and k, however often they are read.
  EXPECT_EQ(files.region("x = rand(1000,1); y = zeros(1000,1);\n%SLM start r;\nfor k = 1:10\n  y = y + x;\nend\n"
                         "%SLM end r;\n")["sr_bytes"],
            16008);
  // What a called region needs is needed with the caller's own: z inside, x and y outside.
  files.folder.write(
      "inner.m", "function y = inner(x)\n%SLM FuncStart inner;\nz = x + 1;\ny = sum(z);\n%SLM FuncEnd inner;\nend\n");
  const Json outer = files.region("x = rand(1000,1);\n%SLM start r;\ny = inner(x);\n%SLM end r;\n");
  EXPECT_EQ(outer["sr_bytes"].get<double>() -
                files.region("x = rand(1000,1);\n%SLM start r;\ny = sum(x);\n%SLM end r;\n")["sr_bytes"].get<double>(),
            8008);  // z and inner's y
}

TEST(Uncertainty, OfADenseProductIsWhatBlocksReadAgain) {
  NEEDS_OCTAVE();
  const Files files;
  const Json r = files.region("A = rand(200); B = rand(200,100);\n%SLM start r;\nC = A*B;\n%SLM end r;\n");
  EXPECT_EQ(r["dgemm_bytes"], 320000 + 160000);
  // 200 rows and 100 columns of C are 6 and 3 blocks of 36: A is read 3 times, B 6 times.
  EXPECT_EQ(r["dgemm_uncertainty_bytes"], 2 * 320000 + 5 * 160000);
  EXPECT_EQ(r["wsl_uncertainty_bytes"], r["dgemm_uncertainty_bytes"]);
  // One block reads everything once.
  EXPECT_EQ(files.region("A = rand(30);\n%SLM start r;\nC = A*A;\n%SLM end r;\n")["dgemm_uncertainty_bytes"], 0);
}

TEST(Uncertainty, OfSolvesAndSortsIsInTheTotal) {
  NEEDS_OCTAVE();
  const Files files;
  // 216 rows: a factorization in blocks of 36 reads the matrix twice.
  const Json solve = files.region("A = rand(216); b = rand(216,1);\n%SLM start r;\nx = A\\b;\n%SLM end r;\n");
  EXPECT_EQ(solve["wsl_uncertainty_bytes"], 8 * 216 * 216);
  EXPECT_EQ(solve["dgemm_uncertainty_bytes"], 0);
  // 128 KB are four times 32 KB: two passes.
  EXPECT_EQ(files.region("x = rand(16384,1);\n%SLM start r;\ny = sort(x);\n%SLM end r;\n")["wsl_uncertainty_bytes"],
            131072);
  EXPECT_EQ(files.region("x = rand(1000,1);\n%SLM start r;\ny = x + 1;\n%SLM end r;\n")["wsl_uncertainty_bytes"], 0);
}

TEST(Iterations, AreTheTurnsOfTheOnlyOuterLoop) {
  NEEDS_OCTAVE();
  const Files files;
  const std::string x = "x = rand(1000,1); y = x;\n";
  const Json loop =
      files.region(x +
                   "%SLM start r;\nfor k = 1:25\n  for j = 1:2, y = y + x; end\n  if k == 20, break; end\n"
                   "end\n%SLM end r;\n");
  EXPECT_EQ(loop["per_iteration"]["iterations"], 20);
  EXPECT_EQ(loop["per_iteration"]["loop_line"], 3);
  EXPECT_DOUBLE_EQ(loop["per_iteration"]["wsl_bytes"].get<double>(), 2 * 2 * 8000 + 8);  // and k, to be compared
  for (const char* const head : {"k = 0;\nwhile k < 7\nk = k + 1;", "k = 0;\ndo\nk = k + 1;"}) {
    const bool until = std::string(head).find("do\n") != std::string::npos;
    const Json other = files.region(x + "%SLM start r;\n" + head + "\ny = y + x;\n" + (until ? "until k == 7" : "end") +
                                    "\n%SLM end r;\n");
    EXPECT_EQ(other["per_iteration"]["iterations"], 7) << head;
  }
  // A region inside a loop: of a call. Two loops: of neither.
  const Json called = files.region(x + "for k = 1:3\n%SLM start r;\ny = y + x;\n%SLM end r;\nend\n");
  EXPECT_EQ(called["per_iteration"]["iterations"], 3);
  EXPECT_EQ(called["per_iteration"]["loop_line"], 0);
  EXPECT_FALSE(
      files.region(x + "%SLM start r;\nfor k = 1:3, y = y + x; end\nfor k = 1:4, y = y + x; end\n%SLM end r;\n")
          .contains("per_iteration"));
}

TEST(Errors, StandInTheUsersOwnLineOnce) {
  NEEDS_OCTAVE();
  const Files files;
  const auto complaint = [&](const std::string& program) {
    const auto done = files.run(program);
    EXPECT_NE(done.exit_code, 0);
    EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
    EXPECT_EQ(done.err.find("near line"), std::string::npos) << done.err;
    EXPECT_EQ(done.err.find("slm_"), std::string::npos) << done.err;
    return done.err;
  };
  const std::string head = "n = 10;\nx = ones(n,1); A = ones(3);\n%SLM start a;\n",
                    tail = "%SLM end a;\n%SLM print a;\n";
  EXPECT_NE(complaint(head + "y = x*(1 + 2;\nz = 3;\n" + tail).find("program.m:4:"), std::string::npos);
  EXPECT_NE(complaint(head + "y = [1 2\n" + tail).find("program.m:4:"), std::string::npos);
  EXPECT_NE(complaint(head + "y = f(1, 2\nfor k = 1:3\nend\n" + tail).find("program.m:4:"), std::string::npos);
  EXPECT_NE(complaint(head + "for k = 1:3\n  x = x + betta;\nend\n" + tail).find("program.m:5: 'betta' undefined"),
            std::string::npos);
  EXPECT_NE(complaint(head + "y = A*x;\n" + tail).find("program.m:4: "), std::string::npos);
  EXPECT_NE(complaint(head + "y = x(11);\n" + tail).find("program.m:4: "), std::string::npos);
  EXPECT_NE(complaint(head + "if n > 3\n  y = 1;\n  error('no luck');\nend\n" + tail).find("program.m:6: no luck"),
            std::string::npos);
}

TEST(Parser, TakesTimeInProportionToAChain) {
  const auto repeated = [](const std::string& what, std::size_t times) {
    std::string text;
    for (std::size_t k = 0; k < times; ++k) text += what;
    return text;
  };
  // A parser that takes quadratic time does not get to the end of this within the test's limit.
  constexpr std::size_t links = 200000;
  struct Chain {
    const char *head, *link, *tail;
  };
  const Chain read[] = {{"x = a", "(1)", ";"}, {"x = a", "{1}", ";"},   {"x = a", ".b", ";"}, {"x = [", "'s' ", "];"},
                        {"x = [", "1;", "];"}, {"x = f(", "1,", "2);"}, {"", "a;", ""},       {"x = '", "''", "';"}};
  for (const Chain& chain : read)
    EXPECT_NO_THROW(parse(SourceText("chain.m", chain.head + repeated(chain.link, links) + chain.tail + "\n")))
        << chain.link;
  // Deeper trees than any program needs are refused, and that at once.
  const Chain refused[] = {
      {"x = 1", "+1", ";"}, {"", "a=", "1;"}, {"x = ", "-", "1;"}, {"x = 1", "'", ";"}, {"x = ", "[", ";"}};
  for (const Chain& chain : refused)
    EXPECT_THROW(parse(SourceText("chain.m", chain.head + repeated(chain.link, links) + chain.tail + "\n")), Error)
        << chain.link;
}

TEST(Help, SaysThatTheProgramRuns) {
  const std::string help = test::sparsecast({"traffic", "--help"}).out;
  for (const char* const word : {"runs", "Octave", "--no-run", "SR", "WSL", "WSS"})
    EXPECT_NE(help.find(word), std::string::npos) << word;
}

TEST(MeasuredRuns, PutClocksAroundTheOutermostRegions) {
  EXPECT_EQ(text_with_clocks(
                SourceText("a.m", "x = 1;\n%SLM start a;\n  %SLM start b;\ny = x;\n  %SLM end b;\n%SLM end a;\n")),
            "x = 1;\nSLMclock('begin'); %SLM start a;\n  %SLM start b;\ny = x;\n  %SLM end b;\nSLMclock('end'); %SLM "
            "end a;\n");
  EXPECT_EQ(text_with_clocks(SourceText("a.m", "function f\n%SLM FuncStart f;\nreturn\n%SLM FuncEnd f;\nend\n")),
            "function f\nslm_guard = SLMclock('body'); %SLM FuncStart f;\nreturn\n%SLM FuncEnd f;\nend\n");
  EXPECT_EQ(text_with_clocks(SourceText("a.m", "x = 1; %SLM start a;\ny = x; %SLM end a;\n")), "");
}

TEST(MeasuredRuns, TellTheTimeAndWhatIsCounted) {
  NEEDS_OCTAVE();
  const TemporaryFolder folder;
  ::setenv("SPARSECAST_HOME", folder.path().c_str(), 1);
  const auto program =
      folder.write("p.m", "pause(0.2);\n%SLM start a;\npause(0.05);\nx = sum(rand(2000)(:));\n%SLM end a;\n");
  const MeasuredRun run = measure_program(program, {});
  ::unsetenv("SPARSECAST_HOME");
  ASSERT_TRUE(run.seconds);
  EXPECT_GT(*run.seconds, 0);
  EXPECT_FALSE(run.counters.empty());
}

TEST(MeasuredRuns, StandBesideTheForecastInTheDocument) {
  NEEDS_OCTAVE();
  const Files files;
  Profile plain;
  plain.name = "plain";
  plain.properties.name = "host";
  plain.properties.model = "plain";
  plain.properties.caches = {{1, 32768, 64, 1}, {2, 1 << 20, 64, 1}};
  plain.curves.push_back({"read_bandwidth", 1, {16384, 1 << 26}, {100e9, 10e9}});
  const auto profile = files.folder.path() / "plain.json";
  write_profile(plain, profile);
  const auto done = files.run("x = ones(20000,1);\n%SLM start r;\ny = x + x;\n%SLM end r;\n",
                              {"--machine", profile.string(), "--measure", "--json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_TRUE(test::fits_its_schema(done.out));
  const Json document = Json::parse(done.out);
  ASSERT_EQ(document["levels"].size(), 3u);
  EXPECT_EQ(document["levels"][1]["bytes"], 160000);
  EXPECT_GT(document["seconds"].get<double>(), 0);
  EXPECT_GT(document["measured_seconds"].get<double>(), 0);
  // Counted, or null and the reason.
  const bool counters = HardwareCounters(::getpid()).reason().empty();
  EXPECT_EQ(document["levels"][1]["measured_bytes"].is_null(), !counters);
  EXPECT_FALSE(document["counters"].get<std::string>().empty());
  // Without a machine there is nothing to stand beside.
  EXPECT_EQ(files.run("x = 1;\n%SLM start r;\ny = x;\n%SLM end r;\n", {"--measure"}).exit_code, 2);
}

TEST(Machines, AreRankedByTheirBandwidthWhereNothingElseIsKnown) {
  const Curve slow = described_curve(describe_device("intel-xeon-e5-2680-v4")),
              fast = described_curve(describe_device("amd-epyc-9654"));
  EXPECT_DOUBLE_EQ(slow.y.back(), 0.8 * describe_device("intel-xeon-e5-2680-v4").memory_bandwidth);
  EXPECT_GT(fast.y.back(), slow.y.back());
  for (const std::string& name : described_devices()) {
    const Curve curve = described_curve(describe_device(name));
    for (std::size_t k = 1; k < curve.x.size(); ++k) {
      EXPECT_GT(curve.x[k], curve.x[k - 1]) << name;
      EXPECT_LE(curve.y[k], curve.y[k - 1]) << name;
    }
  }
}

TEST(Machines, AllOfThemAndStorageAnswerInTheSchema) {
  NEEDS_OCTAVE();
  const Files files;
  const std::string program =
      "n = 3000; A = spdiags(ones(n,3), -1:1, n, n); x = rand(n,1);\n%SLM start r;\nfor k = 1:4\n  x = A*x;\nend\n%SLM "
      "end r;\n";
  const auto all = files.run(program, {"--machine", "all", "--json"});
  ASSERT_EQ(all.exit_code, 0) << all.err;
  EXPECT_TRUE(test::fits_its_schema(all.out));
  const Json machines = Json::parse(all.out)["machines"];
  EXPECT_GE(machines.size(), 25u);
  for (std::size_t k = 1; k < machines.size(); ++k)
    EXPECT_GE(machines[k]["seconds"].get<double>(), machines[k - 1]["seconds"].get<double>());
  const auto storage = files.run(program, {"--machine", "intel-xeon-8480", "--storage", "--json"});
  ASSERT_EQ(storage.exit_code, 0) << storage.err;
  EXPECT_TRUE(test::fits_its_schema(storage.out));
  const Json matrices = Json::parse(storage.out)["storage"];
  ASSERT_EQ(matrices.size(), 1u);
  EXPECT_EQ(matrices[0]["products"], 4);
  EXPECT_GE(matrices[0]["kernels"].size(), 3u);
}

}  // namespace
}  // namespace sparsecast::memory_traffic
