// Times that were measured on other machines, and machines that stand beside each other: what is of another unit, of
// two machines or of one name is refused or told apart.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "support/command.hpp"
#include "support/schema.hpp"

namespace sparsecast::test {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

class MeasuredElsewhere : public ::testing::Test {
 protected:
  MeasuredElsewhere() { home_ = "SPARSECAST_HOME=" + file("home"); }
  [[nodiscard]] std::string file(const std::string& name) const { return (folder_.path() / name).string(); }
  [[nodiscard]] std::string grid(const std::string& size) const {
    const std::string grid = file("grid" + size + ".mtx");
    EXPECT_EQ(sparsecast({"generate", "poisson2d", "--size", size, "-o", grid}).exit_code, 0);
    return grid;
  }
  [[nodiscard]] CommandResult run(const Words& words) const { return sparsecast(words, {home_}); }
  [[nodiscard]] json told(Words words) const {
    words.emplace_back("--json");
    const CommandResult result = run(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_TRUE(fits_its_schema(result.out));
    return json::parse(result.out);
  }
  [[nodiscard]] std::string refused(const Words& words, int status) const {
    const CommandResult result = run(words);
    EXPECT_EQ(result.exit_code, status) << result.err;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    return result.err;
  }
  [[nodiscard]] std::string table(const char* name, const std::string& head, const std::string& rows) const {
    return folder_.write(name, head + "\n" + rows).string();
  }
  // That machine as a file, changed by whoever asks.
  template <class Change>
  [[nodiscard]] std::string described(const std::string& name, const char* device, const Change& change) const {
    json document = json::parse(run({"devices", "--describe", device, "--json"}).out);
    change(document["properties"]);
    return folder_.write(name, document.dump()).string();
  }

  TemporaryFolder folder_;
  std::string home_;
};

const std::string head = "matrix,rows,nonzeros,row_max,kernel,seconds";

// A processor of which one kernel was measured has the others still, each as much slower as that one was.
TEST_F(MeasuredElsewhere, AnchorsOfOneKernelLeaveTheOthers) {
  const std::string matrix = grid("400"), device = "amd-epyc-9554";
  const auto forecasts = [&](const Words& more) {
    Words words{"predict", matrix, "--device", device};
    words.insert(words.end(), more.begin(), more.end());
    std::map<std::string, double> seconds;
    const json answer = told(words);
    for (const json& one : answer["forecasts"]) seconds[one["kernel"]] = one["seconds"];
    return seconds;
  };
  const std::map<std::string, double> sheet = forecasts({});
  ASSERT_GT(sheet.size(), 5U);
  for (const double factor : {1.0, 2.0}) {
    std::string rows;
    for (const int size : {200, 300, 500}) {
      const std::string other = grid(std::to_string(size));
      const json at = told({"predict", other, "--device", device, "--kernels", "sell-32"})["forecasts"][0];
      rows += fmt::format("{},sell-32,{}\n", other, factor * at["seconds"].get<double>());
    }
    const std::string anchors = table("anchors.csv", "matrix,kernel,seconds", rows);
    const std::map<std::string, double> anchored = forecasts({"--anchors", anchors});
    ASSERT_EQ(anchored.size(), sheet.size());
    for (const auto& [kernel, seconds] : sheet) {
      EXPECT_GE(anchored.at(kernel), (factor > 1 ? 1.1 : 0.999) * seconds) << kernel;
      EXPECT_LE(anchored.at(kernel), 1.001 * factor * seconds) << kernel;
    }
  }
  const std::string unknown = table("unknown.csv", head, "a,10000,49600,5,sell-32,1.9e-5\na,10000,49600,5,mine,1e-5\n");
  const CommandResult told_so = run({"predict", matrix, "--device", device, "--anchors", unknown});
  EXPECT_EQ(told_so.exit_code, 0);
  EXPECT_NE(told_so.err.find("left out, as not known of amd-epyc-9554: mine"), std::string::npos) << told_so.err;
}

TEST_F(MeasuredElsewhere, TimesInAnotherUnitAreNoProfileOfADevice) {
  const auto imported = [&](const char* seconds, const Words& more) {
    const std::string times = table("times.csv", head, fmt::format("a,10000,49600,5,cusparse-csr,{}\n", seconds));
    Words words{"profiles", "import", times, "--name", "mine", "-o", file("mine.json")};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const Words of_k40{"--device", "tesla-k40m"};
  EXPECT_EQ(run(imported("1.9e-5", of_k40)).exit_code, 0);
  EXPECT_NE(refused(imported("0.019", of_k40), 3).find("check the unit"), std::string::npos);
  EXPECT_NE(refused(imported("19", {"--device", "tesla-k40m", "--unit", "ns"}), 3).find("check the unit"),
            std::string::npos);
  EXPECT_EQ(run(imported("0.019", {})).exit_code, 0) << "of a device of which nothing is known";
}

TEST_F(MeasuredElsewhere, ATableIsOfOneMachine) {
  for (const char* column : {"device", "machine"}) {
    const auto mixed = [&](const char* other) {
      return table("two.csv", column + ("," + head),
                   fmt::format("v100,a,10000,49600,5,csr-scalar,1.2e-5\n{},a,10000,49600,5,csr-scalar,9e-5\n", other));
    };
    for (const Words& words : {Words{"profiles", "import", mixed("k20"), "--name", "mine", "-o", file("mine.json")},
                               Words{"evaluate", "--records", mixed("k20"), "--device", "nvidia-v100"},
                               Words{"predict", grid("40"), "--device", "nvidia-v100", "--anchors", mixed("k20")}})
      EXPECT_NE(refused(words, 3).find(fmt::format("two.csv:3:1: {} is 'k20', and 'v100' in the row before", column)),
                std::string::npos)
          << words[0];
    EXPECT_EQ(run({"evaluate", "--records", mixed("v100"), "--device", "nvidia-v100"}).exit_code, 0);
  }
}

TEST_F(MeasuredElsewhere, OnlyTheKernelsThatWereAskedForAreJudged) {
  const std::string records =
      table("records.csv", head, "a,10000,49600,5,ell,1.2e-5\na,10000,49600,5,csr-scalar,9e-5\n");
  Words words{"evaluate", "--records", records, "--device", "nvidia-h100", "--kernels", "ell"};
  const json judged = told(words);
  ASSERT_EQ(judged["cases"].size(), 1U);
  EXPECT_EQ(judged["cases"][0]["kernel"], "ell");
  words.back() = "nosuch";
  EXPECT_NE(refused(words, 2).find("no kernel 'nosuch' in the table; it has: ell, csr-scalar"), std::string::npos);
}

// Tables give one name to several artificial matrices: there is nothing to choose where each has one kernel.
TEST_F(MeasuredElsewhere, MatricesOfOneNameAreTwo) {
  const std::string records = table("records.csv", head, "a,90000,448800,5,ell,1.2e-5\na,100000,500000,5,ell,7e-6\n");
  const json judged = told({"evaluate", "--records", records, "--device", "nvidia-h100"});
  EXPECT_EQ(judged["cases"][0]["matrix"], "a");
  EXPECT_EQ(judged["cases"][1]["matrix"], "a (2)");
  EXPECT_EQ(judged["selection"][0]["cases"], 2);
  EXPECT_EQ(judged["selection"][0]["max_regret"], 0);
}

// Two descriptions may have one name, and a machine may stand with anchors beside itself.
TEST_F(MeasuredElsewhere, MachinesOfOneNameAreToldApart) {
  const auto named = [&](const char* file, double bandwidth) {
    return described(file, "amd-epyc-7402", [&](json& properties) {
      properties["name"] = "mine";
      properties["memory_bandwidth"] = bandwidth;
    });
  };
  const std::string fast = named("fast.json", 2e11), slow = named("slow.json", 5e10);
  const std::string both = file("both");
  std::filesystem::create_directory(both);
  for (const char* size : {"300", "700"})
    ASSERT_EQ(sparsecast({"generate", "poisson2d", "--size", size, "-o", both + "/" + size + ".mtx"}).exit_code, 0);
  const json compared = told({"compare", both, "--devices", fast + "," + slow});
  ASSERT_EQ(compared["summary"].size(), 2U);
  for (const auto& [at, device] : {std::pair(0, fast), std::pair(1, slow)}) {
    EXPECT_EQ(compared["summary"][at]["device"], device);
    EXPECT_EQ(compared["summary"][at]["matrices"], 2);
    EXPECT_EQ(told({"compare", both, "--devices", device})["summary"][0]["total_s"],
              compared["summary"][at]["total_s"]);
  }
  EXPECT_EQ(told({"compare", both, "--devices", fast})["summary"][0]["device"], "mine") << "where it is the only one";
}

// What preconditioners and vectors take before the first iteration is known, and no word of a format's conversion.
TEST_F(MeasuredElsewhere, ASolversTotalWithoutAConversionIsTold) {
  const Words words{"compare", grid("300"), "--devices", "nvidia-h100", "--solver", "cg", "--iterations", "1"};
  const CommandResult compared = run(words);
  EXPECT_NE(compared.err.find("what conversion takes is not known of nvidia-h100: totals are without it"),
            std::string::npos)
      << compared.err;
}

}  // namespace
}  // namespace sparsecast::test
