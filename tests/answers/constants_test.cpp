// Every number that forecasts rest on is a row of src/constants.tsv with its source; none stands loose in a model.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <regex>
#include <set>
#include <sparsecast/answers/profiles.hpp>
#include <sstream>

#include "support/command.hpp"

namespace sparsecast::constants_of_models {
namespace {
constexpr std::array folders{"forecast", "solving/forecast", "cluster/models", "planning/search"};

std::string source(const std::string& file) {
  return test::read_text(fmt::format("{}/src/{}", SPARSECAST_SOURCE_DIR, file));
}

// Floating literals of a line of code but 0, ½, 1, 1½, 2 and powers of a thousand, which are units and guards.
std::vector<std::string> loose_in(const std::string& line) {
  static const std::regex apart("//.*|\"(?:[^\"\\\\]|\\\\.)*\"");
  static const std::regex literal("(^|[^\\w.])(\\d+\\.?\\d*[eE][-+]?\\d+|\\d+\\.\\d+)");
  static const std::set<double> free{0, 0.5, 1, 1.5, 2, 1e3, 1e6, 1e9, 1e-3, 1e-6, 1e-9, 1e300, 1e-300};
  const std::string code = std::regex_replace(line, apart, "");
  std::vector<std::string> loose;
  for (std::sregex_iterator at(code.begin(), code.end(), literal), end; at != end; ++at)
    if (!free.contains(std::stod((*at)[2]))) loose.push_back((*at)[2]);
  return loose;
}

TEST(Constants, HaveASourceEach) {
  const std::vector<Constant> all = all_constants().constants;
  ASSERT_GE(all.size(), 20U);
  const std::set<std::string> kinds{"physical", "measured", "learned", "chosen"};
  std::set<std::string> names;
  for (const Constant& one : all) {
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_TRUE(kinds.contains(one.kind)) << one.name;
    EXPECT_GT(one.source.size(), 20U) << one.name;
    EXPECT_FALSE(one.unit.empty()) << one.name;
    EXPECT_NE(source(one.file).find("constants::" + one.name), std::string::npos) << one.name << " in " << one.file;
  }
  const auto found = std::ranges::find(all, "upload_rate", &Constant::name);
  ASSERT_NE(found, all.end());
  EXPECT_EQ(found->value, 2.5e10);
}

TEST(Constants, StandInTheTableAlone) {
  EXPECT_EQ(loose_in("  x = 0.7 * y + f(3e-4, 1.5);  // 0.9"), (std::vector<std::string>{"0.7", "3e-4"}));
  int files = 0;
  for (const std::string folder : folders)
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(fmt::format("{}/src/{}", SPARSECAST_SOURCE_DIR, folder))) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
      ++files;
      std::istringstream text(test::read_text(entry.path().string()));
      std::string line;
      for (int number = 1; std::getline(text, line); ++number)
        for (const std::string& loose : loose_in(line))
          ADD_FAILURE() << entry.path().filename().string() << ":" << number << ": " << loose
                        << " is no row of src/constants.tsv";
    }
  EXPECT_GT(files, 50);
}

TEST(Constants, ShippedModelsNameTheirTables) {
  const VersionDetails details = version_details();
  ASSERT_EQ(details.models.size(), 3U);
  for (const ShippedModel& model : details.models) {
    EXPECT_EQ(model.hash.size(), 64U) << model.name;
    EXPECT_TRUE(std::filesystem::exists(fmt::format("{}/docs/models/{}.md", SPARSECAST_SOURCE_DIR, model.name)));
    if (model.name == "host") continue;  // learned where it is calibrated
    EXPECT_GE(model.learned_from.size(), 5U) << model.name;
    EXPECT_NE(model.command.find("scripts/refit " + model.name), std::string::npos);
    for (const LearnedTable& table : model.learned_from) EXPECT_EQ(table.sha256.size(), 64U) << table.table;
  }
}

}  // namespace
}  // namespace sparsecast::constants_of_models
