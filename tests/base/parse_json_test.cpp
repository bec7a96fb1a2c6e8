#include "base/guard/parse_json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/refusal.hpp"

namespace sparsecast::base {
namespace {

TEST(ParseJson, RefusesWithFileLineAndColumn) {
  const auto refused = [](const std::string& text) {
    return test::refusal([&] { (void)parse_json(text, {"a.json", "mend it"}); });
  };
  struct Case {
    std::string text, reason;
    std::int64_t line, column;
  };
  for (const Case& c :
       {Case{"{\"a\":\n  1e999}", "1e999 is too large a number", 2, 3},
        Case{"[" + std::string(400, '9') + "]", std::string(20, '9') + "… is too large a number", 1, 2},
        Case{"[1,\n\n-1e400]", "-1e400 is too large a number", 3, 1},
        Case{"{\n\"a\" 1}", "not valid JSON at byte 7", 2, 5},
        Case{"[\"\xff\"]", "not valid JSON at byte 3: not UTF-8", 1, 3}, Case{"", "not valid JSON at byte 1", 1, 1},
        Case{std::string(100'000, '['), "nested deeper than 200 levels", 1, 201},
        Case{"{\"a\": 1,\n \"b\": 2, \"a\": 1}", "'a' stands twice in one object", 2, 10},
        Case{R"([{"b": {"a": 1, "c": [], "d": {}, "a": {}}}])", "'a' stands twice in one object", 1, 35},
        Case{R"({"": 1, "": 2})", "'' stands twice in one object", 1, 9}}) {
    const Error error = refused(c.text);
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_EQ(error.reason(), c.reason);
    EXPECT_EQ(error.place().file, "a.json");
    EXPECT_EQ(error.place().line, c.line) << c.reason;
    EXPECT_EQ(error.place().column, c.column) << c.reason;
    EXPECT_EQ(error.remedy(), "mend it");
  }
  EXPECT_EQ(parse_json(R"({"b": ["[[[", {"a": 1.5}]})", {})["b"][1]["a"], 1.5);
  EXPECT_EQ(parse_json(std::string(200, '[') + std::string(200, ']'), {}).size(), 1U);
  EXPECT_EQ(parse_json(R"([{"a": "a", "b": {"a": ["a", {"a": 1}]}}, {"a": "\"a\": 1"}, {}])", {}).size(), 3U);
  EXPECT_EQ(json_text({{"name", "\xff"}}), "{\"name\":\"\xEF\xBF\xBD\"}") << "a file may be called so";
}

}  // namespace
}  // namespace sparsecast::base
