// Machines that are not here, as a user asks for them: predict by name and by description, compare, probe.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/command.hpp"
#include "support/schema.hpp"

namespace sparsecast::test {
namespace {

using nlohmann::json;

class Machines : public ::testing::Test {
 protected:
  Machines() : matrix_(folder_.path() / "poisson.mtx") {
    EXPECT_EQ(sparsecast({"generate", "poisson2d", "--size", "60", "-o", matrix_.string()}).exit_code, 0);
    home_ = "SPARSECAST_HOME=" + (folder_.path() / "home").string();
  }
  json told(const std::vector<std::string>& arguments) const {
    const CommandResult result = sparsecast(arguments, {home_});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_TRUE(fits_its_schema(result.out));
    return json::parse(result.out);
  }
  CommandResult run(const std::vector<std::string>& arguments) const { return sparsecast(arguments, {home_}); }
  [[nodiscard]] std::string matrix() const { return matrix_.string(); }

  TemporaryFolder folder_;
  std::filesystem::path matrix_;
  std::string home_;
};

TEST_F(Machines, AreForecastByName) {
  for (const char* name : {"nvidia-h100", "intel-xeon-8480", "amd-mi300x"}) {
    const json predicted = told({"predict", matrix(), "--device", name, "--json"});
    ASSERT_FALSE(predicted["forecasts"].empty()) << name;
    EXPECT_EQ(predicted["device"]["name"], name);
    for (const json& forecast : predicted["forecasts"]) EXPECT_EQ(forecast["tier"], "data sheet");
  }
  const CommandResult text = run({"predict", matrix(), "--device", "nvidia-h100"});
  EXPECT_NE(text.out.find("nothing was measured"), std::string::npos) << text.out;
}

TEST_F(Machines, AreForecastByTheirDescription) {
  const CommandResult described = run({"devices", "--describe", "amd-epyc-7402", "--json"});
  json mine = json::parse(described.out);
  mine["properties"]["name"] = "mine";
  const std::string file = folder_.write("mine.json", mine.dump()).string();
  EXPECT_EQ(told({"predict", matrix(), "--device", file, "--json"})["device"]["name"], "mine");

  mine["properties"].erase("memory_bandwidth");
  const CommandResult broken =
      run({"predict", matrix(), "--device", folder_.write("broken.json", mine.dump()).string()});
  EXPECT_EQ(broken.exit_code, 3);
  EXPECT_EQ(std::ranges::count(broken.err, '\n'), 1) << broken.err;
  EXPECT_NE(broken.err.find("memory_bandwidth"), std::string::npos) << broken.err;
}

TEST_F(Machines, AnUnknownNameIsToldTheNearest) {
  const CommandResult wrong = run({"predict", matrix(), "--device", "nvidia-h10"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("nvidia-h100"), std::string::npos) << wrong.err;
  const std::string farther = run({"predict", matrix(), "--device", "nvidia-grac"}).err;
  for (const char* near : {"did you mean nvidia-grace?", "the nearest names are nvidia-grace, nvidia-"})
    EXPECT_NE(farther.find(near), std::string::npos) << farther;
}

TEST_F(Machines, AreRanked) {
  const std::string picture = (folder_.path() / "ranking.svg").string();
  const json compared = told({"compare", matrix(), "--iterations", "200", "-o", picture, "--json"});
  const json& ranking = compared["matrices"][0]["ranking"];
  ASSERT_GE(ranking.size(), 25U);
  for (std::size_t i = 1; i < ranking.size(); ++i) {
    if (ranking[i]["fits"] != ranking[i - 1]["fits"]) continue;
    EXPECT_LE(ranking[i - 1]["total_s"], ranking[i]["total_s"]);
  }
  EXPECT_EQ(compared["summary"].size(), ranking.size());
  EXPECT_NE(read_text(picture).find("</svg>"), std::string::npos);

  const CommandResult text = run({"compare", matrix(), "--devices", "nvidia-h100,amd-mi250"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("amd-mi250"), std::string::npos);
  EXPECT_EQ(text.out.find("nvidia-t4"), std::string::npos) << "not asked for";
  for (const char* told : {"known by", "data sheet", "bound by", "of bandwidth", "energy", "first with"})
    EXPECT_NE(text.out.find(told), std::string::npos) << told << '\n' << text.out;
}

TEST_F(Machines, OfAFolderAreRankedOverAll) {
  const std::filesystem::path folder = folder_.path() / "several";
  std::filesystem::create_directory(folder);
  for (const char* size : {"40", "300"})
    EXPECT_EQ(sparsecast({"generate", "poisson2d", "--size", size, "-o", (folder / size).string() + ".mtx"}).exit_code,
              0);
  const json compared =
      told({"compare", folder.string(), "--devices", "nvidia-h100,amd-mi250,intel-xeon-5120", "--json"});
  ASSERT_EQ(compared["matrices"].size(), 2U);
  ASSERT_EQ(compared["summary"].size(), 3U);
  double first = 0;
  for (const json& machine : compared["summary"]) {
    EXPECT_EQ(machine["matrices"], 2);
    EXPECT_EQ(machine["tier"], "data sheet");
    first += machine["first"].get<double>();
  }
  EXPECT_EQ(first, 2) << "one machine is first of each matrix";
  for (const json& matrix : compared["matrices"]) {
    const json& ranking = matrix["ranking"];
    for (std::size_t i = 0; i < ranking.size(); ++i) {
      EXPECT_GT(ranking[i]["gflops"], 0);
      EXPECT_GT(ranking[i]["energy_j"], 0);
      if (!ranking[i].contains("first_if")) continue;
      EXPECT_GT(ranking[i]["first_if"]["factor"], 1);
    }
    EXPECT_FALSE(ranking[0].contains("first_if")) << "it is first";
  }
}

TEST_F(Machines, TheTableOfARankingFitsATerminal) {
  std::istringstream lines(run({"compare", matrix()}).out);
  int columns = 0;
  for (std::string line; std::getline(lines, line);) {
    int width = 0;  // characters, not bytes
    for (const char c : line) width += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
    columns = std::max(columns, width);
  }
  EXPECT_GT(columns, 40);
  EXPECT_LE(columns, 80);
}

TEST_F(Machines, ATableOfTimesJudgesADescription) {
  const std::string table =
      folder_
          .write("times.tsv",
                 "matrix\trows\tcols\tnonzeros\trow_mean\trow_std\trow_skew\tbandwidth_scaled\tneighbours\t"
                 "cross_row_similarity\tkernel\tseconds\n"
                 "mesh\t400000\t400000\t6000000\t15\t2\t0.5\t0.01\t1.6\t0.9\tcusparse-csr\t5e-5\n"
                 "mesh\t400000\t400000\t6000000\t15\t2\t0.5\t0.01\t1.6\t0.9\tno-such-kernel\t5e-5\n")
          .string();
  const json judged = told({"evaluate", "--device", "nvidia-h100", "--records", table, "--json"});
  ASSERT_EQ(judged["cases"].size(), 1U);
  EXPECT_EQ(judged["cases"][0]["kernel"], "cusparse-csr");
  ASSERT_EQ(judged["skipped"].size(), 1U);
  EXPECT_EQ(judged["skipped"][0]["kernel"], "no-such-kernel");
}

TEST_F(Machines, AProbeForecastsInItsTier) {
  const std::string file = (folder_.path() / "probe.json").string();
  const json probed = told({"probe", "-o", file, "--quiet", "--json"});
  EXPECT_GT(probed["records"], 0);
  const json predicted = told({"predict", matrix(), "--profile", file, "--json"});
  ASSERT_FALSE(predicted["forecasts"].empty());
  for (const json& forecast : predicted["forecasts"]) EXPECT_EQ(forecast["tier"], "probe");
}

}  // namespace
}  // namespace sparsecast::test
