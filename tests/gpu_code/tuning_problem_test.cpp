// Tuning problems: expressions, restrictions, launches; the search by forecast and its journal; anchors and intervals.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

#include "gpu_code/space/expression.hpp"
#include "gpu_code/space/search_journal.hpp"
#include "gpu_code/space/space_search.hpp"
#include "gpu_code/space/surrogate.hpp"
#include "gpu_code/space/tuning_problem.hpp"
#include "gpu_code/times/kernel_times.hpp"
#include "gpu_code/times/time_belief.hpp"
#include "support/command.hpp"
#include "support/parts.hpp"

namespace sparsecast::gpu_code {
namespace {

using test::TemporaryFolder;

ExpressionValue result(const std::string& text) {
  const auto a = ExpressionValue::of(std::int64_t{7}), b = ExpressionValue::of(std::int64_t{-2});
  return Expression(text).evaluate([&](std::string_view name) -> const ExpressionValue* {
    return name == "a" ? &a : name == "b" ? &b : nullptr;
  });
}

TEST(Expressions, CountAsPythonDoes) {
  const std::pair<const char*, std::int64_t> whole[] = {
      {"1 + 2 * 3", 7},     {"a // b", -4},           {"a % b", -1},          {"-2 ** 2", -4},
      {"2 ** 3 ** 2", 512}, {"(a & 3) | 8", 11},      {"1 << 4 >> 2", 4},     {"max(a, b, 3)", 7},
      {"[4, 5, 6][-1]", 6}, {"len([1, 2])", 2},       {"sum([1, 2, a])", 10}, {"int(7 / 2)", 3},
      {"ceil(7 / 2)", 4},   {"1 if a > b else 0", 1}, {"max(15)", 15},        {"~a", -8}};
  for (const auto& [text, value] : whole) EXPECT_EQ(result(text).integer, value) << text;
  EXPECT_EQ(result("7 / 2").real, 3.5);
  const char* holds[] = {"32 <= a * 5 <= 1024", "a == 7 and not b > 0", "a in [1, 7]", "b not in (1, 2)",   "a != 6",
                         "a > 100 or b == -2",  "a >= 7 && b < 0",      "!(a < b)",    "8 % (16 / 4) == 0", "True"};
  for (const auto* text : holds) EXPECT_TRUE(result(text).truth()) << text;
}

TEST(Expressions, RoundAsPythonDoes) {
  const std::pair<const char*, std::int64_t> whole[] = {{"round(2.5)", 2},         {"round(3.5)", 4},
                                                        {"round(-2.5)", -2},       {"round(1250, -2)", 1200},
                                                        {"round(1350, -2)", 1400}, {"round(7, 3)", 7}};
  for (const auto& [text, value] : whole) {
    EXPECT_EQ(result(text).kind, ExpressionValue::Kind::integer) << text;
    EXPECT_EQ(result(text).integer, value) << text;
  }
  const std::pair<const char*, double> real[] = {
      {"round(2.675, 2)", 2.67},   {"round(0.125, 2)", 0.12},     {"round(7 / 3, 1)", 2.3}, {"round(7 / 3, 0)", 2},
      {"round(1250.5, -2)", 1300}, {"round(-1249.5, -1)", -1250}, {"round(1.5, 999)", 1.5}};
  for (const auto& [text, value] : real) {
    EXPECT_EQ(result(text).kind, ExpressionValue::Kind::real) << text;
    EXPECT_EQ(result(text).real, value) << text;
  }
}

TEST(Expressions, RefuseArgumentsThatAFunctionDoesNotTake) {
  for (const char* text : {"round(1.5, 1, 2)", "round(1.5, 0.5)", "round([1.5])", "round()", "abs(1, 2)", "int(7.5, 2)",
                           "float(1, 2)", "sqrt(4, 2)", "ceil(1.5, 1)", "floor([1.5, 2.5])", "log2(8, 2)", "sum(1, 2)",
                           "sum([1], 2, 3)", "len([1], [2])", "range(1, 2, 3, 4)", "sorted([1], [2])"})
    EXPECT_THROW((void)result(text), Error) << text;
  EXPECT_EQ(result("sum([1, 2], 3)").integer, 6);
}

std::string listed(const ExpressionValue& value) {
  std::string text;
  for (const auto& v : value.list) text += (text.empty() ? "" : " ") + v.written();
  return value.kind == ExpressionValue::Kind::list ? text : "no list";
}

/// What the public tuner evaluates as Python; the results are Python's.
TEST(Expressions, MakeListsAsPythonDoes) {
  const std::pair<const char*, const char*> lists[] = {{"list(range(1, 5))", "1 2 3 4"},
                                                       {"range(3)", "0 1 2"},
                                                       {"list(range(9, 0, -4))", "9 5 1"},
                                                       {"list(range(0))", ""},
                                                       {"tuple(range(2, 8, 3))", "2 5"},
                                                       {"[1] + [2, 3]", "1 2 3"},
                                                       {"(1, 2) * 2", "1 2 1 2"},
                                                       {"[32] + list(range(64, 129, 32))", "32 64 96 128"},
                                                       {"[2**i for i in range(5)]", "1 2 4 8 16"},
                                                       {"[32*i for i in range(1, 9) if i % 2 == 0]", "64 128 192 256"},
                                                       {"[i*j for i in (1, 2) for j in [3, 4] if i != j]", "3 4 6 8"},
                                                       {"list(x + a for x in range(2))", "7 8"},
                                                       {"[*range(3), 8]", "0 1 2 8"},
                                                       {"sorted([3, 1, 2])", "1 2 3"},
                                                       {"sorted(set([3, 1, 3]))", "1 3"},
                                                       {"[a for a in [1, 2]]", "1 2"},
                                                       {"[0.5, 'half', True]", "0.5 half 1"}};
  for (const auto& [text, expected] : lists) EXPECT_EQ(listed(result(text)), expected) << text;
  EXPECT_EQ(result("sum(i for i in range(5))").integer, 10);
  EXPECT_EQ(Expression("[i + n for i in range(m)]").names(), (std::vector<std::string>{"n", "m"}))
      << "what a comprehension binds is no name that it reads";
}

TEST(Expressions, ListsHaveABound) {
  for (const char* text :
       {"list(range(10**9))", "[0] * 10**9", "[[0] * 1000 for i in range(1000)]",
        "[0 for i in range(1000) for j in range(1000)]", "[0 for i in range(1000) for j in range(1000) if False]",
        "range(0, 1, 0)", "[i for i in 3]", "[i for 3 in [1]]", "[i for i in [1]", "range()", "[1] * [2]", "[1] - [1]"})
    EXPECT_THROW((void)result(text), Error) << text;
}

TEST(Expressions, AreNeverRunAsCode) {
  const char* refused[] = {"__import__('os')",
                           "sqrt(-1) < 1",  // NaN, as which every comparison would be false in silence
                           "log2(0) < 1",
                           "(0 - 8) ** 0.5 < 1",
                           "1e308 * 10 > 1",
                           "a.b",
                           "open('x')",
                           "lambda: 1",
                           "a = 1",
                           "[x for x in a]",
                           "1 +",
                           "(1",
                           "a b",
                           "'x",
                           "c + 1",
                           "a // 0",
                           "9223372036854775807 + 1",
                           "2 ** 100",
                           "1 << 70",
                           "math.system(1)",
                           "a[0]",
                           "min()"};
  for (const auto* text : refused) EXPECT_THROW((void)result(text), Error) << text;
  EXPECT_THROW((void)Expression(std::string(500, '(') + "1" + std::string(500, ')')), Error);
  std::string long_one = "1";
  for (int i = 0; i < 2000; ++i) long_one += "+1";
  EXPECT_THROW((void)Expression(long_one), Error);
}

constexpr const char* problem_text = R"({
 "ConfigurationSpace": {"TuningParameters": [
   {"Name": "block_size_x", "Type": "int", "Values": "[32, 64, 128]"},
   {"Name": "tile", "Type": "int", "Values": [1, 2, 4]}],
  "Conditions": [{"Expression": "block_size_x * tile <= 128", "Parameters": ["block_size_x", "tile"]}]},
 "KernelSpecification": {"KernelName": "twice", "ProblemSize": [1000000], "GridDivX": ["block_size_x", "tile"],
  "LocalSize": {"X": "block_size_x", "Y": "1", "Z": "1"}}})";

TEST(TuningProblems, WalkOnlyWhatTheRestrictionsAllow) {
  const TemporaryFolder folder;
  const auto file = folder.write("space.json", problem_text);
  const TuningProblem problem(file, {});
  std::vector<std::string> seen;
  problem.walk([&](std::span<const std::uint16_t> choice) {
    const auto row = problem.row(choice);
    seen.push_back(row.defines[0] + " " + row.defines[1] + " " + std::to_string(row.grid[0]) + "x" +
                   std::to_string(row.block[0]));
    return true;
  });
  ASSERT_EQ(seen.size(), 6u);  // 32: 1, 2, 4; 64: 1, 2; 128: 1
  EXPECT_EQ(seen[0], "block_size_x=32 tile=1 31250x32");
  EXPECT_EQ(seen[2], "block_size_x=32 tile=4 7813x32");
  EXPECT_EQ(seen[5], "block_size_x=128 tile=1 7813x128");

  const TuningProblem pinned(file, {"", {"tile=2", "OTHER=3"}, "", ""});
  std::size_t count = 0;
  pinned.walk([&](std::span<const std::uint16_t> choice) {
    EXPECT_EQ(pinned.row(choice).defines.back(), "OTHER=3");
    return ++count < 100;
  });
  EXPECT_EQ(count, 2u);
  EXPECT_THROW(TuningProblem(file, {"", {"tile=3"}, "", ""}), Error);
}

std::vector<std::string> launches(const TuningProblem& problem) {
  std::vector<std::string> seen;
  problem.walk([&](std::span<const std::uint16_t> choice) {
    const auto row = problem.row(choice);
    seen.push_back(row.defines[0] + " " + row.defines[1] + " " + std::to_string(row.grid[0]) + "x" +
                   std::to_string(row.block[0]));
    return true;
  });
  return seen;
}

TEST(TuningProblems, ListedConfigurationsAreTheSpace) {
  std::string text = problem_text;
  const std::string conditions = "\"Conditions\"";
  text.replace(text.find(conditions), conditions.size(),
               R"("Configurations": [[64, 2], [32, 1], [32, 1], [128, 4]], "Conditions")");
  // In the parameters' order, once each; the last is shut out by the restriction.
  EXPECT_EQ(launches({text, "space.json", {}}),
            (std::vector<std::string>{"block_size_x=32 tile=1 31250x32", "block_size_x=64 tile=2 7813x64"}));
  EXPECT_EQ(launches({text, "space.json", {"", {"tile=2"}, "", ""}}),
            (std::vector<std::string>{"block_size_x=64 tile=2 7813x64"}));
  text.replace(text.find("[64, 2]"), 7, "[64]");
  EXPECT_THROW(TuningProblem(text, "space.json", {}), Error);
}

TEST(TuningProblems, KernelTunersCacheIsTheSpaceThatItLists) {
  const std::string cache = R"({"device_name": "d", "kernel_name": "twice", "problem_size": [4096, 64],
    "tune_params_keys": ["block_size_x", "tile"], "tune_params": {"tile": [1, 2], "block_size_x": [32, 64, 128]},
    "cache": {"64,1": {"block_size_x": 64, "tile": 1, "time": 2.5},
              "128,2": {"block_size_x": 128, "tile": 2, "time": "RuntimeFailedConfig"}}})";
  const TuningProblem problem(cache, "cache.json", {});
  EXPECT_EQ(problem.kernel(), "twice");
  EXPECT_EQ(launches(problem),
            (std::vector<std::string>{"block_size_x=64 tile=1 64x64", "block_size_x=128 tile=2 32x128"}));
  EXPECT_EQ(launches({cache, "cache.json", {"", {}, "4096 // (block_size_x * tile), 64", ""}}),
            (std::vector<std::string>{"block_size_x=64 tile=1 64x64", "block_size_x=128 tile=2 16x128"}));
}

/// The grid and the block of the first configuration of a problem with these members of its KernelSpecification.
std::pair<Dim3, Dim3> launch_of(const std::string& kernel) {
  const TuningProblem problem(R"({"ConfigurationSpace": {"TuningParameters": [
      {"Name": "block_size_x", "Values": [32]}, {"Name": "block_size_y", "Values": [4]}, {"Name": "tile", "Values": [2]}]},
    "KernelSpecification": {"KernelName": "k", )" +
                                  kernel + "}}",
                              "space.json", {});
  const auto row = problem.row(std::vector<std::uint16_t>{0, 0, 0});
  return {row.grid, row.block};
}

TEST(TuningProblems, WhatNoDivisorIsGivenForIsDividedByItsBlock) {
  // Kernel Tuner's get_grid_dimensions; the depth of a matrix product, which no block divides, is no direction here.
  EXPECT_EQ(launch_of(R"("ProblemSize": [1024, 1024], "GridDivX": ["block_size_x", "tile"])").first,
            (Dim3{16, 256, 1}));
  EXPECT_EQ(launch_of(R"("ProblemSize": [1024, 1024], "GridDivY": ["tile"])").first, (Dim3{32, 512, 1}));
  EXPECT_EQ(launch_of(R"("ProblemSize": [1024, 1024, 9], "GridDivX": ["tile"])").first, (Dim3{512, 256, 1}));
}

TEST(TuningProblems, SizesMayBeLists) {
  const auto [grid, block] = launch_of(R"("LocalSize": ["block_size_x * tile", 2], "GlobalSize": [16, "4 * tile"])");
  EXPECT_EQ(grid, (Dim3{16, 8, 1}));
  EXPECT_EQ(block, (Dim3{64, 2, 1}));
  EXPECT_THROW((void)launch_of(R"("LocalSize": [1, 2, 3, 4], "GlobalSize": [16])"), Error);
  EXPECT_THROW((void)launch_of(R"("LocalSize": "block_size_x", "GlobalSize": [16])"), Error);
}

TEST(TuningProblems, TheTypeOfAGlobalSizeIsAWordWithoutCase) {
  const auto grid = [](const std::string& type) {
    return launch_of(R"("GlobalSize": {"X": "1024", "Y": "8"}, "GlobalSizeType": ")" + type + "\"").first;
  };
  for (const auto* threads : {"OpenCL", "opencl", "OPENCL"}) EXPECT_EQ(grid(threads), (Dim3{32, 2, 1})) << threads;
  for (const auto* blocks : {"CUDA", "cuda", "Vulkan"}) EXPECT_EQ(grid(blocks), (Dim3{1024, 8, 1})) << blocks;
  EXPECT_THROW((void)grid("threads"), Error);
}

TEST(TuningProblems, ValuesByRangeAreThoseWrittenOut) {
  const auto configurations = [](const std::string& values) {
    std::string text = problem_text;
    text.replace(text.find("[1, 2, 4]"), 9, values);
    std::vector<std::string> seen;
    const TuningProblem problem(text, "space.json", {});
    problem.walk([&](std::span<const std::uint16_t> choice) {
      const auto row = problem.row(choice);
      seen.push_back(row.defines[0] + " " + row.defines[1]);
      return true;
    });
    return seen;
  };
  const auto written_out = configurations("[1, 2, 3, 4]");
  EXPECT_EQ(written_out.size(), 7u);  // 32: 1 to 4; 64: 1, 2; 128: 1
  EXPECT_EQ(configurations("\"list(range(1, 5))\""), written_out);
  EXPECT_EQ(configurations("\"[i for i in range(1, 9) if i < 5]\""), written_out);
}

TEST(TuningProblems, RefuseWhatTheyCannotRead) {
  const TemporaryFolder folder;
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = problem_text;
    text.replace(text.find(from), from.size(), to);
    return folder.write("changed.json", text);
  };
  const std::pair<const char*, const char*> changes[] = {{"\"block_size_x * tile <= 128\"", "\"nothing < 3\""},
                                                         {"\"[32, 64, 128]\"", "\"[]\""},
                                                         {"\"[32, 64, 128]\"", "\"exec('x')\""},
                                                         {"ConfigurationSpace", "Space"},
                                                         {"[1, 2, 4]", "[{}]"},
                                                         {"[1, 2, 4]", "1e999"},
                                                         {"\"Name\": \"tile\"", "\"Name\": 3"},
                                                         {"\"Name\": \"tile\"", "\"name\": \"tile\""},
                                                         {"\"Name\": \"tile\"", "\"Name\": \"block_size_x\""},
                                                         {"\"Conditions\"", "\"Condition\""},
                                                         {"\"GridDivX\"", "\"GridDivx\""},
                                                         {"{\"X\": \"block_size_x\"", "{\"x\": \"block_size_x\""},
                                                         {"\"LocalSize\": {", "\"LocalSize\": 3, \"Misc\": {"},
                                                         {"{", "["}};
  for (const auto& [from, to] : changes) {
    try {
      (void)TuningProblem(changed(from, to), {});
      ADD_FAILURE() << from;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input) << from;
      EXPECT_NE(error.place().file.find("changed.json"), std::string::npos) << from;
      EXPECT_EQ(error.reason().find("json.exception"), std::string::npos) << error.reason();
    }
  }
}

TEST(SearchJournals, AreFilesAndPassOverLinesThatAreNone) {
  EXPECT_THROW(SearchJournal("/dev/zero"), Error);
  const TemporaryFolder folder;
  EXPECT_THROW(SearchJournal(folder.path()), Error);
  const auto file = folder.write("journal.jsonl", R"({"choice": [1, 2], "seconds": 0.5})"
                                                  "\n{\"choice\": [1e999]}\n[[[[\n\n"
                                                  R"({"choice": [2, 2], "refusal": "too large"})"
                                                  "\n{\"choice\": [3");
  const SearchJournal journal(file);
  EXPECT_EQ(journal.entries().size(), 2U);
  EXPECT_EQ(journal.entries().at({1, 2}).seconds, 0.5);
  EXPECT_EQ(test::read_text(file).back(), '\n') << "the next line would be part of the one that was cut off";
}

TEST(Surrogates, KnowWhatTheyWereToldAndDoubtTheRest) {
  Surrogate surrogate;
  std::vector<std::vector<double>> points;
  std::vector<double> values;
  for (int i = 0; i <= 10; ++i) {
    points.push_back({i / 10.0, 0.0});
    values.push_back(std::sin(3 * i / 10.0));
  }
  surrogate.fit(points, values);
  const auto between = surrogate.predict(std::vector<double>{0.45, 0.0});
  EXPECT_NEAR(between.mean, std::sin(1.35), 0.02);
  const auto far = surrogate.predict(std::vector<double>{0.45, 3.0});
  EXPECT_GT(far.deviation, 3 * between.deviation);
}

TEST(Anchors, MoveWhatTheyAreBoundBy) {
  EXPECT_EQ(parse_anchor("12=0.003").row, 12);
  const auto named = parse_anchor("a=32,b=x=0.5");
  ASSERT_EQ(named.parameters.size(), 2u);
  EXPECT_EQ(named.parameters[1].second, "x");
  EXPECT_EQ(named.seconds, 0.5);
  for (const auto* text : {"12", "=1", "a=1=", "12=-1", "0=1", "a=1,b=0.5=x"})
    EXPECT_THROW((void)parse_anchor(text), Error) << text;
  KernelTimes times;
  times.clock_hz = 2e9;
  times.base_clock_hz = 1e9;
  constexpr double alike = 0.1, unlike = 0.6;  // how much the forecasts differ
  EXPECT_EQ(TimeBelief(times, alike).scale(false), 1);
  // Three anchors agree but for one: about the clock that is half as high, which moves no traffic of memory.
  const std::vector<AnchoredTime> three{{1, 2.1, false}, {2, 4.1, false}, {1, 9, false}};
  const TimeBelief base(times, alike, three);
  EXPECT_NEAR(base.scale(false), 2.1, 0.1);
  EXPECT_NEAR(base.scale(true), 1, 0.06);
  // Until an anchor decides, both clocks are within the interval; then one is.
  EXPECT_GT(TimeBelief(times, alike).interval(1, false).high_s, 2);
  EXPECT_LT(TimeBelief(times, alike).interval(1, true).high_s, 1.5);
  EXPECT_LT(TimeBelief(times, alike, {{1, 1, false}, {1, 1.02, false}}).interval(1, false).high_s, 1.2);
  EXPECT_GT(base.interval(1, false).low_s, 1.8);
  // Configurations that hardly differ are wrong alike, of others an anchor tells less.
  const std::vector<AnchoredTime> one{{1, 1.2, false}};
  EXPECT_GT(TimeBelief(times, alike, one).scale(false), 1.1);
  EXPECT_LT(TimeBelief(times, unlike, one).scale(false), 1.05);
  EXPECT_NEAR(forecast_spread({1, std::exp(0.4)}), 0.2, 1e-12);
  // A clock that was asked for is no question.
  times.clock_is_known = true;
  EXPECT_LT(TimeBelief(times, alike).interval(1, false).high_s, 1.5);
}

constexpr const char* twice_source = R"(
extern "C" __global__ void twice(const float* a, float* b) {
  for (int i = 0; i < tile; ++i) {
    int at = (blockIdx.x * tile + i) * block_size_x + threadIdx.x;
    b[at] = 2 * a[at];
  }
})";

TEST(SpaceSearch, RanksASpaceAndGoesOnFromItsJournal) {
  const TemporaryFolder folder;
  const auto source = folder.write("twice.cu", twice_source).string(),
             space = folder.write("space.json", problem_text).string(),
             journal = (folder.path() / "journal.jsonl").string(), cache = (folder.path() / "cache.json").string();
  const std::vector<std::string> command{"kernel", source,   "--space",   space,   "--device", "nvidia-a100", "--top",
                                         "3",      "--json", "--journal", journal, "--cache",  cache};
  const auto first = test::sparsecast(command);
  if (first.exit_code == 4) SKIP_OR_FAIL(test::parts::nvcc);
  ASSERT_EQ(first.exit_code, 0) << first.err;
  const auto document = nlohmann::json::parse(first.out);
  EXPECT_EQ(document["configurations"], 6);
  EXPECT_EQ(document["forecast"], 6);
  ASSERT_EQ(document["ranking"].size(), 3u);
  double before = 0;
  for (const auto& r : document["ranking"]) {
    EXPECT_LE(before, r["seconds"].get<double>());
    before = r["seconds"];
    EXPECT_LT(r["low_s"].get<double>(), before);
    EXPECT_GT(r["high_s"].get<double>(), before);
    EXPECT_TRUE(r["configuration"]["tile"].is_number());
    EXPECT_FALSE(r["bound_by"].get<std::string>().empty());
  }
  const auto kept = nlohmann::json::parse(test::read_text(cache));
  EXPECT_TRUE(kept["device_name"].get<std::string>().starts_with("forecast: "));
  EXPECT_EQ(kept["cache"].size(), 3u);

  // A line that was cut off is made again, the others are not.
  auto lines = test::read_text(journal);
  lines.resize(lines.size() - 20);
  folder.write("journal.jsonl", lines);
  const auto second = test::sparsecast(command);
  ASSERT_EQ(second.exit_code, 0) << second.err;
  const auto again = nlohmann::json::parse(second.out);
  EXPECT_EQ(again["resumed"], 5);
  EXPECT_EQ(again["ranking"], document["ranking"]);

  // An anchor moves all times alike.
  auto anchored = command;
  const double forecast_s = document["ranking"][0]["seconds"];
  anchored.insert(anchored.end(), {"--anchor", fmt::format("block_size_x=32,tile=1={}", 5 * forecast_s)});
  const auto moved = nlohmann::json::parse(test::sparsecast(anchored).out);
  EXPECT_GT(moved["ranking"][0]["seconds"].get<double>(), 1.2 * forecast_s);
  EXPECT_EQ(moved["ranking"][0]["configuration"], document["ranking"][0]["configuration"]);
  anchored.back() = fmt::format("block_size_x=32,tile=1,other=2={}", forecast_s);
  EXPECT_EQ(test::sparsecast(anchored).exit_code, 2) << "there is no such parameter";
}

}  // namespace
}  // namespace sparsecast::gpu_code
