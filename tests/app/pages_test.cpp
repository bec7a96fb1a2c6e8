// --html and report through the command: the page carries what the command would have printed, whatever the matrix is
// called, and stands in its place whole. Machines that are described need no calibration.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/command.hpp"
#include "support/page_data.hpp"
#include "support/schema.hpp"

namespace sparsecast::test {
namespace {

using nlohmann::json;

constexpr const char* market =
    "%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 1\n1 2 2\n2 2 3\n3 1 4\n3 3 5\n";

TEST(Pages, OfAForecastCarryItsDocumentAndTheMatrix) {
  const TemporaryFolder folder;
  const std::string matrix = folder.write("a<b>&'\".mtx", market), page = folder.path() / "page.html";
  const CommandResult run = sparsecast({"predict", matrix, "--device", "nvidia-h100", "--json", "--html", page});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json data = page_data(page);
  EXPECT_TRUE(fits_its_schema(data.dump()));
  ASSERT_EQ(data["documents"].size(), 2U);
  EXPECT_EQ(data["documents"][0]["schema"], "sparsecast/info/1");
  EXPECT_TRUE(fits_its_schema(data["documents"][0].dump()));
  EXPECT_EQ(data["documents"][1], json::parse(run.out));
  EXPECT_EQ(data["machines"][0]["name"], "nvidia-h100");
  EXPECT_EQ(data["machines"][0]["tier"], "data sheet");
  EXPECT_NE(read_text(page).find("<h1>Forecast of a&lt;b&gt;&amp;'&quot;</h1>"), std::string::npos);
  EXPECT_NE(data["asked"].get<std::string>().find("sparsecast predict '"), std::string::npos) << data["asked"];
}

TEST(Pages, OfOtherCommandsCarryTheirDocuments) {
  const TemporaryFolder folder;
  const std::string matrix = folder.write("a.mtx", market), page = folder.path() / "page.html";
  const std::vector<std::string> store{"SPARSECAST_HOME=" + folder.path().string()};
  const std::string graph = folder.write("graph.json", R"({"schema": "sparsecast/kernel-graph/1", "instances": 4,
    "executors": 2, "nodes": [{"id": "a", "kind": "input"}, {"id": "b", "kind": "output", "time": 1e-6}],
    "arcs": [{"from": "a", "to": "b", "time": 2e-6}]})");
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"measure", matrix, "--kernels", "csr,coo"},
                                             {"compare", matrix, "--devices", "nvidia-h100,amd-mi300x"},
                                             {"kernel", graph}}) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--json", "--html", page});
    const CommandResult run = sparsecast(all, store);
    ASSERT_EQ(run.exit_code, 0) << words[0] << run.err;
    const json data = page_data(page);
    EXPECT_TRUE(fits_its_schema(data.dump())) << words[0];
    EXPECT_EQ(data["documents"].back(), json::parse(run.out)) << words[0];
  }
}

TEST(Pages, ReportOfAMachineThatIsNotHereIsItsForecast) {
  const TemporaryFolder folder;
  const std::string page = folder.path() / "page.html";
  const std::string first = folder.write("a.mtx", market), second = folder.write("b.mtx", market);
  const json data = document_of({"report", first, second, "--device", "nvidia-h100", "-o", page, "--json", "--quiet"});
  EXPECT_EQ(data["documents"].size(), 4U) << "a matrix and its forecast, twice";
  const json inside = page_data(page);
  EXPECT_EQ(inside["documents"], data["documents"]);
}

// Matrices of two folders may share a name: each has its own picture.
TEST(Pages, NamesakesKeepTheirPictures) {
  const TemporaryFolder folder;
  std::vector<std::string> words{"report", "--device", "nvidia-h100", "--quiet"};
  const char* const values[] = {
      market, "%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 1\n1 3 2\n2 1 3\n3 1 4\n3 2 5\n"};
  for (const char* name : {"a", "b"}) {
    std::filesystem::create_directories(folder.path() / name);
    words.push_back(folder.write(std::string(name) + "/x.mtx", values[*name - 'a']).string());
  }
  const std::string page = folder.path() / "page.html";
  words.insert(words.end(), {"-o", page});
  const CommandResult run = sparsecast(words);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string html = read_text(page), begin = "id=\"pictures\">";
  const std::size_t from = html.find(begin) + begin.size();
  const json spies = json::parse(html.substr(from, html.find("</script>", from) - from))["spies"];
  ASSERT_EQ(spies.size(), 2U) << "by the places of their structures";
  EXPECT_NE(spies.at("0"), spies.at("2"));
}

TEST(Pages, ReportPutsTwoDocumentsSideBySideAndRefusesOthers) {
  const TemporaryFolder folder;
  const std::string matrix = folder.write("a.mtx", market), page = folder.path() / "page.html";
  const auto predicted = [&](const char* device) {
    return folder
        .write(std::string(device) + ".json", sparsecast({"predict", matrix, "--device", device, "--json"}).out)
        .string();
  };
  const std::string before = predicted("nvidia-a100"), after = predicted("nvidia-h100");
  ASSERT_EQ(sparsecast({"report", "--compare", before, after, "-o", page}).exit_code, 0);
  EXPECT_EQ(page_data(page)["before"], json::parse(read_text(before)));
  const std::string other = folder.write("other.json", "{\"schema\": \"sparsecast/info/1\"}");
  EXPECT_EQ(sparsecast({"report", "--compare", before, other, "-o", page}).exit_code, 3);
  EXPECT_EQ(sparsecast({"report", "--compare", before, matrix, "-o", page}).exit_code, 3);
  EXPECT_EQ(sparsecast({"report", matrix}).exit_code, 2) << "where to?";
  EXPECT_EQ(sparsecast({"report", "-o", page}).exit_code, 2) << "of what?";
  EXPECT_EQ(page_data(page)["before"], json::parse(read_text(before))) << "what stood there stays";
}

TEST(Pages, WhereNoneCanBeWrittenTheExitSaysSo) {
  const TemporaryFolder folder;
  const std::string matrix = folder.write("a.mtx", market);
  const CommandResult run = sparsecast(
      {"predict", matrix, "--device", "nvidia-h100", "--html", (folder.path() / "absent/page.html").string()});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.err.find("cannot write the page"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace sparsecast::test
