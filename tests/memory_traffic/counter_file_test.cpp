// A file of counters is whole, or it is an error that tells where and why.

#include "memory_traffic/counters/counter_file.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <sparsecast/error.hpp>
#include <string>

#include "memory_traffic/run/operands.hpp"
#include "memory_traffic/run/run_program.hpp"
#include "octave.hpp"

namespace sparsecast::memory_traffic {
namespace {

using test::TemporaryFolder;

std::string repeated(const std::string& what, std::size_t times) {
  std::string text;
  for (std::size_t k = 0; k < times; ++k) text += what;
  return text;
}

// A region that ran twice, one row of the counters, and the region's trace.
const std::string region = "region\tr\t2\t16000\t8000\t1\t2\t3\t4\t5\t6\t7\t8\t9\t24000\n";
const std::string row = "count\tprogram\t7\t16000\t8000\t0\t0\t0\t0\t0\t25\t0\t0\t0\n";
const std::string trace =
    "reach\tr" + repeated("\t1", 200) + repeated("\t2", 200) + repeated("\t3", 16) + repeated("\t4", 16) + "\n";

std::optional<Error> refused(const std::string& text) {
  const TemporaryFolder folder;
  try {
    (void)read_counters(folder.write("counters", text));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::failed);
    EXPECT_NE(error.place().file.find("counters"), std::string::npos);
    return error;
  }
  return std::nullopt;
}

#define EXPECT_REFUSED(text, at, why)                                         \
  do {                                                                        \
    const std::optional<Error> error = refused(text);                         \
    ASSERT_TRUE(error) << "accepted: " << why;                                \
    EXPECT_EQ(error->place().line, at) << error->what();                      \
    EXPECT_NE(error->reason().find(why), std::string::npos) << error->what(); \
  } while (false)

TEST(CounterFile, HoldsRegionsRowsAndTraces) {
  const TemporaryFolder folder;
  const RunCounts counts = read_counters(folder.write("counters", region + row + trace + "end\t3\n"));
  ASSERT_EQ(counts.regions.size(), 1u);
  const RegionCounts& r = counts.regions.at("r");
  EXPECT_EQ(r.calls, 2);
  EXPECT_EQ(r.counted[Counter::loads], 16000);
  EXPECT_EQ(r.counted[Counter::stores], 8000);
  EXPECT_EQ(r.counted[Counter::turns], 6);
  EXPECT_EQ(r.storage_bytes, 24000);
  EXPECT_EQ(r.load_reach, std::vector<double>(reach_bins, 1));
  EXPECT_EQ(r.store_reach, std::vector<double>(reach_bins, 2));
  EXPECT_EQ(r.products, std::vector<double>(most_operands, 3));
  EXPECT_EQ(r.product_bytes, std::vector<double>(most_operands, 4));
  ASSERT_EQ(counts.slots.size(), 1u);
  EXPECT_EQ(counts.slots[0].file, "program");
  EXPECT_EQ(counts.slots[0].slot, 7u);
  EXPECT_EQ(counts.slots[0].counted[Counter::turns], 25);
}

TEST(CounterFile, IsRefusedWithoutItsLastLine) {
  EXPECT_REFUSED("", 0, "last line is missing");
  EXPECT_REFUSED(region, 1, "last line is missing");
  EXPECT_REFUSED(region + row, 2, "last line is missing");
  EXPECT_REFUSED(region + row + "en", 3, "unknown kind");
  EXPECT_REFUSED(region + row + "end", 3, "ends too early");
  EXPECT_REFUSED(region + row + "end\t2", 3, "does not end");
}

TEST(CounterFile, IsRefusedWhereverItIsCutOff) {
  const std::string whole = region + row + trace + "end\t3\n";
  for (std::size_t length = 0; length < whole.size(); ++length)
    ASSERT_TRUE(refused(whole.substr(0, length))) << "accepted " << length << " of " << whole.size() << " bytes";
}

TEST(CounterFile, IsRefusedWhereALineIsMissing) { EXPECT_REFUSED(region + "end\t2\n", 2, "comes after 1 others"); }

TEST(CounterFile, IsRefusedForALineOfAnotherSize) {
  const std::string end = "end\t1\n";
  EXPECT_REFUSED("region\tr\t1\t16000\n" + end, 1, "ends too early");
  EXPECT_REFUSED(region.substr(0, region.size() - 1) + "\t9\n" + end, 1, "16 columns instead of 15");
  EXPECT_REFUSED("count\tprogram\t7\t16000\n" + end, 1, "ends too early");
  EXPECT_REFUSED(region + "reach\tr" + repeated("\t1", 431) + "\nend\t2\n", 2, "ends too early");
  EXPECT_REFUSED(region + "reach\tr" + repeated("\t1", 433) + "\nend\t2\n", 2, "435 columns instead of 434");
}

TEST(CounterFile, IsRefusedForWhatIsNoNumberAndForARegionThatDidNotRun) {
  EXPECT_REFUSED("count\tprogram\tseven\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\nend\t1\n", 1, "'seven' where a number");
  EXPECT_REFUSED(trace + "end\t1\n", 1, "region that did not run");
}

TEST(CounterFile, IsWrittenAsItIsRead) {
  NEEDS_OCTAVE();
  const TemporaryFolder folder;
  const auto file = folder.path() / "counters";
  const auto run = test::octave("addpath('" + test::library(folder) +
                                "'); global SLM_count; base = SLMfile('program', 3); frame = SLMenter('r'); "
                                "SLMadd(base + 2, SLMreads('v', {ones(10, 1)})); SLMleave(frame, 80, 0); SLMwrite('" +
                                file.string() + "');");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const RunCounts counts = read_counters(file);
  EXPECT_EQ(counts.regions.at("r").counted[Counter::loads], 80);
  EXPECT_EQ(counts.regions.at("r").storage_bytes, 80);
  ASSERT_EQ(counts.slots.size(), 1u);
  EXPECT_EQ(counts.slots[0].slot, 2u);
}

// Of a run whose counters are written by another function than the library's.
std::optional<Error> refused_run(const std::string& writer) {
  const TemporaryFolder folder;
  ::setenv("SPARSECAST_HOME", folder.path().c_str(), 1);
  folder.write("SLMwrite.m", writer);
  // In front of the library's folder.
  const auto program = folder.write(
      "p.m", "addpath('" + folder.path().string() + "');\nx = ones(10,1);\n%SLM start r;\ny = x + 1;\n%SLM end r;\n");
  std::optional<Error> error;
  try {
    (void)run_program(program, {});
  } catch (const Error& caught) {
    error = caught;
  }
  ::unsetenv("SPARSECAST_HOME");
  return error;
}

TEST(CounterFile, OfARunThatIsNotWholeIsAnError) {
  NEEDS_OCTAVE();
  const auto cut = refused_run(
      "function SLMwrite(path)\nout = fopen(path, 'w');\nfprintf(out, 'region\\tr\\t1\\t8');\n"
      "fclose(out);\nend\n");
  ASSERT_TRUE(cut);
  EXPECT_NE(cut->reason().find("not written completely"), std::string::npos) << cut->what();
  EXPECT_EQ(cut->place().line, 1);
  const auto strange = refused_run(
      "function SLMwrite(path)\nout = fopen(path, 'w');\nfprintf(out, ['region\\tother', repmat('\\t1', 1, 13), "
      "'\\nend\\t1\\n']);\nfclose(out);\nend\n");
  ASSERT_TRUE(strange);
  EXPECT_NE(strange->reason().find("region 'other'"), std::string::npos) << strange->what();
  const auto unknown = refused_run(
      "function SLMwrite(path)\nout = fopen(path, 'w');\nfprintf(out, ['count\\tother\\t1', repmat('\\t1', 1, 11), "
      "'\\nend\\t1\\n']);\nfclose(out);\nend\n");
  ASSERT_TRUE(unknown);
  EXPECT_NE(unknown->reason().find("'other'"), std::string::npos) << unknown->what();
}

TEST(Operands, ThatWereMultipliedMustBeThere) {
  const TemporaryFolder folder;
  EXPECT_TRUE(read_operands(folder.path(), 0).empty());
  try {
    (void)read_operands(folder.path(), 1);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::failed);
    EXPECT_NE(error.place().file.find("operand-1"), std::string::npos);
  }
}

}  // namespace
}  // namespace sparsecast::memory_traffic
