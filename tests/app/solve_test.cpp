// sparsecast solve as a user types it: forecast and run, machines by description, refusals. No time is asserted.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sparsecast/read.hpp>
#include <sparsecast/transpose.hpp>
#include <sparsecast/write.hpp>

#include "support/command.hpp"
#include "support/measured_home.hpp"
#include "support/schema.hpp"

namespace sparsecast::test {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

class SolveCommand : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = std::make_unique<TemporaryFolder>();
    setenv("SPARSECAST_HOME", (folder->path() / "home").c_str(), 1);
    ASSERT_EQ(sparsecast({"generate", "poisson2d", "--size", "60", "-o", grid()}).exit_code, 0);
    ASSERT_EQ(
        sparsecast({"generate", "random", "--rows", "200", "--cols", "100", "--row-mean", "4", "-o", wide()}).exit_code,
        0);
    ASSERT_EQ(sparsecast({"generate", "powerlaw", "--rows", "3000", "--row-mean", "6", "-o", links()}).exit_code, 0);
    calibrated_home(folder->path() / "home");
  }
  static void TearDownTestSuite() { folder.reset(); }
  static std::string file(const char* name) { return (folder->path() / name).string(); }
  static std::string grid() { return file("p60.mtx"); }
  static std::string wide() { return file("wide.mtx"); }
  static std::string links() { return file("links.mtx"); }

  static json solved(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "solve");
    arguments.insert(arguments.end(), {"--json", "--threads", "1"});
    return document_of(arguments);
  }
  // Exit status and the one line.
  static std::string refused(std::vector<std::string> arguments, int status) {
    arguments.insert(arguments.begin(), "solve");
    const CommandResult result = sparsecast(arguments);
    EXPECT_EQ(result.exit_code, status) << result.err;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    EXPECT_EQ(result.out, "");
    return result.err;
  }
  static std::unique_ptr<TemporaryFolder> folder;
};
std::unique_ptr<TemporaryFolder> SolveCommand::folder;

void expect_sum_of_parts(const json& d) {
  double sum = 0;
  for (const json& part : d["parts"]) sum += part["seconds"].get<double>();
  EXPECT_NEAR(d["iteration_s"].get<double>(), sum, 1e-9 * sum);
  EXPECT_LT(d["low_s"], d["iteration_s"]);
  EXPECT_GT(d["high_s"], d["iteration_s"]);
  EXPECT_NEAR(d["total_s"].get<double>(),
              d["setup_s"].get<double>() + d["iterations"].get<double>() * d["iteration_s"].get<double>(), 1e-12);
}

TEST_F(SolveCommand, ForecastsEveryMethodWithItsParts) {
  for (const char* method : {"cg", "bicgstab", "gmres:20", "chebyshev", "jacobi", "power", "pagerank", "lobpcg:4"}) {
    const json d = solved({grid(), "--method", method, "--iterations", "50"});
    EXPECT_EQ(d["method"], method);
    EXPECT_EQ(d["iterations"], 50);
    EXPECT_FALSE(d.contains("measured_iteration_s"));
    expect_sum_of_parts(d);
  }
  EXPECT_EQ(solved({grid()})["iterations_assumed"], true);
}

// A GPU stores what is multiplied by: Aᵀ, whose rows are A's columns.
TEST_F(SolveCommand, PagerankOnAGpuReadsTheTranspose) {
  const std::string links = file("long.mtx"), turned = file("turned.mtx");
  ASSERT_EQ(sparsecast({"generate", "longrow", "--rows", "200000", "--row-mean", "6", "-o", links}).exit_code, 0);
  write_matrix_market(transpose(read_matrix(links)), turned);
  const auto iteration_s = [](const std::string& matrix, const char* method) {
    const json all = document_of({"solve", matrix, "--method", method, "--device", "nvidia-h100", "--json"});
    for (const json& one : all["formats"])
      if (one["format"] == "cusparse-csr") return one["iteration_s"].get<double>();
    return std::nan("");
  };
  // Vectors take the same in both: what differs is the product.
  const double turning = iteration_s(turned, "power") - iteration_s(links, "power");
  EXPECT_GT(std::abs(turning), 5e-8) << "the matrix tells them apart";
  EXPECT_NEAR(iteration_s(links, "pagerank") - iteration_s(turned, "pagerank"), turning, 1e-12);
}

TEST_F(SolveCommand, MeasureRunsItAndShowsBoth) {
  const json d = solved({grid(), "--method", "cg", "--preconditioner", "ic0", "--measure"});
  expect_sum_of_parts(d);
  EXPECT_GT(d["measured_iteration_s"].get<double>(), 0);
  EXPECT_LE(d["residual"].get<double>(), 1e-8);
  EXPECT_EQ(d["converged"], true);
  EXPECT_EQ(d["residuals"].size(), d["iterations"].get<std::size_t>() + 1);
  const CommandResult text = sparsecast({"solve", grid(), "--measure", "--threads", "1"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  for (const char* words : {"measured: ", "products", "vector updates", "finishes first"})
    EXPECT_NE(text.out.find(words), std::string::npos) << words << " in\n" << text.out;
}

// Lists are in their order, what stands at their top is what the answer names, and one solve has one time.
void expect_one_answer(const json& d) {
  const auto ascends = [](const json& list) {
    return std::ranges::is_sorted(list, {}, [](const json& one) { return one["total_s"].get<double>(); });
  };
  EXPECT_TRUE(ascends(d["formats"])) << d["formats"].dump(1);
  EXPECT_TRUE(ascends(d["choices"])) << d["choices"].dump(1);
  EXPECT_EQ(d["format"], d["formats"][0]["format"]);
  EXPECT_EQ(d["total_s"], d["formats"][0]["total_s"]);
  int same = 0;
  for (const json& choice : d["choices"])
    if (choice["preconditioner"] == d["preconditioner"] && choice["threads"] == d["threads"]) {
      ++same;
      for (const char* member : {"format", "iterations", "iteration_s", "setup_s", "total_s"})
        EXPECT_EQ(choice[member], d[member]) << member;
    }
  EXPECT_EQ(same, 1);
}

TEST_F(SolveCommand, HasOneTimeForOneSolve) {
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
           {}, {"--iterations", "1"}, {"--measure", "--tolerance", "0.5"}, {"--measure"}, {"--threads", "2"}}) {
    std::vector<std::string> arguments{"solve", grid(), "--threads", "1", "--json"};
    if (!more.empty() && more[0] == "--threads") arguments.erase(arguments.begin() + 2, arguments.begin() + 4);
    arguments.insert(arguments.end(), more.begin(), more.end());
    SCOPED_TRACE(more.empty() ? "" : more[0]);
    expect_one_answer(document_of(arguments));
  }
  // What products were observed to take counts in both lists.
  expect_one_answer(document_of({"solve", grid(), "--threads", "1", "--trials", "2", "--json"}));
  expect_one_answer(document_of({"solve", grid(), "--threads", "1", "--json"}));
}

// The zero matrix has no solution; what gmres itself carries along says otherwise.
TEST_F(SolveCommand, IsNotConvergedWhereTheSystemIsNotSolved) {
  const std::string zeros =
      folder->write("zeros.mtx", "%%MatrixMarket matrix coordinate real general\n12 12 0\n").string();
  const std::string line = refused({zeros, "--method", "gmres", "--measure", "--threads", "1"}, 1);
  EXPECT_NE(line.find("gmres:30 stagnates after"), std::string::npos) << line;
  const json d = solved({zeros, "--method", "gmres", "--measure", "--iterations", "5"});
  EXPECT_EQ(d["converged"], false);
  EXPECT_NEAR(d["residual"].get<double>(), 1, 1e-12);
}

TEST_F(SolveCommand, TakesAnySquareMatrixWithTheShift) {
  const json d = solved({links(), "--shift", "spd", "--preconditioner", "jacobi", "--measure", "--iterations", "30"});
  EXPECT_LE(d["iterations"].get<int>(), 30);
  EXPECT_EQ(d["shift"], "spd");
}

TEST_F(SolveCommand, IsForecastForMachinesByTheirDescription) {
  const json d = solved({grid(), "--preconditioner", "jacobi", "--device", "nvidia-h100"});
  EXPECT_EQ(d["tier"], "data sheet");
  EXPECT_EQ(d["device"]["name"], "nvidia-h100");
  expect_sum_of_parts(d);
  refused({grid(), "--device", "nvidia-h100", "--measure"}, 4);
}

// A data sheet tells of no conversion, which is not none: no set-up is 0 seconds that look known.
TEST_F(SolveCommand, SaysThatConversionsOfDescribedMachinesAreNotKnown) {
  const std::vector<std::string> asked{"solve", grid(), "--iterations", "10", "--device"};
  const auto answer = [&](const char* device, std::vector<std::string> more) {
    more.insert(more.begin(), asked.begin(), asked.end());
    more.insert(more.begin() + static_cast<std::ptrdiff_t>(asked.size()), device);
    return sparsecast(more);
  };
  const CommandResult gpu = answer("nvidia-h100", {});
  EXPECT_EQ(gpu.out.find(" 0.00 ns"), std::string::npos) << gpu.out;
  EXPECT_NE(gpu.out.find(" + ?"), std::string::npos) << gpu.out;
  EXPECT_NE(gpu.err.find("what conversion takes on nvidia-h100 is not known"), std::string::npos) << gpu.err;
  EXPECT_NE(answer("nvidia-h100", {"--json"}).err.find("is not known"), std::string::npos);
  // CSR on a processor is multiplied as it is: known, and nothing.
  const CommandResult processor = answer("amd-epyc-7763", {"--preconditioner", "none"});
  EXPECT_NE(processor.err.find("what conversion to some formats takes on amd-epyc-7763"), std::string::npos)
      << processor.err;
  EXPECT_NE(processor.out.find(" 0.00 ns"), std::string::npos) << processor.out;
  EXPECT_EQ(answer("host", {}).err.find("is not known"), std::string::npos);
}

TEST_F(SolveCommand, RefusesInOneLineWhatAMethodCannotTake) {
  EXPECT_NE(refused({wide(), "--method", "cg"}, 3).find("200 rows and 100 columns"), std::string::npos);
  EXPECT_NE(refused({wide(), "--shift", "spd"}, 3).find("square"), std::string::npos);
  EXPECT_NE(refused({links(), "--method", "cg"}, 3).find("symmetric"), std::string::npos);
  EXPECT_NE(refused({links(), "--method", "bicgstab", "--preconditioner", "ic0"}, 3).find("ic0"), std::string::npos);
  EXPECT_NE(refused({grid(), "--method", "sor"}, 2).find("the methods are"), std::string::npos);
  EXPECT_NE(refused({grid(), "--preconditioner", "amg"}, 2).find("the preconditioners are"), std::string::npos);
  refused({grid(), "--method", "power", "--preconditioner", "jacobi"}, 2);
  refused({grid(), "--precision", "single"}, 2);
}

TEST_F(SolveCommand, TellsOfASolveThatDoesNotConverge) {
  // Twice the diagonal's weight beside it, on both sides.
  std::string text = "%%MatrixMarket matrix coordinate real general\n50 50 148\n";
  for (int i = 1; i <= 50; ++i)
    for (int j = std::max(1, i - 1); j <= std::min(50, i + 1); ++j)
      text += std::to_string(i) + " " + std::to_string(j) + (i == j ? " 1\n" : " 2\n");
  const std::string file = folder->write("dominated.mtx", text).string();
  const std::string line = refused({file, "--method", "jacobi", "--measure", "--threads", "1"}, 1);
  EXPECT_NE(line.find("jacobi diverges after"), std::string::npos) << line;
  EXPECT_NE(line.find("residual: 1, "), std::string::npos) << line;
}

TEST_F(SolveCommand, OptimizeAndCompareSpeakOfSolvers) {
  const json plan = document_of({"optimize", grid(), "--solver", "cg", "--threads", "1", "--json"});
  EXPECT_EQ(plan["solver"]["method"], "cg");
  EXPECT_GT(plan["solver"]["total_s"].get<double>(), 0);
  const json ranking = document_of(
      {"compare", grid(), "--devices", "nvidia-h100,tesla-k80", "--solver", "cg", "--iterations", "500", "--json"});
  EXPECT_EQ(ranking["solver"], "cg");
  const json products =
      document_of({"compare", grid(), "--devices", "nvidia-h100,tesla-k80", "--iterations", "500", "--json"});
  EXPECT_GT(ranking["matrices"][0]["ranking"][0]["seconds"].get<double>(),
            products["matrices"][0]["ranking"][0]["seconds"].get<double>());
}

// What comes before the first iteration counts on every machine, also where conversions are not forecast.
TEST_F(SolveCommand, ComparedMachinesTakeTheSetUpOfTheSolver) {
  for (const char* method : {"chebyshev", "cg"}) {
    const json ranking = document_of({"compare", grid(), "--devices", "nvidia-h100,amd-epyc-7313", "--solver", method,
                                      "--iterations", "10", "--json"});
    ASSERT_EQ(ranking["matrices"][0]["ranking"].size(), 2U);
    for (const json& place : ranking["matrices"][0]["ranking"]) {
      const json alone = document_of({"solve", grid(), "--device", place["device"], "--method", method,
                                      "--preconditioner", "jacobi", "--iterations", "10", "--json"});
      const auto same =
          std::ranges::find(alone["formats"], place["kernel"], [](const json& one) { return one["format"]; });
      if (same == alone["formats"].end()) continue;
      EXPECT_NEAR(place["preprocess_s"].get<double>(), (*same)["setup_s"].get<double>(),
                  1e-6 * (*same)["setup_s"].get<double>())
          << method << " on " << place["device"];
      EXPECT_EQ(place["roof_share"], 0) << "what vectors move is not told";
    }
  }
}

// A thousand vectors of gmres are held beside the matrix.
TEST_F(SolveCommand, CountsTheVectorsOfTheMethodAsMemory) {
  const std::string large = file("p400.mtx");
  ASSERT_EQ(sparsecast({"generate", "poisson2d", "--size", "400", "-o", large}).exit_code, 0);
  const auto told = [&](const char* method) {
    return sparsecast({"solve", large, "--method", method, "--device", "gtx-540m", "--json"}).err;
  };
  EXPECT_EQ(told("gmres:10").find("does not fit"), std::string::npos);
  EXPECT_NE(told("gmres:1000").find("does not fit into the memory of gtx-540m"), std::string::npos);
  for (const bool fits : {true, false}) {
    const json ranking = document_of({"compare", large, "--devices", "gtx-540m,nvidia-h100", "--solver",
                                      fits ? "gmres:10" : "gmres:1000", "--iterations", "100", "--json"});
    for (const json& place : ranking["matrices"][0]["ranking"])
      EXPECT_EQ(place["fits"], fits || place["device"] == "nvidia-h100") << place;
  }
}

TEST_F(SolveCommand, ASolveIsComparedInDoublePrecision) {
  const CommandResult single =
      sparsecast({"compare", grid(), "--devices", "nvidia-h100,tesla-k80", "--solver", "cg", "--precision", "single"});
  EXPECT_EQ(single.exit_code, 2);
  EXPECT_NE(single.err.find("iterations of solvers are forecast in double precision"), std::string::npos) << single.err;
}

TEST_F(SolveCommand, SaysThatAForecastHeedsNoTolerance) {
  const auto told = [&](const Words& more) {
    Words words{"solve", grid(), "--threads", "1", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return sparsecast(words).err;
  };
  EXPECT_NE(told({"--tolerance", "1e-3"}).find("--tolerance is without effect"), std::string::npos);
  EXPECT_EQ(told({}).find("without effect"), std::string::npos);
  EXPECT_EQ(told({"--tolerance", "1e-3", "--measure"}).find("without effect"), std::string::npos);
}

TEST_F(SolveCommand, ComparesNoSolverThatTheMatrixDoesNotTake) {
  const auto compared = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "compare");
    arguments.insert(arguments.end(), {"--devices", "nvidia-h100,tesla-k80"});
    return sparsecast(arguments);
  };
  const CommandResult one = compared({wide(), "--solver", "cg"});
  EXPECT_EQ(one.exit_code, 3);
  EXPECT_NE(one.err.find("cg needs a square matrix"), std::string::npos) << one.err;
  EXPECT_EQ(compared({links(), "--solver", "cg"}).exit_code, 3);
  EXPECT_EQ(compared({links(), "--solver", "bicgstab"}).exit_code, 0);
  const CommandResult several = compared({grid(), wide(), "--solver", "cg"});
  EXPECT_EQ(several.exit_code, 3);
  EXPECT_NE(several.out.find("finishes first"), std::string::npos) << "the other one is answered";
}

}  // namespace
}  // namespace sparsecast::test
