// sparsecast optimize through the command: its document, its options, its refusals. No time is asserted.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sparsecast/read.hpp>
#include <sparsecast/reorder.hpp>
#include <sparsecast/write.hpp>

#include "support/command.hpp"
#include "support/measured_home.hpp"
#include "support/schema.hpp"

namespace sparsecast::test {
namespace {

using nlohmann::json;

class Optimize : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = std::make_unique<TemporaryFolder>();
    setenv("SPARSECAST_HOME", (folder->path() / "home").c_str(), 1);
    ASSERT_EQ(sparsecast({"generate", "powerlaw", "--rows", "30000", "--row-mean", "6", "-o", matrix()}).exit_code, 0);
    calibrated_home(folder->path() / "home");
  }
  static void TearDownTestSuite() { folder.reset(); }
  static std::string matrix() { return (folder->path() / "m.mtx").string(); }

  static json document(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"optimize", matrix()});
    arguments.insert(arguments.end(), {"--json", "--threads", "1"});
    return document_of(arguments);
  }
  static std::unique_ptr<TemporaryFolder> folder;
};
std::unique_ptr<TemporaryFolder> Optimize::folder;

void expect_chain(const json& d) {
  const json& s = d["strategy"];
  EXPECT_EQ(s.front()["first_row"], 0);
  EXPECT_EQ(s.front()["first_strip"], 1);
  EXPECT_EQ(s.back()["last_row"], 29999);
  EXPECT_EQ(s.back()["last_strip"], d["strips"]);
  for (std::size_t b = 1; b < s.size(); ++b)
    EXPECT_EQ(s[b]["first_row"].get<int>(), s[b - 1]["last_row"].get<int>() + 1);
}

// There is something to choose where there is nothing to multiply: y is written all the same, and a row costs its time.
TEST_F(Optimize, AMatrixWithoutEntriesIsPlannedAsItIsForecastAndMeasured) {
  for (const auto& [rows, cols] : {std::pair{0, 0}, {5, 5}, {200'000, 5}}) {
    SCOPED_TRACE(rows);
    const std::string file = (folder->path() / "empty.mtx").string();
    std::ofstream(file) << "%%MatrixMarket matrix coordinate real general\n" << rows << " " << cols << " 0\n";
    const json plan = document_of({"plan", file, "--verify", "--json", "--threads", "1", "--no-store", "--no-probe"});
    EXPECT_GT(plan["predicted_s"].get<double>(), 0);
    EXPECT_GT(plan["measured_s"].get<double>(), 0);
    EXPECT_EQ(plan["reason"].get<std::string>().find("by name"), std::string::npos);
    if (rows == 0) continue;  // planned as for one entry
    const json told = document_of({"predict", file, "--json", "--threads", "1", "--no-store", "--no-probe"});
    EXPECT_EQ(plan["best_single"]["kernel"], told["recommended"]["kernel"]);
    EXPECT_EQ(plan["best_single"]["seconds"], told["recommended"]["seconds"]);
  }
}

TEST_F(Optimize, TellsWhetherToHoldTheTranspose) {
  const json d = document({"--transposed"});
  EXPECT_TRUE(d["transposed"]);
  const json& stored = d["stored_transpose"];
  EXPECT_FALSE(stored["symmetric"]);
  const double saved = d["predicted_s"].get<double>() - stored["seconds"].get<double>();
  ASSERT_EQ(saved > 0, !stored["pays_from"].is_null());
  if (saved > 0) {
    const double paid =
        stored["transpose_s"].get<double>() + stored["conversion_s"].get<double>() - d["conversion_s"].get<double>();
    EXPECT_GE(stored["pays_from"].get<double>() * saved, 0.999 * paid);
  }
  EXPECT_EQ(document({"--vectors", "4"})["vectors"], 4);
  EXPECT_EQ(sparsecast({"optimize", matrix(), "--transposed", "--verify", "--threads", "1"}).exit_code, 2);
}

TEST_F(Optimize, CoversEveryRowAndIsNeverPredictedSlowerThanTheBestSingle) {
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{}, {"--strip-rows", "1000"}, {"--max-blocks", "1"}, {"--reorder", "never"}}) {
    const json d = document(options);
    expect_chain(d);
    EXPECT_LE(d["predicted_s"].get<double>(), d["best_single"]["seconds"].get<double>());
    EXPECT_FALSE(d.contains("measured_s"));
  }
  EXPECT_EQ(document({"--strip-rows", "1000"})["strips"], 30);
}

TEST_F(Optimize, VerifyMeasuresThePlanAndEverySingleKernel) {
  const json d = document({"--verify", "--always-cut", "--strip-rows", "1000"});
  expect_chain(d);
  EXPECT_GT(d["measured_s"].get<double>(), 0);
  EXPECT_GT(d["best_single"]["measured_s"].get<double>(), 0);
  EXPECT_EQ(d["singles"].size(), 11U) << "the kernels of the host, variants of sell among them";
  for (const json& single : d["singles"]) {
    EXPECT_EQ(single.contains("measured_s"), single["status"] == "ok");
  }
  EXPECT_LT(d["largest_error"].get<double>(), 1e-12);
}

TEST_F(Optimize, APlanOfOneKernelSharesItsMeasurement) {
  const json d = document({"--verify", "--max-blocks", "1", "--reorder", "never"});
  EXPECT_EQ(d["measured_s"], d["best_single"]["measured_s"]);
}

TEST_F(Optimize, SavesAPlan) {
  const std::string file = (folder->path() / "plan.json").string();
  document({"--save", file, "--iterations", "100"});
  const json plan = json::parse(read_text(file));
  EXPECT_EQ(plan["schema"], "sparsecast/plan/1");
  EXPECT_EQ(plan["iterations"], 100);
}

TEST_F(Optimize, PutsRowsAndColumnsInOrderAndMeasuresIt) {
  const json d = document({"--reorder", "rcm", "--iterations", "5000", "--verify"});
  expect_chain(d);
  EXPECT_EQ(d["reordering"], "rcm");
  EXPECT_GT(d["reordering_s"].get<double>(), 0);
  EXPECT_GT(d["measured_reordering_s"].get<double>(), 0);
  EXPECT_LT(d["reordering_largest_error"].get<double>(), 1e-12);
  EXPECT_EQ(d["orders"].size(), 1U);
  EXPECT_FALSE(document({}).contains("reordering"));
}

// The solve that is told beside an order is of the matrix in that order.
TEST_F(Optimize, ChoosesASolverForTheMatrixInItsOrder) {
  const Matrix as_it_is = read_matrix(matrix());
  const std::string file = (folder->path() / "in_order.mtx").string();
  write_matrix_market(permuted(as_it_is, make_order(as_it_is, Ordering::rcm)), file);
  const auto solver = [](const std::string& of, const std::vector<std::string>& more) {
    std::vector<std::string> words{"plan", of, "--json", "--threads", "1", "--no-store", "--no-probe"};
    words.insert(words.end(), {"--solver", "bicgstab", "--iterations", "100"});
    words.insert(words.end(), more.begin(), more.end());
    return document_of(words)["solver"];
  };
  const json in_order = solver(file, {}), reordered = solver(matrix(), {"--reorder", "rcm"});
  EXPECT_NE(in_order["iteration_s"], solver(matrix(), {})["iteration_s"]) << "the order changes nothing here";
  for (const char* const field : {"preconditioner", "format", "iterations", "iteration_s"})
    EXPECT_EQ(reordered[field], in_order[field]) << field;
}

TEST_F(Optimize, LooksForTheOrderThatPays) {
  const json d = document({"--reorder", "--iterations", "1"});
  EXPECT_EQ(d["reordering"], "none") << "one product brings nothing back";
  EXPECT_EQ(d["reordering_gain"], 0);
  EXPECT_EQ(d["reordering_s"], 0);
  for (const json& order : d["orders"]) EXPECT_FALSE(order["tried"].get<bool>());
}

// On as many threads as a short product takes without an order: one.
TEST_F(Optimize, TheLibertyToReorderMakesNoPlanSlower) {
  const std::string file = (folder->path() / "short.mtx").string();
  ASSERT_EQ(sparsecast({"generate", "poisson2d", "--size", "6", "-o", file}).exit_code, 0);
  const auto predicted = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"plan", file, "--json", "--no-store", "--no-probe"});
    return document_of(more)["predicted_s"].get<double>();
  };
  EXPECT_LE(predicted({"--reorder"}), 1.05 * predicted({}));
}

TEST_F(Optimize, SaysOnHowManyThreadsAndWhatIsNotKnown) {
  const CommandResult here = sparsecast({"plan", matrix(), "--threads", "1", "--no-probe"});
  EXPECT_NE(here.out.find(" on 1 thread, best single kernel"), std::string::npos) << here.out;
  EXPECT_EQ(here.out.find('?'), std::string::npos) << here.out;
  const CommandResult gpu = sparsecast({"plan", matrix(), "--device", "nvidia-h100"});
  EXPECT_EQ(gpu.out.find("thread,"), std::string::npos) << gpu.out;
  EXPECT_NE(gpu.out.find('?'), std::string::npos) << "a data sheet tells of no conversion\n" << gpu.out;
}

TEST_F(Optimize, TellsPeopleWhatItFound) {
  const CommandResult result = sparsecast({"optimize", matrix(), "--threads", "1"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* word : {"strips", "kernel", "predicted", "best single kernel", "planned in"})
    EXPECT_NE(result.out.find(word), std::string::npos) << word;
}

TEST_F(Optimize, RefusesWhatItCannotDo) {
  EXPECT_EQ(sparsecast({"optimize"}).exit_code, 2);
  EXPECT_EQ(sparsecast({"optimize", matrix(), "--strip-rows", "0"}).exit_code, 2);
  EXPECT_EQ(sparsecast({"optimize", "/nowhere.mtx"}).exit_code, 3);
  EXPECT_EQ(sparsecast({"optimize", matrix(), "--reorder", "amd"}).exit_code, 2);
  EXPECT_EQ(sparsecast({"optimize", matrix(), "--devices", "host,host"}).exit_code, 2) << "compare takes it";
  EXPECT_EQ(sparsecast({"optimize", matrix(), "--device", "no-such-device"}).exit_code, 2);
  EXPECT_EQ(sparsecast({"optimize", matrix(), "--threads", "1", "--save", "/nowhere/plan.json"}).exit_code, 1);
}

}  // namespace
}  // namespace sparsecast::test
