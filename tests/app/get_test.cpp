// `sparsecast get` and ss:GROUP/NAME as a user types them, against a server on the loopback.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/command.hpp"
#include "support/gzip.hpp"
#include "support/loopback_server.hpp"
#include "support/parts.hpp"
#include "support/schema.hpp"

namespace sparsecast::test {
namespace {

const std::string index_text =
    "3\n01-Jan-2026 00:00:00\n"
    "HB,tiny,2,2,3,1,0,0,1,1,1,structural problem,3\n"
    "HB,twice,2,2,3,1,0,0,1,1,1,structural problem,3\n"
    "Other,twice,2,2,3,1,0,0,0,1,1,power network problem,3\n";
const std::string tiny = "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n1 2 2\n2 2 3\n";

class Get : public ::testing::Test {
 protected:
  CommandResult run(std::vector<std::string> words) {
    return sparsecast(
        words, {"SPARSECAST_HOME=" + (folder_.path() / "home").string(), "SPARSECAST_COLLECTION_URL=" + server_.url()});
  }
  static bool missing(const CommandResult& result) { return result.exit_code == 4; }

  TemporaryFolder folder_;
  LoopbackServer server_{[](const HttpRequest& request) {
    if (request.path == "/files/ssstats.csv") return HttpAnswer{200, index_text, {}};
    if (request.path == "/MM/HB/tiny.tar.gz") return in_parts(request, gzipped(tar({{"tiny/tiny.mtx", tiny}})));
    if (request.path == "/MM/Other/twice.tar.gz") return in_parts(request, gzipped(tar({{"../twice.mtx", tiny}})));
    return HttpAnswer{404, "", {}};
  }};
};

TEST_F(Get, PrintsThePathOfTheMatrix) {
  const CommandResult got = run({"get", "HB/tiny", "tiny"});
  if (missing(got)) SKIP_OR_FAIL(parts::curl);
  ASSERT_EQ(got.exit_code, 0) << got.err;
  const std::string path = got.out.substr(0, got.out.find('\n'));
  EXPECT_EQ(got.out, path + "\n" + path + "\n");
  EXPECT_EQ(read_text(path), tiny);
  const CommandResult document = run({"get", "ss:HB/tiny", "--json"});
  EXPECT_TRUE(fits_its_schema(document.out));
  EXPECT_EQ(nlohmann::json::parse(document.out)["matrices"][0]["file"], path);
}

TEST_F(Get, WhatCannotBeHadEndsNothingElse) {
  const CommandResult got = run({"get", "HB/tiny", "HB/gone", "HB/twice", "tiny"});
  if (missing(got)) SKIP_OR_FAIL(parts::curl);
  EXPECT_EQ(std::ranges::count(got.out, '\n'), 2) << got.out;
  EXPECT_NE(got.err.find("no matrix 'HB/gone'"), std::string::npos) << got.err;
  EXPECT_NE(got.err.find("404"), std::string::npos) << got.err;
  EXPECT_EQ(got.exit_code, 1) << "of the last that could not be had";
}

TEST_F(Get, NamesAreFetchedByEveryCommand) {
  const CommandResult info = run({"info", "ss:HB/tiny", "--json"});
  if (missing(info)) SKIP_OR_FAIL(parts::curl);
  ASSERT_EQ(info.exit_code, 0) << info.err;
  EXPECT_EQ(nlohmann::json::parse(info.out)["matrix"]["nonzeros"], 3);
  const CommandResult compared = run({"compare", "ss:tiny", "--devices", "nvidia-h100"});
  EXPECT_EQ(compared.exit_code, 0) << compared.err;
}

TEST_F(Get, ListsWhatIsFound) {
  const CommandResult found = run({"get", "--search", "spd kind~structural"});
  if (missing(found)) SKIP_OR_FAIL(parts::curl);
  ASSERT_EQ(found.exit_code, 0) << found.err;
  EXPECT_NE(found.out.find("HB/tiny"), std::string::npos);
  EXPECT_EQ(found.out.find("Other/twice"), std::string::npos);
  EXPECT_NE(found.out.find("2 of 3 matrices"), std::string::npos) << found.out;
  const CommandResult document = run({"get", "--search", "group=other", "--json"});
  EXPECT_TRUE(fits_its_schema(document.out));
  EXPECT_EQ(nlohmann::json::parse(document.out)["matrices"].size(), 1U);
}

TEST_F(Get, OfSeveralMatricesTheGoodOnesAreAnswered) {
  const std::string file = folder_.write("own.mtx", tiny).string();
  for (const std::string& command : {std::string("predict"), std::string("measure")}) {
    const CommandResult done = run({command, "ss:Other/twice", "ss:tiny", file, "--json", "--kernels", "csr"});
    if (missing(done)) SKIP_OR_FAIL(parts::curl);
    EXPECT_EQ(done.exit_code, 3) << done.err;
    EXPECT_NE(done.err.find("twice"), std::string::npos) << done.err;
    const auto document = nlohmann::json::parse(done.out, nullptr, false);
    ASSERT_TRUE(document.is_object()) << done.out;
    EXPECT_EQ(document[command == "predict" ? "predictions" : "measures"].size(), 2U);
  }
}

TEST_F(Get, SaysWhatIsWrongAndEndsAsDocumented) {
  const CommandResult several = run({"get", "twice"});
  if (missing(several)) SKIP_OR_FAIL(parts::curl);
  EXPECT_EQ(several.exit_code, 2);
  EXPECT_NE(several.err.find("HB/twice, Other/twice"), std::string::npos) << several.err;
  EXPECT_EQ(run({"get", "tyni"}).exit_code, 2);
  EXPECT_EQ(run({"get"}).exit_code, 2);
  EXPECT_EQ(run({"get", "--search", "row>1"}).exit_code, 2);
  EXPECT_EQ(run({"get", "Other/twice"}).exit_code, 3);
  EXPECT_EQ(run({"get", "HB/twice"}).exit_code, 1) << "not there";
  EXPECT_EQ(run({"get", "HB/tiny", "--url", "ftp://somewhere"}).exit_code, 2);
}

}  // namespace
}  // namespace sparsecast::test
