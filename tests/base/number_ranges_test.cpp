#include "base/guard/number_ranges.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

namespace sparsecast::base {
namespace {

TEST(NumberRanges, AreCheckedWhereverTheTableSays) {
  static constexpr NumberRange table[] = {{"rows", 0, 10, Numbers::whole},
                                          {"share", 0, 1},
                                          {"a.list[].x", 0, 5, Numbers::above},
                                          {"a.grid[][]", 1, 2},
                                          {"named{}", 0, 1, Numbers::or_text}};
  const auto said = [](const char* text) -> std::string {
    try {
      check_ranges(nlohmann::ordered_json::parse(text), table);
    } catch (const Error& error) {
      return error.reason();
    }
    return {};
  };
  EXPECT_EQ(said(R"({"rows": 10, "share": 1.0000001, "a": {"list": [{"x": 5}], "grid": [[1, 2]]}})"), "");
  EXPECT_EQ(said(R"({"rows": null, "named": {"k": "text", "l": 1}, "others": -5})"), "");
  EXPECT_EQ(said(R"({"rows": 11})"), "rows is 11, not between 0 and 10");
  EXPECT_EQ(said(R"({"rows": -1})"), "rows is -1, not between 0 and 10");
  EXPECT_EQ(said(R"({"rows": 1.5})"), "rows is not a whole number");
  EXPECT_EQ(said(R"({"rows": "3"})"), "rows is not a number");
  EXPECT_EQ(said(R"({"rows": 18446744073709551615})"), "rows is 18446744073709551615, not between 0 and 10");
  EXPECT_EQ(said(R"({"share": 1.1})"), "share is 1.1, not between 0 and 1");
  EXPECT_EQ(said(R"({"a": {"list": [{"x": 1}, {"x": 0}]}})"), "a.list[1].x is 0, not above 0 and at most 5");
  EXPECT_EQ(said(R"({"a": {"grid": [[1], [2, 3]]}})"), "a.grid[1][1] is 3, not between 1 and 2");
  EXPECT_EQ(said(R"({"named": {"k": 2}})"), "named.k is 2, not between 0 and 1");
}

}  // namespace
}  // namespace sparsecast::base
