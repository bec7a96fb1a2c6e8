// The program as it is, beside the forecast.

#include "memory_traffic/run/measured_run.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sparsecast/profile.hpp>

#include "memory_traffic/run/hardware_counters.hpp"
#include "octave.hpp"
#include "program_files.hpp"

namespace sparsecast::memory_traffic {
namespace {
using Json = nlohmann::json;
using test::TemporaryFolder;

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

TEST(MeasuredRuns, HaveNoTimeWhereItIsNotWrittenWhole) {
  NEEDS_OCTAVE();
  const TemporaryFolder folder;
  ::setenv("SPARSECAST_HOME", folder.path().c_str(), 1);
  folder.write("SLMclock.m",
               "function SLMclock(what, path)\nif nargin > 1, out = fopen(path, 'w'); fputs(out, '0.0'); fclose(out); "
               "end\nend\n");
  // In front of the library's folder.
  const auto program = folder.write(
      "p.m", "addpath('" + folder.path().string() + "');\n%SLM start a;\nx = sum(ones(9));\n%SLM end a;\n");
  const MeasuredRun run = measure_program(program, {});
  ::unsetenv("SPARSECAST_HOME");
  EXPECT_FALSE(run.seconds);
  EXPECT_NE(run.counters.find("not written completely"), std::string::npos) << run.counters;
}

TEST(MeasuredRuns, StandBesideTheForecastInTheDocument) {
  NEEDS_OCTAVE();
  const test::ProgramFiles files;
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
}  // namespace
}  // namespace sparsecast::memory_traffic
