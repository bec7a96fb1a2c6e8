// Machines that are not here, as a user asks for them: predict by name and by description, compare, probe.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
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
  const std::size_t reason = text.out.find("product by model");
  ASSERT_NE(reason, std::string::npos) << text.out;
  EXPECT_EQ(text.out.find("product by model", reason + 1), std::string::npos) << "told once\n" << text.out;
  // An error begins with its first word.
  EXPECT_EQ(
      run({"predict", matrix(), "--device", "amd-mi300x", "--vectors", "2"}).err.find("sparsecast: what is known"), 0U);
}

TEST_F(Machines, ArePlannedFor) {
  const json plan = told({"plan", matrix(), "--device", "nvidia-h100", "--json"});
  EXPECT_EQ(plan["tier"], "data sheet");
  const json forecasts = told({"predict", matrix(), "--device", "nvidia-h100", "--all", "--json"})["forecasts"];
  const auto same =
      std::ranges::find(forecasts, plan["best_single"]["kernel"], [](const json& f) { return f["kernel"]; });
  ASSERT_NE(same, forecasts.end()) << plan["best_single"];
  EXPECT_DOUBLE_EQ((*same)["seconds"].get<double>(), plan["best_single"]["seconds"].get<double>());
  EXPECT_NE(run({"plan", matrix(), "--device", "nvidia-h100"}).out.find("nothing runs there"), std::string::npos);
  for (const char* made : {"--verify", "--transposed", "--save=/dev/null", "--trials=2", "--reorder=rcm"}) {
    const CommandResult refused = run({"plan", matrix(), "--device", "nvidia-h100", made});
    EXPECT_EQ(refused.exit_code, 4) << made << refused.err;
  }
  EXPECT_EQ(run({"plan", matrix(), "--device", "intel-xeon-8480"}).exit_code, 4);
  EXPECT_EQ(run({"plan", matrix(), "--device", "nvidia-h10"}).exit_code, 2);
}

// Vectors and formats of so many rows against a card of a gigabyte, or a million vectors against any.
TEST_F(Machines, WhatTheyCannotHoldIsSaidAndNotRecommended) {
  // A board with a twentieth of its memory, so that small matrices are too large.
  json board = told({"devices", "--describe", "gtx-540m", "--json"});
  board["properties"]["memory_bytes"] = board["properties"]["memory_bytes"].get<std::int64_t>() / 20;
  const std::string small = folder_.write("small.json", board.dump()).string();
  const std::string file = (folder_.path() / "long.mtx").string();
  const auto write = [&](int rows) {
    std::ofstream(file) << "%%MatrixMarket matrix coordinate real general\n" << rows << " " << rows << " 1\n1 1 1\n";
  };
  write(2'500'000);
  const auto said = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin() + 1, file);
    const CommandResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.err.find("does not fit into the memory of") != std::string::npos;
  };
  for (const char* question : {"predict", "plan"}) {
    EXPECT_FALSE(said({question, "--device", "tesla-p100"})) << question;
    EXPECT_FALSE(said({question, "--device", small})) << question << ": csr fits, ELL is longer";
  }
  const json predicted = told({"predict", file, "--device", small, "--json"});
  int without_room = 0;
  for (const json& one : predicted["forecasts"]) {
    without_room += one["fits"] ? 0 : 1;
    EXPECT_TRUE(one["fits"] || one["kernel"] != predicted["recommended"]["kernel"]) << one;
    EXPECT_TRUE(one["kernel"] != "cusparse-ell" || !one["fits"]) << one;
  }
  EXPECT_GE(without_room, 1);
  write(5'000'000);
  EXPECT_TRUE(said({"predict", "--device", small}));
  EXPECT_TRUE(said({"plan", "--device", small}));
  EXPECT_TRUE(said({"solve", "--device", small, "--method", "bicgstab"}));
  EXPECT_TRUE(said({"predict", "--device", "nvidia-h100", "--vectors", "1048576"}));
}

TEST_F(Machines, PowersOfADescribedProcessorAreRefusedForWhatTheyAre) {
  const CommandResult refused = run({"predict", matrix(), "--device", "ampere-altra", "--powers", "4"});
  EXPECT_EQ(refused.exit_code, 4);
  EXPECT_NE(refused.err.find("plans by description are made for GPUs"), std::string::npos) << refused.err;
  EXPECT_EQ(run({"predict", matrix(), "--device", "nvidia-h100", "--powers", "4"}).exit_code, 0);
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
  for (const char* near : {"did you mean nvidia-grace", "the nearest names are nvidia-grace, nvidia-"})
    EXPECT_NE(farther.find(near), std::string::npos) << farther;
}

TEST_F(Machines, AreRanked) {
  const std::string picture = (folder_.path() / "ranking.svg").string();
  const json compared = told({"compare", matrix(), "--iterations", "200", "-o", picture, "--json"});
  const json& ranking = compared["matrices"][0]["ranking"];
  ASSERT_GE(ranking.size(), 25U);
  const std::string drawn = read_text(picture);
  EXPECT_TRUE(drawn.ends_with("</svg>\n"));
  EXPECT_EQ(std::ranges::count(drawn, '%'), std::ssize(ranking) - 1 + 3)
      << "one between two, the ground's, the title's";
  for (std::size_t i = 1; i < ranking.size(); ++i) {
    if (ranking[i]["fits"] != ranking[i - 1]["fits"]) continue;
    EXPECT_LE(ranking[i - 1]["total_s"], ranking[i]["total_s"]);
  }
  EXPECT_EQ(compared["summary"].size(), ranking.size());

  const CommandResult text = run({"compare", matrix(), "--devices", "nvidia-h100,amd-mi250"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("amd-mi250"), std::string::npos);
  EXPECT_EQ(text.out.find("nvidia-t4"), std::string::npos) << "not asked for";
  for (const char* told : {"finishes first", "before the next", "●", "is bound by"})
    EXPECT_NE(text.out.find(told), std::string::npos) << told << '\n' << text.out;
  EXPECT_NE(text.out.find("2 of 2 totals are without a conversion"), std::string::npos) << text.out;
  const std::string all = run({"compare", matrix(), "--devices", "nvidia-h100,amd-mi250", "--all"}).out;
  for (const char* told : {"known by", "data sheet", "bound by", "of bandwidth"})
    EXPECT_NE(all.find(told), std::string::npos) << told << '\n' << all;
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
    EXPECT_GE(ranking[0]["faster_probability"], 0.5) << "the first finishes before the next";
    EXPECT_FALSE(ranking.back().contains("faster_probability"));
    for (const json& place : ranking) EXPECT_GT(place["gflops"], 0);
  }
}

TEST_F(Machines, AreRankedByMoney) {
  const std::string prices =
      folder_.write("prices.json", R"({"aws:c7g.16xlarge": 1, "intel-xeon-8480": 1000, "nvidia-h100": 1})").string();
  const json compared = told({"compare", matrix(), "--cost", prices, "--json"});
  const json& ranking = compared["matrices"][0]["ranking"];
  ASSERT_EQ(ranking.size(), 3U) << "machines with a price";
  EXPECT_EQ(ranking[2]["device"], "intel-xeon-8480") << "a thousand times as dear";
  for (const json& place : ranking) {
    const double hour = place["device"] == "intel-xeon-8480" ? 1000 : 1;
    EXPECT_DOUBLE_EQ(place["cost"], hour * place["total_s"].get<double>() / 3600);
  }
  EXPECT_LE(ranking[0]["cost"], ranking[1]["cost"]);
  EXPECT_GT(ranking[1]["faster_probability"], 0.99) << "that it costs less";
  EXPECT_EQ(compared["summary"].back()["cost"], ranking[2]["cost"]);
  EXPECT_FALSE(told({"compare", matrix(), "--devices", "nvidia-h100", "--json"})["summary"][0].contains("cost"));
  EXPECT_NE(run({"compare", matrix(), "--cost", prices}).out.find("costs least"), std::string::npos);
  EXPECT_EQ(run({"compare", matrix(), "--cost", prices, "--devices", "nvidia-l4"}).exit_code, 2) << "no price";
  for (const char* wrong : {"{}", "[1, 2]", R"({"nvidia-h100": 0})", R"({"nvidia-h100": "2"})"})
    EXPECT_EQ(run({"compare", matrix(), "--cost", folder_.write("w.json", wrong).string()}).exit_code, 3) << wrong;
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
  const std::string picture = (folder_.path() / "errors.svg").string();
  const json judged = told({"evaluate", "--device", "nvidia-h100", "--records", table, "-o", picture, "--json"});
  ASSERT_EQ(judged["cases"].size(), 1U);
  EXPECT_EQ(judged["cases"][0]["kernel"], "cusparse-csr");
  EXPECT_EQ(judged["cases"][0]["nonzeros"], 6000000);
  EXPECT_NE(read_text(picture).find(">10⁶: 1 cases<"), std::string::npos) << read_text(picture);
  const CommandResult text = run({"evaluate", "--device", "nvidia-h100", "--records", table, "--all"});
  EXPECT_NE(text.out.find("\n10⁶ "), std::string::npos) << text.out;
  ASSERT_EQ(judged["skipped"].size(), 1U);
  EXPECT_EQ(judged["skipped"][0]["kernel"], "no-such-kernel");
}

// A table as Ginkgo's measurements are: `factor` times 10 µs and what 12 bytes a non-zero take at 100 GB/s.
std::string ginkgo_table(double factor, int matrices) {
  std::string text =
      "matrix\trows\tcols\tnonzeros\trow_min\trow_q1\trow_median\trow_q3\trow_max\trow_variance\tkernel\t"
      "storage_bytes\trepetitions\tseconds\n";
  for (int i = 0; i < matrices; ++i) {
    const int rows = 1000 << (i % 10), length = 3 + i % 17;
    const double nonzeros = static_cast<double>(rows) * length;
    for (const char* kernel : {"ginkgo-csr", "ginkgo-coo"})
      text += fmt::format("g{}/m{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t0\t{}\t\t10\t{}\n", i % 9, i, rows, rows, nonzeros,
                          length, length, length, length, length, kernel, factor * (10e-6 + 12 * nonzeros / 100e9));
  }
  return text;
}

double mean_ratio(const json& judged) {
  double sum = 0;
  for (const json& one : judged["cases"]) sum += one["predicted_s"].get<double>() / one["measured_s"].get<double>();
  return sum / static_cast<double>(judged["cases"].size());
}

TEST_F(Machines, AnchorsAndATableMendWhatADataSheetTells) {
  const std::string few = folder_.write("few.tsv", ginkgo_table(3, 24)).string();
  const std::string many = folder_.write("many.tsv", ginkgo_table(3, 200)).string();
  const std::vector<std::string> of_sheet{"evaluate", "--device", "nvidia-titan-v", "--records", many, "--json"};
  std::vector<std::string> with_anchors = of_sheet;
  with_anchors.insert(with_anchors.end(), {"--anchors", few});
  const json sheet = told(of_sheet), anchors = told(with_anchors);
  ASSERT_EQ(sheet["cases"].size(), 400U);
  ASSERT_EQ(anchors["cases"].size(), 400U);
  EXPECT_LT(mean_ratio(sheet), 0.6);
  EXPECT_NEAR(mean_ratio(anchors), 1, 0.2);

  const std::string profile = (folder_.path() / "table.json").string();
  ASSERT_EQ(run({"profiles", "import", many, "--device", "nvidia-titan-v", "--name", "mine", "-o", profile}).exit_code,
            0);
  const json table = told({"evaluate", "--profile", profile, "--records", many, "--json"});
  ASSERT_EQ(table["summary"].size(), 2U) << "one model for each kernel";
  for (const json& kernel : table["summary"]) EXPECT_LT(kernel["mean_error"], 0.05);

  const json predicted = told({"predict", matrix(), "--device", "nvidia-titan-v", "--anchors", few, "--json"});
  ASSERT_FALSE(predicted["forecasts"].empty());
  for (const json& forecast : predicted["forecasts"]) EXPECT_EQ(forecast["tier"], "anchors");
  const CommandResult wrong = run({"predict", matrix(), "--profile", profile, "--anchors", few});
  EXPECT_EQ(wrong.exit_code, 2) << wrong.err;
}

TEST_F(Machines, ATableMayNameItsMatricesAndStandInARanking) {
  const std::string file = folder_.path() / "p.mtx", table = folder_.write("mine.csv",
                                                                           "matrix,kernel,seconds\n"
                                                                           "p.mtx,cusparse-csr,3e-5\n");
  ASSERT_EQ(run({"generate", "poisson2d", "--size", "40", "-o", file}).exit_code, 0);
  const std::string profile = (folder_.path() / "mine.json").string();
  ASSERT_EQ(run({"profiles", "import", table, "--device", "tesla-k40m", "--name", "mine", "-o", profile}).exit_code, 0);
  const json ranking =
      told({"compare", file, "--devices", profile + ",nvidia-h100", "--json"})["matrices"][0]["ranking"];
  ASSERT_EQ(ranking.size(), 2U);
  EXPECT_EQ(ranking[0]["device"] == "mine" ? ranking[0]["tier"] : ranking[1]["tier"], "table");

  const std::string wrong = folder_.write("wrong.csv", "matrix,kernel,seconds\nnone.mtx,cusparse-csr,3e-5\n");
  const CommandResult refused = run({"predict", file, "--device", "tesla-k40m", "--anchors", wrong});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_NE(refused.err.find("wrong.csv:2: matrix none.mtx"), std::string::npos) << refused.err;
}

// What would move every forecast by a wrong unit, and look as sure, is refused.
TEST_F(Machines, TimesInAnotherUnitAreNoAnchors) {
  const auto predicted = [&](const std::string& times) {
    const std::string table = folder_.write("table.csv", "matrix,rows,nonzeros,row_max,kernel,seconds\n" + times);
    return run({"predict", matrix(), "--device", "tesla-k40m", "--anchors", table});
  };
  const std::string sizes = "a,10000,49600,5,", other = "b,8000,53600,7,";
  EXPECT_EQ(predicted(sizes + "cusparse-csr,1.9e-5\n" + other + "cusparse-csr,2.1e-5\n").exit_code, 0);
  const CommandResult nanoseconds = predicted(sizes + "cusparse-csr,19000\n");
  EXPECT_EQ(nanoseconds.exit_code, 3);
  EXPECT_NE(nanoseconds.err.find("table.csv:2"), std::string::npos) << nanoseconds.err;
  const CommandResult milliseconds = predicted(sizes + "cusparse-csr,0.019\n");
  EXPECT_EQ(milliseconds.exit_code, 3);
  EXPECT_NE(milliseconds.err.find("check the unit"), std::string::npos) << milliseconds.err;
  const CommandResult unknown = predicted(sizes + "nonsense,1.9e-5\n");
  EXPECT_EQ(unknown.exit_code, 3);
  EXPECT_NE(unknown.err.find("nonsense"), std::string::npos) << unknown.err;
  // One impossible time among others is left out, and said.
  const CommandResult one =
      predicted(sizes + "cusparse-csr,1.9e-5\n" + other + "cusparse-csr,2.1e-5\n" + sizes + "cusparse-csr,1e-20\n");
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_NE(one.err.find("1 of 3 times are left out"), std::string::npos) << one.err;
}

TEST_F(Machines, GinkgosOwnFileIsImported) {
  const std::string file =
      folder_
          .write("mine.json",
                 R"([{"problem": {"group": "G", "name": "m", "rows": 400, "cols": 400, "nonzeros": 2000,
                      "row_distribution": {"min": 5, "q1": 5, "median": 5, "q3": 5, "max": 5, "variance": 0}},
                      "spmv": {"Csr": {"storage": 2000, "time": 15000, "completed": true}}}])")
          .string();
  const std::string profile = (folder_.path() / "mine.profile.json").string();
  ASSERT_EQ(run({"profiles", "import", file, "--name", "mine", "-o", profile}).exit_code, 0);
  const json judged = told({"evaluate", "--device", "tesla-k40m", "--records", file, "--json"});
  ASSERT_EQ(judged["cases"].size(), 1U);
  EXPECT_EQ(judged["cases"][0]["kernel"], "ginkgo-csr");
  EXPECT_EQ(judged["cases"][0]["measured_s"], 15e-6);
  EXPECT_EQ(run({"profiles", "import", file, "--name", "mine", "--unit", "hours", "-o", profile}).exit_code, 2);
}

// The block of the page that needs Ginkgo's own files; SPARSECAST_MEASUREMENTS is the folder of README's collections.
TEST_F(Machines, GinkgosFilesGoFromThePageToForecasts) {
  const char* measurements = std::getenv("SPARSECAST_MEASUREMENTS");
  const std::string raw = std::string(measurements == nullptr ? "" : measurements) + "/ginkgo/raw/";
  if (!std::filesystem::exists(raw + "K40m-bcsstk36.json")) GTEST_SKIP() << "SPARSECAST_MEASUREMENTS names none";
  const std::string page = read_text(std::filesystem::path(SPARSECAST_SOURCE_DIR) / "docs/how-to/measurements.md");
  const std::size_t begin = page.find("```sh\n") + 6;
  std::istringstream lines(page.substr(begin, page.find("```", begin) - begin));
  int ran = 0;
  for (std::string line, word; std::getline(lines, line); ++ran) {
    std::vector<std::string> words;
    for (std::istringstream of(line); of >> word;)
      words.push_back(word.starts_with("K40m") ? raw + word : word == "heat.mtx" ? matrix() : word);
    if (words.back() == "one-matrix.json") words.back() = (folder_.path() / words.back()).string();
    const CommandResult result = run({words.begin() + 1, words.end()});
    EXPECT_EQ(result.exit_code, 0) << line << '\n' << result.err;
    const std::map<std::string, const char*> told{{"predict", "ginkgo-sellp"}, {"evaluate", "10⁶"}, {"profiles", ""}};
    EXPECT_NE(result.out.find(told.at(words[1])), std::string::npos) << line << '\n' << result.out;
  }
  EXPECT_EQ(ran, 3);
}

// What a bare node needs is a shell and a compiler.
TEST_F(Machines, AScriptMeasuresWhatForecastsNeed) {
  const std::string script = (folder_.path() / "m.sh").string(), table = (folder_.path() / "m.tsv").string();
  EXPECT_EQ(told({"probe", "--for", matrix(), "-o", script, "--json"})["matrices"], 16);
  const CommandResult ran = run_program("sh", {script, table, "host"});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const std::string here = folder_.write("here.json", run({"devices", "--describe", "host", "--json"}).out).string();
  const json judged = told({"evaluate", "--device", here, "--anchors", table, "--records", table, "--json"});
  ASSERT_EQ(judged["cases"].size(), 16U);
  for (const json& one : judged["cases"]) EXPECT_EQ(one["kernel"], "csr") << "of the host";
  const json predicted = told({"predict", matrix(), "--device", here, "--anchors", table, "--json"});
  const auto own =
      std::ranges::count_if(predicted["forecasts"], [](const json& one) { return one["kernel"] == "csr"; });
  EXPECT_EQ(own, 1) << "beside the kernels of tables";
  for (const json& one : predicted["forecasts"]) EXPECT_EQ(one["tier"], "anchors");
}

TEST_F(Machines, ARankingTellsWhatToMeasure) {
  const auto ranked = [&](const std::string& devices) {
    return told({"compare", matrix(), "--devices", devices, "--iterations", "1000", "--json"})["matrices"][0];
  };
  const auto width_of = [](const json& of, const std::string& device) {
    for (const json& place : of["ranking"])
      if (place["device"] == device) return place["high_s"].get<double>() / place["low_s"].get<double>();
    return 0.0;
  };
  const json before = ranked("amd-mi250,amd-mi300x");
  ASSERT_TRUE(before.contains("measure_next")) << before.dump(1);
  const json& next = before["measure_next"];
  EXPECT_LT(next["doubt_after"], next["doubt"]);
  ASSERT_GE(next["products"].size(), 1U);
  ASSERT_LE(next["products"].size(), 16U);
  std::string anchors = "matrix,rows,nonzeros,row_max,kernel,seconds\n";
  for (const json& p : next["products"]) {
    const auto rows = p["rows"].get<int>(), nonzeros = p["nonzeros"].get<int>();
    anchors += fmt::format("{},{},{},{},{},{}\n", p["matrix"].get<std::string>(), rows, nonzeros, nonzeros / rows,
                           p["kernel"].get<std::string>(), 8e-6 + 12.0 * nonzeros / 2e12);
  }
  const auto device = next["device"].get<std::string>();
  const json after = ranked((device == "amd-mi250" ? "amd-mi300x," : "amd-mi250,") + device + "=" +
                            folder_.write("there.csv", anchors).string());
  EXPECT_GT(width_of(after, device), 1);
  EXPECT_LT(width_of(after, device), width_of(before, device));
}

TEST_F(Machines, AProbeForecastsInItsTier) {
  const std::string file = (folder_.path() / "probe.json").string();
  const json probed = told({"probe", "-o", file, "--quiet", "--json"});
  EXPECT_GT(probed["records"], 0);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "home" / "store.sqlite")) << "the user's store stays as it is";
  const json predicted = told({"predict", matrix(), "--profile", file, "--json"});
  ASSERT_FALSE(predicted["forecasts"].empty());
  for (const json& forecast : predicted["forecasts"]) EXPECT_EQ(forecast["tier"], "probe");
  const json on_one = told({"predict", matrix(), "--profile", file, "--threads", "1", "--json"});
  ASSERT_FALSE(on_one["forecasts"].empty()) << "it measures one thread and all";
  for (const json& forecast : on_one["forecasts"]) EXPECT_EQ(forecast["tier"], "probe");
}

}  // namespace
}  // namespace sparsecast::test
