// What is asked for and would change nothing is refused or told, never dropped: an answer would look as if it heeded
// it.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/command.hpp"
#include "support/schema.hpp"

namespace sparsecast::test {
namespace {
using Words = std::vector<std::string>;

class WithoutEffect : public ::testing::Test {
 protected:
  WithoutEffect() {
    setenv("SPARSECAST_HOME", (folder.path() / "home").c_str(), 1);
    EXPECT_EQ(sparsecast({"generate", "poisson2d", "--size", "20", "-o", matrix}).exit_code, 0);
  }

  static void expect_refused(const Words& words, const std::string& why) {
    const CommandResult result = sparsecast(words);
    EXPECT_EQ(result.exit_code, 2) << result.out;
    EXPECT_TRUE(result.out.empty()) << result.out;
    EXPECT_NE(result.err.find(why), std::string::npos) << result.err;
  }

  TemporaryFolder folder;
  std::string matrix = (folder.path() / "m.mtx").string();
};

TEST_F(WithoutEffect, AProfileIsNotAskedForAnotherDevice) {
  const std::string table =
      folder.write("t.csv", "matrix,kernel,seconds\n" + matrix + ",cusparse-csr,1.9e-5\n").string();
  const std::string profile = (folder.path() / "mine.json").string();
  const CommandResult made =
      sparsecast({"profiles", "import", table, "--device", "tesla-k40m", "--name", "mine", "-o", profile});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const std::string why =
      "the profile is of 'mine', and the device 'nvidia-h100' is another; omit --device or --profile";
  for (const char* const command : {"predict", "plan", "solve"})
    expect_refused({command, matrix, "--profile", profile, "--device", "nvidia-h100"}, why);
  expect_refused({"evaluate", "--records", table, "--profile", profile, "--device", "nvidia-h100"}, why);
  for (const Words& same : {Words{}, Words{"--device", "mine"}, Words{"--device", "tesla-k40m"}}) {
    Words words{"predict", matrix, "--profile", profile, "--json"};
    words.insert(words.end(), same.begin(), same.end());
    EXPECT_EQ(sparsecast(words).exit_code, 0) << (same.empty() ? "" : same[1]);
  }
}

TEST_F(WithoutEffect, ThreadsAndPlacesOfAGpuAreTold) {
  const std::string end = " is without effect on nvidia-h100";
  const CommandResult threads = sparsecast({"predict", matrix, "--device", "nvidia-h100", "--threads", "2"});
  EXPECT_EQ(threads.exit_code, 0) << threads.err;
  EXPECT_NE(threads.err.find("--threads" + end), std::string::npos) << threads.err;
  const CommandResult places = sparsecast({"predict", matrix, "--device", "nvidia-h100", "--places", "close"});
  EXPECT_NE(places.err.find("--places close" + end), std::string::npos) << places.err;
  const Words two{"compare", matrix, "--threads", "2", "--devices"};
  Words gpus = two, mixed = two;
  gpus.push_back("nvidia-h100,amd-mi250");
  mixed.push_back("nvidia-h100,intel-xeon-8480");
  EXPECT_NE(sparsecast(gpus).err.find("--threads is without effect on these machines"), std::string::npos);
  EXPECT_EQ(sparsecast(mixed).err.find("without effect"), std::string::npos) << "the processor takes them";
}

TEST_F(WithoutEffect, ALaunchIsGivenOnce) {
  const Words own{"kernel", "--own", "csr-vector", "--matrix", matrix};
  for (const Words& more :
       {Words{"--grid", "5"}, Words{"--block", "64"}, Words{"--arg", "n=3"}, Words{"--trip", "L=3"}}) {
    Words words = own;
    words.insert(words.end(), more.begin(), more.end());
    expect_refused(words, "the matrix decides launch and data of an own kernel");
  }
  const Words launched{"kernel", "saxpy", "--grid", "8", "--block", "64"};
  for (const auto& [more, why] :
       std::vector<std::pair<Words, std::string>>{{{"--matrix", matrix}, "is for one of Sparsecast's own kernels"},
                                                  {{"--precision", "single"}, "others have that of their code"},
                                                  {{"--top", "3"}, "--top requires --space"},
                                                  {{"--within", "3"}, "--within requires --space"}}) {
    Words words = launched;
    words.insert(words.end(), more.begin(), more.end());
    expect_refused(words, why);
  }
}

TEST_F(WithoutEffect, WhatHasOnePrecisionIsNotAskedForAnother) {
  const std::string program = folder.write("p.m", "x = 1;\n").string();
  expect_refused({"cluster", "hpcg", "Site 1 - AMD EPYC 7763 64C 2.45GHz, Slingshot-11", "--cores", "1000",
                  "--precision", "single"},
                 "HPCG is in double precision; omit --precision single");
  expect_refused({"traffic", program, "--precision", "single"}, "omit --precision single");
  expect_refused({"traffic", program, "--no-run", "--json"}, "a program that is only translated has no counts");
  expect_refused({"traffic", program, "--translate-only", "--machine", "host"}, "has no counts");
}

TEST_F(WithoutEffect, APrecisionThatNothingHasIsTold) {
  for (const Words& words : {Words{"info", matrix}, Words{"profiles", "list"}, Words{"devices"}}) {
    Words asked = words;
    asked.insert(asked.end(), {"--precision", "single"});
    const CommandResult result = sparsecast(asked);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.err.find("--precision single is without effect on `" + words[0] + "`"), std::string::npos)
        << result.err;
  }
  EXPECT_EQ(sparsecast({"predict", matrix, "--precision", "single"}).err.find("without effect"), std::string::npos);
  const std::string table = folder.write("t.csv", "matrix,kernel,seconds\n" + matrix + ",csr,1.9e-5\n").string();
  const CommandResult imported = sparsecast(
      {"profiles", "import", table, "--name", "x", "--precision", "single", "-o", (folder.path() / "x.json").string()});
  EXPECT_EQ(imported.exit_code, 0) << imported.err;
  EXPECT_EQ(imported.err.find("without effect"), std::string::npos) << imported.err;
}

// Times of one thread would move, or be held against, forecasts of all cores.
TEST_F(WithoutEffect, TimesOfOtherThreadsOrPrecisionAreRefused) {
  const auto refused = [&](const Words& words, const std::string& why) {
    const CommandResult result = sparsecast(words);
    EXPECT_EQ(result.exit_code, 3) << result.out;
    EXPECT_NE(result.err.find(why), std::string::npos) << result.err;
  };
  const std::string rows = "matrix,rows,nonzeros,kernel,seconds,";
  const std::string threads = folder.write("t.csv", rows + "threads\na,900,7744,csr-merge,6.8e-5,1\n").string();
  const std::string single = folder.write("s.csv", rows + "precision\na,900,7744,csr-merge,6e-6,single\n").string();
  const Words device{"--device", "amd-epyc-7763"};
  for (const auto& [table, why] : {std::pair{threads, "its products are of 1 thread, and the forecasts of 64"},
                                   std::pair{single, "its products are in single precision"}}) {
    refused({"predict", matrix, device[0], device[1], "--anchors", table}, why);
    refused({"evaluate", "--records", table, device[0], device[1]}, why);
  }
  EXPECT_EQ(sparsecast({"evaluate", "--records", threads, device[0], device[1], "--threads", "1"}).exit_code, 0);
  EXPECT_EQ(sparsecast({"evaluate", "--records", single, device[0], device[1], "--precision", "single"}).exit_code, 0);
}

// Nobody calibrates a machine that is not here, and its interval is that of double precision.
TEST_F(WithoutEffect, SinglePrecisionOfADescribedMachineIsExtrapolated) {
  const std::string told = sparsecast({"predict", matrix, "--device", "amd-epyc-7763", "--precision", "single"}).out;
  EXPECT_NE(told.find("the forecast is extrapolated and has a wider interval: what is known of such machines was "
                      "measured in double precision"),
            std::string::npos)
      << told;
  EXPECT_EQ(told.find("calibrate"), std::string::npos) << told;
}

TEST_F(WithoutEffect, APictureIsNamedAsWhatItIs) {
  const std::string picture = (folder.path() / "picture.png").string();
  expect_refused({"compare", matrix, "--devices", "nvidia-h100", "-o", picture}, "name it .svg");
  expect_refused({"evaluate", matrix, "-o", picture}, "name it .svg");
  EXPECT_FALSE(std::filesystem::exists(picture));
}

TEST_F(WithoutEffect, AMachineIsComparedOnce) {
  const auto document = document_of({"compare", matrix, "--devices", "nvidia-h100,amd-mi250,nvidia-h100", "--json"});
  EXPECT_EQ(document["matrices"][0]["ranking"].size(), 2U) << "a machine does not finish before itself";
}

TEST_F(WithoutEffect, AReasonIsToldOnce) {
  const std::string told = sparsecast({"predict", matrix, "--device", "nvidia-h100"}).out;
  const std::size_t first = told.find("fastest product by model");
  ASSERT_NE(first, std::string::npos) << told;
  EXPECT_EQ(told.find("fastest product by model", first + 1), std::string::npos) << told;
}

TEST_F(WithoutEffect, NamesAreJudgedBeforeWhatIsMissing) {
  expect_refused({"predict", matrix, "--model", "gua"}, "there is no model 'gua'; the models are sparsecast, guo");
  expect_refused({"cluster", "predict", matrix, "--structure", "poisson3d", "--size", "10", "--machine", "fugaku"},
                 "a matrix and a structure are both named");
}

// Models of a cluster are learned from its runs, of which a described one has none.
TEST_F(WithoutEffect, AModelOfRunsIsNotAskedWhereThereAreNone) {
  expect_refused(
      {"cluster", "predict", "--structure", "poisson3d", "--size", "10", "--machine", "fugaku", "--model", "svr"},
      "--model svr needs a cluster that was measured");
  expect_refused({"cluster", "script", "--structure", "poisson3d", "--size", "10", "--machine", "fugaku"},
                 "a job script needs a matrix file");
}

TEST_F(WithoutEffect, ValuesAreRefusedInWords) {
  const auto refused = [&](const std::string& option, const std::string& value, const std::string& why) {
    expect_refused({"predict", matrix, option + "=" + value}, why + "; `sparsecast predict --help` lists its options");
  };
  refused("--iterations", "1e3", "--iterations: 1e3 is not a whole number");
  refused("--vectors", "x", "--vectors: x is not a number from 1 to 1048576");
  expect_refused({"solve", matrix, "--tolerance", "1e-30"}, "--tolerance: 1e-30 is not a number from 1e-15 to 1;");
  expect_refused({"cluster", "advise", matrix, "--iterations", "0"},
                 "--iterations: 0 is not a number from 1 to 1e+15;");
  refused("--precision", "half", "--precision: half is none of single, double");
  refused("--threads", "0", "--threads: 0 is neither auto nor a number from 1 to 1024");
  refused("--threads", "2x", "--threads: 2x is neither auto nor a number from 1 to 1024");
  expect_refused({"predict", matrix, "--iterations"}, "--iterations: its value is missing;");
  expect_refused({"predict", matrix, "--model", "best", "--model", "all"}, "--model is given 2 times;");
  expect_refused({"generate", "poisson2d", "--size", "x", "-o", matrix}, "--size: x is not a number;");
}
}  // namespace
}  // namespace sparsecast::test
