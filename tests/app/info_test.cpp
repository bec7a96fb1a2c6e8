#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "support/command.hpp"
#include "support/schema.hpp"

namespace sparsecast::test {
namespace {

// 3 × 4 with rows 0 1 / – / 3.
constexpr const char* small = "%%MatrixMarket matrix coordinate real general\n3 4 3\n1 1 1.5\n1 2 2\n3 4 -1\n";

TEST(Info, DocumentFitsItsSchema) {
  const TemporaryFolder folder;
  const CommandResult result = sparsecast({"info", folder.write("small.mtx", small), "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(fits_its_schema(result.out));
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["matrix"]["name"], "small");
  EXPECT_EQ(json["matrix"]["rows"], 3);
  EXPECT_EQ(json["matrix"]["cols"], 4);
  EXPECT_EQ(json["matrix"]["nonzeros"], 3);
  EXPECT_EQ(json["structure"]["row_max"], 2);
  EXPECT_EQ(json["structure"]["empty_rows"], 1);
  EXPECT_EQ(json["structure"]["row_histogram"], nlohmann::json::parse("[[0,1],[1,1],[2,1]]"));
}

TEST(Info, TellsAPersonTheSame) {
  const TemporaryFolder folder;
  const CommandResult result = sparsecast({"info", folder.write("small.mtx", small)});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("small: 3 × 4, 3 non-zeros (25 % full)"), std::string::npos);
  EXPECT_NE(result.out.find("row length"), std::string::npos);
  EXPECT_NE(result.out.find("┌"), std::string::npos);
}

TEST(Info, FitsANarrowTerminal) {
  const TemporaryFolder folder;
  std::string text = "%%MatrixMarket matrix coordinate real general\n300 300 45150\n";
  for (int row = 1; row <= 300; ++row)
    for (int col = 1; col <= row; ++col) text += std::to_string(row) + ' ' + std::to_string(col) + " 1\n";
  const CommandResult said = sparsecast({"info", folder.write("a.mtx", text)}, {"COLUMNS=40", "LC_ALL=C"});
  ASSERT_EQ(said.exit_code, 0) << said.err;
  std::istringstream lines(said.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 40U) << line;
}

TEST(Info, DrawsPictures) {
  const TemporaryFolder folder;
  const std::string matrix = folder.write("small.mtx", small);
  const auto png = folder.path() / "small.png", svg = folder.path() / "small.svg";
  EXPECT_EQ(sparsecast({"info", matrix, "-o", png}).exit_code, 0);
  EXPECT_EQ(read_text(png).substr(0, 4), "\x89PNG");
  EXPECT_EQ(sparsecast({"info", matrix, "-o", svg, "--json"}).exit_code, 0);
  EXPECT_EQ(read_text(svg).substr(0, 4), "<svg");
  EXPECT_EQ(sparsecast({"info", matrix, "-o", folder.path() / "small.bmp"}).exit_code, 2);
  EXPECT_EQ(sparsecast({"info", matrix, "-o", folder.path() / "absent/small.png"}).exit_code, 1);
}

TEST(Info, BadInputExitsThreeWithItsName) {
  const TemporaryFolder folder;
  const CommandResult result = sparsecast({"info", folder.write("bad.mtx", "no matrix")});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.err.find("bad.mtx"), std::string::npos);
  EXPECT_EQ(sparsecast({"info"}).exit_code, 2);
}

}  // namespace
}  // namespace sparsecast::test
