// The whole pipeline through the command, as a user types it: generate, calibrate, predict, measure, evaluate,
// profiles. Every document is held against its schema; no time is asserted.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sparsecast/threads.hpp>
#include <sstream>

#include "app/pipeline.hpp"
#include "calibration/rounds.hpp"
#include "calibration/store.hpp"
#include "formats/kernels.hpp"
#include "support/command.hpp"
#include "support/page_data.hpp"
#include "support/parts.hpp"
#include "support/schema.hpp"

namespace sparsecast::test {
namespace {

TEST_F(Pipeline, SchemasCanBeChecked) {
  if (!can_validate()) SKIP_OR_FAIL(parts::schemas);
  EXPECT_TRUE(fits_its_schema(calibration));
  EXPECT_FALSE(fits_its_schema(R"({"schema": "sparsecast/calibrate/1", "device": 7})"));
}

TEST_F(Pipeline, PredictForecastsEveryHostKernelFastestFirst) {
  const json predicted = document({"predict", matrix(), "--json"});
  EXPECT_EQ(predicted["matrix"]["rows"], 3600);
  EXPECT_EQ(predicted["device"]["kind"], "host");
  std::set<std::string> kernels;
  double before = 0;
  for (const json& forecast : predicted["forecasts"]) {
    kernels.insert(forecast["kernel"]);
    EXPECT_GE(forecast["seconds"], before);
    EXPECT_LE(forecast["low_s"], forecast["seconds"]);
    EXPECT_GE(forecast["high_s"], forecast["seconds"]);
    before = forecast["seconds"];
  }
  // A grid is symmetric, lies on diagonals and has two values; it has no blocks, and it is too small for variants to be
  // worth a forecast.
  EXPECT_EQ(kernels, (std::set<std::string>{"coo", "csr", "csr-merge", "csr-scalar", "csr-sym", "dia", "ell", "hyb",
                                            "jad", "sell", "sell-compact", "sell-sym"}));
  EXPECT_TRUE(kernels.contains(predicted["recommended"]["kernel"]));
}

// Members called bytes, wherever they stand, and whether all of them are whole.
int whole_bytes(const json& document) {
  int count = 0;
  for (const auto& [name, value] : document.items()) {
    if (value.is_structured()) count += whole_bytes(value);
    if (name != "bytes" || value.is_null()) continue;
    EXPECT_TRUE(value.is_number_integer()) << value;
    ++count;
  }
  return count;
}

TEST_F(Pipeline, ThreadsAutoComparesTheCountsThatWereCalibrated) {
  const json predicted = document({"predict", matrix(), "--threads", "auto", "--json"});
  ASSERT_FALSE(predicted["thread_counts"].empty());
  double fastest = 1e300;
  for (const json& count : predicted["thread_counts"]) {
    const json alone = document({"predict", matrix(), "--threads", count["threads"].dump(), "--json"});
    EXPECT_EQ(alone["recommended"]["kernel"], count["kernel"]);
    expect_same_seconds(alone["recommended"]["seconds"], count["seconds"]);
    fastest = std::min(fastest, count["seconds"].get<double>());
  }
  EXPECT_EQ(predicted["recommended"]["seconds"], fastest);
  EXPECT_LE(predicted["enough_threads"], predicted["threads"]);
  EXPECT_EQ(sparsecast({"predict", matrix(), "--threads", "some"}).exit_code, 2);
}

TEST_F(Pipeline, ThreadsAutoComparesThoseOfAProcessorThatIsNotHere) {
  const json predicted = document({"predict", matrix(), "--device", "ampere-altra", "--threads", "auto", "--json"});
  EXPECT_EQ(predicted["thread_counts"].front()["threads"], 1);
  EXPECT_EQ(predicted["thread_counts"].back()["threads"], 80);
  EXPECT_EQ(predicted["recommended"]["seconds"], std::ranges::min(predicted["thread_counts"], {}, [](const json& c) {
              return c["seconds"].get<double>();
            })["seconds"]);
  EXPECT_EQ(sparsecast({"predict", matrix(), "--device", "nvidia-h100", "--threads", "auto"}).exit_code, 2);
  const std::string more = sparsecast({"predict", matrix(), "--device", "ampere-altra", "--threads", "96"}).err;
  EXPECT_NE(more.find("ampere-altra has 80 cores: the forecast is for 80 threads"), std::string::npos) << more;
}

TEST_F(Pipeline, BytesInDocumentsAreWhole) { EXPECT_GT(whole_bytes(document({"predict", matrix(), "--json"})), 5); }

TEST_F(Pipeline, TablesFitEightyColumnsOfAscii) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"predict", matrix(), "--iterations", "3"},
                                                {"predict", matrix(), "--model", "all"},
                                                {"measure", matrix(), "--kernels", "csr,bsr"},
                                                {"optimize", matrix(), "--verify"},
                                                {"profiles", "show", "host"}}) {
    const CommandResult result = sparsecast(words, {"COLUMNS=80", "LC_ALL=C"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
    EXPECT_TRUE(std::ranges::all_of(result.out, [](char c) { return static_cast<unsigned char>(c) < 0x80; }))
        << words[0];
  }
  // A sentence about one kernel is no column.
  const std::string text = sparsecast({"measure", matrix(), "--kernels", "csr,bsr"}).out;
  EXPECT_NE(text.find("\nbsr"), std::string::npos) << text;
  EXPECT_NE(text.find("\n[1] bsr cannot be used for this matrix"), std::string::npos) << text;
}

// The first line is the answer, and what follows fits a terminal of 24 lines.
TEST_F(Pipeline, EveryAnswerFitsAScreen) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> calls{
      {{"predict", matrix()}, "use "},
      {{"optimize", matrix()}, " a product"},
      {{"evaluate", matrix()}, "forecasts are off by "},
      {{"compare", matrix()}, " finishes first: "},
      {{"measure", matrix()}, " is the fastest: "}};
  for (const auto& [words, answer] : calls) {
    const CommandResult result = sparsecast(words, {"COLUMNS=80", "LC_ALL=C.UTF-8"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_LE(std::ranges::count(result.out, '\n'), 24) << result.out;
    EXPECT_NE(result.out.substr(0, result.out.find('\n')).find(answer), std::string::npos) << result.out;
  }
  const std::string all = sparsecast({"predict", matrix(), "--all", "--explain"}).out;
  for (const char* told : {"GF/s", "storage", "share", "by the model host"})
    EXPECT_NE(all.find(told), std::string::npos) << told << '\n' << all;
  EXPECT_NE(sparsecast({"measure", matrix(), "--kernels", "csr,bsr", "-v"})
                .out.find("[1] bsr cannot be used for this matrix"),
            std::string::npos);
}

TEST_F(Pipeline, TheDoctorFindsTheCalibration) {
  const json d = document({"doctor", "--json"});
  ASSERT_EQ(d["calibrated"].size(), 1U);
  EXPECT_EQ(d["calibrated"][0]["name"], "host");
  EXPECT_TRUE(d["calibrated"][0]["changes"].empty());
  EXPECT_LT(d["calibrated"][0]["days"], 1);
  if (within_the_hour()) {  // later the doctor measures, and what it finds is the machine's
    EXPECT_TRUE(d["drift"].is_null());
    EXPECT_TRUE(d["ready"]);
  }
  EXPECT_NE(d["next"], "sparsecast calibrate --quick");
}

TEST_F(Pipeline, AMatrixMayStandBehindAList) {
  const auto kernels_of = [&](const std::vector<std::string>& words) {
    std::set<std::string> kernels;
    const json times = document(words)["measurements"];
    for (const json& one : times) kernels.insert(one["kernel"]);
    return kernels;
  };
  EXPECT_EQ(kernels_of({"measure", "--json", "--kernels", "csr,sell", matrix()}),
            kernels_of({"measure", "--json", matrix(), "--kernels", "csr,sell"}));
  EXPECT_EQ(kernels_of({"measure", "--json", "--kernels", "csr", "--kernels", "sell", matrix()}),
            (std::set<std::string>{"csr", "sell"}));
}

TEST_F(Pipeline, OneBadMatrixCostsTheOthersNothing) {
  const CommandResult result = sparsecast({"measure", "/no/such.mtx", matrix(), "--kernels", "csr"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.out.find("csr is the fastest"), std::string::npos) << result.out;
  EXPECT_NE(result.err.find("/no/such.mtx"), std::string::npos) << result.err;
}

TEST_F(Pipeline, WithoutIterationsThereIsNoTotal) {
  const json forecasts = document({"predict", matrix(), "--json"})["forecasts"];
  const json times = document({"measure", matrix(), "--kernels", "csr", "--json"})["measurements"];
  ASSERT_FALSE(forecasts.empty() || times.empty());
  for (const json& row : forecasts) EXPECT_TRUE(row.at("total_s").is_null()) << row;
  for (const json& row : times) EXPECT_TRUE(row.at("total_s").is_null()) << row;
}

TEST_F(Pipeline, IterationsSortByTheTotalWithTheConversion) {
  for (const bool predicts : {true, false}) {
    std::vector<std::string> words{predicts ? "predict" : "measure", matrix(), "--iterations", "3"};
    if (!predicts) words.insert(words.end(), {"--kernels", "csr,ell,sell,coo"});
    EXPECT_NE(sparsecast(words).out.find("conversion and 3 products"), std::string::npos);
    words.emplace_back("--json");
    const json document = Pipeline::document(words);
    const json& rows = document[predicts ? "forecasts" : "measurements"];
    ASSERT_FALSE(rows.empty());
    double before = 0;
    for (const json& row : rows) {
      if (row.contains("status") && row["status"] != "ok") continue;  // at the end
      ASSERT_TRUE(row["total_s"].is_number()) << row;
      const double total = row["preprocess_s"].get<double>() + 3 * row["seconds"].get<double>();
      EXPECT_NEAR(row["total_s"], total, 1e-9 * total);
      EXPECT_GE(row["total_s"], before);
      before = row["total_s"];
      if (row["kernel"] == "csr") {
        EXPECT_EQ(row["preprocess_s"], 0) << "taken as it is";
      }
      if (row["kernel"] == "ell") {
        EXPECT_GT(row["preprocess_s"], 0);
      }
    }
    if (predicts) {
      EXPECT_EQ(document["recommended"]["kernel"], rows[0]["kernel"]);
    }
  }
}

TEST_F(Pipeline, EvaluateJudgesConversions) {
  const json evaluated =
      document({"evaluate", matrix(), "--model", "sparsecast", "--kernels", "csr,ell,sell,coo", "--json"});
  EXPECT_FALSE(evaluated["cases"].empty());
  for (const json& one : evaluated["cases"]) {
    ASSERT_TRUE(one.contains("preprocess_predicted_s"));
    ASSERT_TRUE(one.contains("preprocess_measured_s"));
    if (one["kernel"] == "csr") {
      EXPECT_EQ(one["preprocess_measured_s"], 0);
    }
  }
  for (const json& summary : evaluated["summary"]) EXPECT_TRUE(summary.at("preprocess_mean_error").is_number());
}

TEST_F(Pipeline, PredictTakesSeveralMatricesAndOneModel) {
  const json predicted = document({"predict", matrix(), matrix(), "--model", "guo", "--json"});
  ASSERT_EQ(predicted["predictions"].size(), 2U);
  EXPECT_FALSE(predicted["predictions"][0]["forecasts"].empty());
  for (const json& forecast : predicted["predictions"][0]["forecasts"]) EXPECT_EQ(forecast["model"], "guo");
}

TEST_F(Pipeline, PredictTakesTheStructureOfAMatrixThatIsElsewhere) {
  const std::filesystem::path file = folder->path() / "elsewhere.json";
  std::ofstream(file) << document({"info", matrix(), "--json"});
  const json elsewhere = document({"predict", file.string(), "--json"});
  // What was measured here on the matrix is not known of its structure.
  const json here = document({"predict", matrix(), "--no-store", "--json"});
  EXPECT_EQ(elsewhere["matrix"], here["matrix"]);
  expect_same_forecasts(elsewhere["forecasts"], here["forecasts"]);
  std::ofstream(file) << R"({"structure": {"name": "shared", "rows": 10, "cols": 10, "nonzeros": 20}})";
  const CommandResult features = sparsecast({"predict", file.string()});
  EXPECT_EQ(features.exit_code, 3);
  EXPECT_NE(features.err.find("'shared'"), std::string::npos) << features.err;
  for (const char* wrong : {"", "{}", "[1, 2]", R"({"structure": 7})", R"({"structure": {"rows": -1}})"}) {
    std::ofstream(file) << wrong;
    const CommandResult refused = sparsecast({"predict", file.string()});
    EXPECT_EQ(refused.exit_code, 3) << wrong;
    EXPECT_NE(refused.err.find("elsewhere.json"), std::string::npos) << refused.err;
  }
}

TEST_F(Pipeline, PredictWorksForOneThreadAndSaysWhatIsMissingForOthers) {
  EXPECT_EQ(sparsecast({"predict", matrix(), "--threads", "1"}).exit_code, 0);
  const CommandResult other = sparsecast({"predict", matrix(), "--model", "guo", "--precision", "single"});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_NE(other.err.find("calibrate --device host --precision single"), std::string::npos) << other.err;
}

TEST_F(Pipeline, SinglePrecisionIsForecastFromRecordsInDoubleAndSaysSo) {
  const auto forecast = [&](const char* precision) {  // by records alone, without what other tests measured
    return document({"predict", matrix(), "--threads", "1", "--precision", precision, "--no-store", "--json"});
  };
  const json of_double = forecast("double"), of_single = forecast("single");
  ASSERT_EQ(of_single["forecasts"].size(), of_double["forecasts"].size());
  // How much wider the interval is rests on what was measured: tests/forecast/record_choice_test.cpp tests it.
  for (const json& single : of_single["forecasts"]) {
    EXPECT_EQ(single["records_precision"], "double");
    for (const json& other : of_double["forecasts"])
      if (other["kernel"] == single["kernel"]) {
        EXPECT_LT(single["bytes"], other["bytes"]);
      }
  }
  for (const char* command : {"predict", "optimize"}) {
    const CommandResult text = sparsecast({command, matrix(), "--threads", "1", "--precision", "single"});
    EXPECT_NE(text.out.find("based on records in double precision and has a wider interval"), std::string::npos)
        << text.out;
    EXPECT_EQ(sparsecast({command, matrix(), "--threads", "1"}).out.find("records in"), std::string::npos);
  }
  EXPECT_EQ(document({"optimize", matrix(), "--threads", "1", "--precision", "single", "--json"})["records_precision"],
            "double");
}

// A profile of this hour needs no probe, and this machine has not changed.
TEST_F(Pipeline, AFreshProfileIsNeitherStaleNorProbed) {
  if (!within_the_hour()) GTEST_SKIP() << "all tests share one calibration, which is no longer fresh";
  const CommandResult predicted = sparsecast({"predict", matrix(), "--threads", "1", "--json"});
  EXPECT_TRUE(json::parse(predicted.out)["drift"].is_null());
  EXPECT_EQ(predicted.err.find("stale"), std::string::npos) << predicted.err;
  EXPECT_FALSE(std::filesystem::exists(folder->path() / "home" / "probes"));
}

TEST_F(Pipeline, AMachineWhoseRepeatsScatterIsTold) {
  const TemporaryFolder other;
  std::filesystem::copy(folder->path() / "home", other.path(), std::filesystem::copy_options::recursive);
  const auto remarks = [&](double error) {
    calibration::Store(other.path() / "store.sqlite").add_curves("host", {calibration::repeat_curve(error, 1)});
    return sparsecast({"predict", matrix(), "--threads", "1"}, {"SPARSECAST_HOME=" + other.path().string()}).err;
  };
  EXPECT_EQ(remarks(0.1).find("drifts"), std::string::npos);
  EXPECT_NE(remarks(0.3).find("this machine drifts: a quarter of its products differed by a factor of 1.3"),
            std::string::npos);
}

// A calibration beside other programs tells of them as well as of the machine: it is said, and taken again.
TEST_F(Pipeline, AProfileThatWasTakenBesideOtherProgramsIsStaleUntilItIsTakenAgain) {
  const TemporaryFolder other;
  std::filesystem::copy(folder->path() / "home", other.path(), std::filesystem::copy_options::recursive);
  const std::vector<std::string> home{"SPARSECAST_HOME=" + other.path().string()};
  const std::filesystem::path file = other.path() / "store.sqlite";
  const auto waited = [&](double share) {
    calibration::Store(file).add_curves("host", {calibration::wait_curve(share, 1)});
  };
  const auto said = [&] { return sparsecast({"predict", matrix(), "--threads", "1"}, home).err; };
  waited(0.05);
  EXPECT_EQ(said().find("other programs"), std::string::npos);
  waited(0.4);
  EXPECT_NE(said().find("taken while other programs used the cores: one thread waited 40"), std::string::npos)
      << said();
  const json doctor = json::parse(sparsecast({"doctor", "--threads", "1", "--json"}, home).out);
  EXPECT_FALSE(doctor["ready"]);
  EXPECT_NE(doctor["why"].get<std::string>().find("other programs"), std::string::npos) << doctor;

  const auto records = [&] { return calibration::Store(file).profile("host")->records; };
  const auto newest = [&](const std::string& than) {
    return std::ranges::count_if(records(), [&](const Record& one) { return one.threads == 1 && one.taken > than; });
  };
  const std::string before = calibration::Store(file).profile("host")->taken;
  const CommandResult again =
      sparsecast({"calibrate", "--quick", "--threads", "1", "--minutes", "0.1", "--json"}, home);
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(json::parse(again.out)["present"], 0);
  EXPECT_GT(newest(before), 0);
}

TEST_F(Pipeline, AMatrixWithoutRowsIsForecastAsItIsPlanned) {
  const std::string empty =
      folder->write("empty.mtx", "%%MatrixMarket matrix coordinate real general\n0 5 0\n").string();
  const json predicted = document({"predict", empty, "--threads", "1", "--json"});
  ASSERT_FALSE(predicted["forecasts"].empty());
  EXPECT_GT(predicted["recommended"]["seconds"], 0);
  EXPECT_EQ(predicted["recommended"]["kernel"],
            document({"plan", empty, "--threads", "1", "--json"})["best_single"]["kernel"]);
}

TEST_F(Pipeline, ThreadsBeyondTheCoresAreThoseOfTheCores) {
  const std::string most = std::to_string(available_cores()), more = std::to_string(available_cores() + 1);
  const CommandResult predicted = sparsecast({"predict", matrix(), "--threads", more, "--json"});
  ASSERT_EQ(predicted.exit_code, 0) << predicted.err;
  EXPECT_NE(predicted.err.find("the forecast is for " + most + " threads"), std::string::npos) << predicted.err;
  expect_same_forecasts(json::parse(predicted.out)["forecasts"],
                        document({"predict", matrix(), "--threads", most, "--json"})["forecasts"]);
}

TEST_F(Pipeline, MeasureSkipsWhatIsForecastFarBehindUnlessAskedForAll) {
  // 3,000 rows of 1 and one of 3,000: ELL stores nine million slots for six thousand entries.
  std::string text = "%%MatrixMarket matrix coordinate pattern general\n3001 3001 6000\n";
  for (int i = 1; i <= 3000; ++i) text += std::to_string(i) + " 1\n3001 " + std::to_string(i) + "\n";
  const std::string long_row = folder->write("long-row.mtx", text).string();
  const auto ell = [](const json& measured) {
    for (const json& one : measured["measurements"])
      if (one["kernel"] == "ell") return one;
    return json();
  };
  const json skipped = document({"measure", long_row, "--threads", "1", "--json"});
  EXPECT_EQ(skipped["measurements"].size(), formats::host_kernels().size()) << "what is skipped is listed";
  const std::string status = ell(skipped)["status"];
  EXPECT_TRUE(status.starts_with("skipped: forecast ")) << status;
  EXPECT_NE(status.find("--all measures it"), std::string::npos) << status;
  EXPECT_TRUE(ell(skipped)["seconds"].is_null());
  EXPECT_EQ(ell(document({"measure", long_row, "--threads", "1", "--all", "--json"}))["status"], "ok");
  EXPECT_EQ(ell(document({"measure", long_row, "--threads", "1", "--kernels", "ell", "--json"}))["status"], "ok");
  // In a store without a profile what ships is enough to know it.
  const CommandResult unknown = sparsecast({"measure", long_row, "--threads", "1", "--json"},
                                           {"SPARSECAST_HOME=" + (folder->path() / "no-profile").string()});
  EXPECT_EQ(ell(json::parse(unknown.out))["status"].get<std::string>().find("skipped: forecast "), 0U) << unknown.out;
}

TEST_F(Pipeline, MeasureTimesEveryKernel) {
  // All: a calibration of seconds may forecast one at ten times the best.
  const json measured = document({"measure", matrix(), "--all", "--json"});
  EXPECT_EQ(measured["measurements"].size(), formats::host_kernels().size());
  for (const json& one : measured["measurements"]) {
    if (one["kernel"] == "bsr") {
      EXPECT_EQ(one["status"],
                "bsr cannot be used for this matrix: no shape of 2 to 8 rows and columns fills its blocks well");
      EXPECT_TRUE(one["seconds"].is_null());
      continue;
    }
    EXPECT_EQ(one["status"], "ok");
    EXPECT_GT(one["seconds"], 0);
    EXPECT_GT(one["repeats"], 0);
  }
}

TEST_F(Pipeline, MeasureTakesAListOfKernels) {
  const json measured = document({"measure", matrix(), "--kernels", "csr,ell", "--json"});
  EXPECT_EQ(measured["measurements"].size(), 2U);
  EXPECT_EQ(sparsecast({"measure", matrix(), "--kernels", "csr,elll"}).exit_code, 2);
}

// Several vectors and the transposed product: forecast and measured for every kernel.
TEST_F(Pipeline, OtherProductsAreForecastAndMeasured) {
  for (const std::vector<std::string>& task :
       {std::vector<std::string>{"--vectors", "8"}, {"--transposed"}, {"--vectors", "3", "--transposed"}}) {
    std::vector<std::string> predict{"predict", matrix(), "--threads", "1", "--json"},
        measure{"measure", matrix(), "--all", "--threads", "1", "--json"};
    predict.insert(predict.end(), task.begin(), task.end());
    measure.insert(measure.end(), task.begin(), task.end());
    const json predicted = document(predict), measured = document(measure);
    for (const json& said : {predicted, measured}) {
      EXPECT_EQ(said["vectors"], task.size() == 1 ? 1 : std::stoi(task[1]));
      EXPECT_EQ(said["transposed"], task.back() == "--transposed");
    }
    // A grid is symmetric, of two values and on diagonals; of those forms sell-sym alone is transposed. It has no
    // blocks.
    const std::size_t forms = task.back() == "--transposed" ? 1 : 4;
    EXPECT_EQ(predicted["forecasts"].size(), 8 + forms);
    double before = 0;
    for (const json& forecast : predicted["forecasts"]) {
      EXPECT_GE(forecast["seconds"], before);
      before = forecast["seconds"];
      EXPECT_LT(forecast["low_s"], forecast["seconds"]);
      EXPECT_GT(forecast["high_s"], forecast["seconds"]);
    }
    EXPECT_EQ(predicted["recommended"]["seconds"], predicted["forecasts"][0]["seconds"]);
    EXPECT_EQ(measured["measurements"].size(), formats::host_kernels().size());
    const auto ok = [](const json& measurement) { return measurement["status"] == "ok"; };
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count_if(measured["measurements"], ok)), 11 + forms);
  }
  EXPECT_EQ(document({"predict", matrix(), "--json"})["vectors"], 1);
}

TEST_F(Pipeline, OtherProductsAreJudgedAndLeaveTheStoreAlone) {
  const json evaluated = document({"evaluate", matrix(), "--vectors", "4", "--kernels", "csr,sell", "--json"});
  EXPECT_EQ(evaluated["vectors"], 4);
  EXPECT_FALSE(evaluated["cases"].empty());
  EXPECT_EQ(sparsecast({"evaluate", matrix(), "--vectors", "4", "--stored"}).exit_code, 2);
  EXPECT_EQ(sparsecast({"predict", matrix(), "--vectors", "0"}).exit_code, 2);
}

TEST_F(Pipeline, EvaluateJudgesEveryModel) {
  const json evaluated = document({"evaluate", matrix(), "--kernels", "csr,ell,sell,coo", "--json"});
  std::set<std::string> models;
  for (const json& summary : evaluated["summary"]) models.insert(summary["model"]);
  for (const char* model : {"guo", "wang-normal", "wang-uniform"}) EXPECT_TRUE(models.contains(model)) << model;
  EXPECT_GT(evaluated["cases"].size(), 8U) << "four kernels, several models";
  for (const json& one : evaluated["cases"]) {
    const double predicted = one["predicted_s"], measured = one["measured_s"];
    EXPECT_NEAR(one["error"], std::abs(predicted - measured) / measured, 1e-12);
  }
  EXPECT_TRUE(evaluated["skipped"].empty());
}

TEST_F(Pipeline, EvaluateGoesOnPastABadFileAndExitsThree) {
  const TemporaryFolder mixed;
  std::filesystem::copy(matrix(), mixed.path() / "good.mtx");
  mixed.write("bad.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n9 9 1\n");
  mixed.write("notes.txt", "not a matrix");
  const CommandResult result = sparsecast({"evaluate", mixed.path().string(), "--kernels", "csr", "--json"});
  EXPECT_EQ(result.exit_code, 3);
  const json evaluated = json::parse(result.out);
  EXPECT_FALSE(evaluated["cases"].empty());
  ASSERT_EQ(evaluated["skipped"].size(), 1U);
  EXPECT_EQ(evaluated["skipped"][0]["matrix"], "bad.mtx");

  // Of nothing but bad ones there is no table.
  std::filesystem::remove(mixed.path() / "good.mtx");
  mixed.write("worse.mtx", "no matrix");
  const CommandResult none = sparsecast({"evaluate", mixed.path().string(), "--kernels", "csr", "--json"});
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_TRUE(none.out.empty()) << none.out;
  EXPECT_NE(none.err.find("worse.mtx"), std::string::npos) << none.err;
  EXPECT_NE(none.err.find("none of the 2 matrices can be read"), std::string::npos) << none.err;
}

TEST_F(Pipeline, AReportHoldsForecastMeasurementPlanAndErrors) {
  const std::string page = (folder->path() / "page.html").string();
  const json data = document({"report", matrix(), "-o", page, "--json", "--quiet"});
  std::vector<std::string> schemas;
  for (const json& one : data["documents"]) {
    EXPECT_TRUE(fits_its_schema(one.dump()));
    schemas.push_back(one["schema"]);
  }
  EXPECT_EQ(schemas, (std::vector<std::string>{"sparsecast/info/1", "sparsecast/predict/1", "sparsecast/measure/1",
                                               "sparsecast/optimize/1", "sparsecast/evaluate/1"}));
  EXPECT_TRUE(data["documents"][3].contains("measured_gain")) << "the plan is verified";
  EXPECT_FALSE(data["machines"][0]["levels"].empty()) << "the calibration measured what memory gives";
  EXPECT_EQ(page_data(page)["documents"], data["documents"]);
  // The errors are of the times that stand beside the forecasts.
  for (const json& judged : data["documents"][4]["cases"])
    for (const json& measured : data["documents"][2]["measurements"])
      if (measured["kernel"] == judged["kernel"]) {
        EXPECT_EQ(measured["seconds"], judged["measured_s"]);
      }
}

TEST_F(Pipeline, ProfilesAreListedShownExportedAndUsedElsewhere) {
  EXPECT_EQ(document({"profiles", "list", "--json"})["profiles"][0]["name"], "host");
  EXPECT_FALSE(document({"profiles", "show", "host", "--json"})["curves"].empty());
  const std::string file = (folder->path() / "host.profile.json").string();
  ASSERT_EQ(sparsecast({"profiles", "export", "host", "-o", file, "--quiet"}).exit_code, 0);
  EXPECT_TRUE(fits_its_schema(read_text(file)));
  const std::string elsewhere = "SPARSECAST_HOME=" + (folder->path() / "elsewhere").string();
  const CommandResult with_file = sparsecast({"predict", matrix(), "--profile", file, "--json"}, {elsewhere});
  ASSERT_EQ(with_file.exit_code, 0) << with_file.err;
  expect_same_forecasts(json::parse(with_file.out)["forecasts"],
                        document({"predict", matrix(), "--no-store", "--json"})["forecasts"]);
  const CommandResult ships = sparsecast({"predict", matrix(), "--json"}, {elsewhere});
  ASSERT_EQ(ships.exit_code, 0) << ships.err;
  EXPECT_EQ(json::parse(ships.out)["forecasts"][0]["tier"], "shipped") << "nothing was calibrated there";
}

TEST_F(Pipeline, EmptyMatrixIsForecastAndMeasured) {
  const auto empty = folder->write("none.mtx", "%%MatrixMarket matrix coordinate real general\n4 5 0\n");
  EXPECT_EQ(sparsecast({"predict", empty.string()}).exit_code, 0);
  EXPECT_EQ(sparsecast({"measure", empty.string()}).exit_code, 0);
}

TEST_F(Pipeline, AFullDiskIsSaidAndNotSilent) {
  ASSERT_TRUE(std::filesystem::exists("/dev/full")) << "every Linux has it";
  const CommandResult result =
      run_program("sh", {"-c", std::string(SPARSECAST_COMMAND) + " predict " + matrix() + " > /dev/full"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("standard output"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace sparsecast::test
