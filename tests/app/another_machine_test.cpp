// What comes from another machine, or cannot be kept on this one: a store that another processor filled, observations
// that are imported, a profile with more threads than there are cores here.

#include <gtest/gtest.h>

#include <fstream>
#include <sparsecast/threads.hpp>

#include "app/pipeline.hpp"
#include "support/synthetic_profile.hpp"

namespace sparsecast::test {
namespace {
std::vector<std::string> in(const std::filesystem::path& home) { return {"SPARSECAST_HOME=" + home.string()}; }

json observed_in(const std::filesystem::path& home) {
  return json::parse(sparsecast({"profiles", "observations", "--json"}, in(home)).out)["observations"];
}

json observation_of(const json& like, const std::string& machine, const std::string& taken, double seconds) {
  json one = like;
  one["machine"] = machine;
  one["taken"] = taken;
  one["seconds"] = seconds;
  return one;
}

std::string written(const TemporaryFolder& folder, const json& observations) {
  const json document{{"schema", "sparsecast/observations/1"}, {"observations", observations}};
  return folder.write("given.json", document.dump()).string();
}
}  // namespace

TEST(AnotherMachine, ACalibrationOfAnotherProcessorIsNotContinued) {
  const TemporaryFolder home;
  Profile other = empty_host_profile(2);
  other.properties.name = "host";
  other.properties.model = "Another Processor";
  {
    calibration::Store store(home.path() / "store.sqlite");
    store.begin_profile(other.properties, "test");
    BenchmarkMatrix matrix;
    matrix.spec = {"constant", 1, 4, 8, 8, 1, {}};
    matrix.structure = constant_structure(8, 4);
    store.add_records("host", matrix,
                      {{.kernel = "csr", .threads = 1, .seconds = 1e-6, .taken = "2026-01-01T00:00:00Z"}});
  }
  const CommandResult refused = sparsecast({"calibrate", "--quick"}, in(home.path()));
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("is of another processor: Another Processor, now "), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("--fresh` discards it"), std::string::npos) << refused.err;
  const auto kept = calibration::Store(home.path() / "store.sqlite").profile("host");
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->properties.model, "Another Processor");
  EXPECT_EQ(kept->records.size(), 1U);
  // Nor are forecasts made of it: they are those of a home that has none.
  const std::string file =
      home.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n").string();
  const CommandResult predicted = sparsecast({"predict", file, "--threads", "1", "--json"}, in(home.path()));
  ASSERT_EQ(predicted.exit_code, 0) << predicted.err;
  EXPECT_NE(predicted.err.find("stale (of another processor, Another Processor)"), std::string::npos) << predicted.err;
  const json answer = json::parse(predicted.out);
  ASSERT_FALSE(answer["forecasts"].empty());
  for (const json& one : answer["forecasts"]) EXPECT_EQ(one["tier"], "shipped") << one;
}

TEST(AnotherMachine, WhatCannotBeKeptIsAFailureAndReplacesNoFile) {
  const TemporaryFolder home;
  const std::string given = written(home, json::array());
  home.write("observations.sqlite", std::string(5000, 'x'));
  for (const std::vector<std::string>& changes : {std::vector<std::string>{"--import", given}, {"--forget"}}) {
    std::vector<std::string> ask{"profiles", "observations"};
    ask.insert(ask.end(), changes.begin(), changes.end());
    const CommandResult told = sparsecast(ask, in(home.path()));
    EXPECT_EQ(told.exit_code, 1) << changes.front();
    EXPECT_NE(told.err.find("measurements are not remembered"), std::string::npos) << told.err;
  }
  const std::string earlier = home.write("earlier.json", "what was exported before").string();
  EXPECT_EQ(sparsecast({"profiles", "observations", "--export", earlier}, in(home.path())).exit_code, 1);
  EXPECT_EQ(read_text(earlier), "what was exported before");
  const CommandResult doctor = sparsecast({"doctor"}, in(home.path()));
  EXPECT_NE(doctor.out.find("measurements are not remembered"), std::string::npos) << doctor.out;
}

TEST(AnotherMachine, ItsObservationsDoNotTakeThePlaceOfThoseMadeHere) {
  const TemporaryFolder home;
  const std::string file = (home.path() / "a.mtx").string();
  ASSERT_EQ(sparsecast({"generate", "poisson2d", "--size", "20", "-o", file}).exit_code, 0);
  ASSERT_EQ(sparsecast({"measure", file, "--threads", "1", "--kernels", "csr"}, in(home.path())).exit_code, 0);
  const json here = observed_in(home.path());
  ASSERT_EQ(here.size(), 1U);
  const std::string machine = here[0]["machine"], taken = here[0]["taken"], later = "2199-01-01T00:00:00Z";
  const auto add = [&](const json& one) {
    const CommandResult told =
        sparsecast({"profiles", "observations", "--import", written(home, json::array({one}))}, in(home.path()));
    EXPECT_EQ(told.exit_code, 0) << told.err;
    return told.err;
  };
  const json another = observation_of(here[0], "another", later, 3);
  EXPECT_NE(add(another).find("1 observations added"), std::string::npos);
  EXPECT_EQ(observed_in(home.path()).size(), 2U) << "of another machine, beside the one made here";
  EXPECT_NE(add(observation_of(here[0], machine, "2001-01-01T00:00:00Z", 3)).find("0 observations added"),
            std::string::npos)
      << "older";
  EXPECT_EQ(observed_in(home.path())[0], here[0]);
  add(observation_of(here[0], machine, later, 3));
  const json now = observed_in(home.path());
  ASSERT_EQ(now.size(), 2U);
  for (const json& one : now) EXPECT_EQ(one["seconds"], 3) << "newer";
}

// By what ships: nothing was calibrated in this home.
TEST(AnotherMachine, TheNumberOfThreadsIsChosenByWhatWasMeasuredToo) {
  const TemporaryFolder home;
  const std::string file = (home.path() / "threads.mtx").string();
  ASSERT_EQ(sparsecast({"generate", "poisson2d", "--size", "50", "-o", file}).exit_code, 0);
  ASSERT_EQ(sparsecast({"measure", file, "--threads", "1", "--kernels", "csr"}, in(home.path())).exit_code, 0);
  const json seen = observed_in(home.path());
  ASSERT_EQ(seen.size(), 1U);
  const json faster = observation_of(seen[0], seen[0]["machine"], seen[0]["taken"], 1e-9);
  const std::string given = written(home, json::array({faster}));
  ASSERT_EQ(sparsecast({"profiles", "observations", "--import", given}, in(home.path())).exit_code, 0);
  const json told = json::parse(sparsecast({"predict", file, "--threads", "auto", "--json"}, in(home.path())).out);
  ASSERT_EQ(told["thread_counts"][0]["threads"], 1);
  EXPECT_EQ(told["thread_counts"][0]["seconds"], 1e-9);
  EXPECT_EQ(told["threads"], 1);
  EXPECT_EQ(told["forecasts"][0]["seconds"], 1e-9);
}

TEST_F(Pipeline, AProfileOfMoreCoresIsForecastForAllOfThem) {
  const std::string file = (folder->path() / "many.json").string();
  ASSERT_EQ(sparsecast({"profiles", "export", "host", "-o", file}).exit_code, 0);
  json profile = json::parse(read_text(file));
  const int here = default_threads(), many = 64 + here;
  for (json& record : profile["records"])
    if (record["threads"] == here) record["threads"] = many;
  for (json& curve : profile["curves"])
    if (curve["threads"] == here) curve["threads"] = many;
  std::ofstream(file) << profile;
  const CommandResult told = sparsecast({"predict", matrix(), "--profile", file, "--json"});
  ASSERT_EQ(told.exit_code, 0) << told.err;
  EXPECT_NE(told.err.find("was measured with up to " + std::to_string(many) + " threads"), std::string::npos);
  const json with_all = document({"predict", matrix(), "--profile", file, "--threads", std::to_string(many), "--json"});
  expect_same_forecasts(json::parse(told.out)["forecasts"], with_all["forecasts"]);
  const json chosen = document({"predict", matrix(), "--profile", file, "--threads", "auto", "--json"});
  EXPECT_EQ(chosen["thread_counts"].back()["threads"], many) << chosen["thread_counts"];
  if (here == 1) return;  // whose times are now those of many
  const CommandResult planned =
      sparsecast({"plan", matrix(), "--profile", file, "--threads", std::to_string(many - 1)});
  EXPECT_NE(planned.err.find("the plan is for 1 thread, the most of up to "), std::string::npos) << planned.err;
}
}  // namespace sparsecast::test
