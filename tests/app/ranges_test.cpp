// What the readers refuse is what the schema files say.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <sparsecast/error.hpp>

#include "base/guard/number_ranges.hpp"

namespace sparsecast {
namespace {

using base::NumberRange;

std::vector<std::span<const NumberRange>> tables() {
  return {base::schema_ranges("profile"), base::schema_ranges("cluster-profile"),
          base::schema_ranges("device-properties"), base::schema_ranges("kernel-times"),
          base::schema_ranges("kernel-graph")};
}

TEST(DocumentRanges, AreThoseOfTheSchemaFiles) {
  for (const std::span<const NumberRange> table : tables()) EXPECT_GE(table.size(), 5U);
  const auto graph = base::schema_ranges("kernel-graph");
  const auto time = std::ranges::find(graph, "nodes[].time", &NumberRange::path);
  ASSERT_NE(time, graph.end());
  EXPECT_EQ(time->kind, base::Numbers::or_text);
  EXPECT_EQ(time->most, 1e6);
}

// A document with one value at a path, whatever else it lacks.
nlohmann::ordered_json with_value(std::string_view path, const nlohmann::ordered_json& value) {
  if (path.empty()) return value;
  if (path.starts_with("[]") || path.starts_with("{}")) {
    const bool list = path[0] == '[';
    path.remove_prefix(path.substr(2).starts_with('.') ? 3 : 2);
    const nlohmann::ordered_json inner = with_value(path, value);
    return list ? nlohmann::ordered_json::array({inner}) : nlohmann::ordered_json{{"member", inner}};
  }
  const std::size_t end = std::min(path.find_first_of(".[{"), path.size());
  const std::string key(path.substr(0, end));
  path.remove_prefix(end);
  if (path.starts_with('.')) path.remove_prefix(1);
  return {{key, with_value(path, value)}};
}

TEST(DocumentRanges, RefuseWhatIsBeyondEveryBound) {
  for (const std::span<const NumberRange> table : tables())
    for (const NumberRange& range : table) {
      const bool whole = range.kind == base::Numbers::whole, above = range.kind == base::Numbers::above;
      const auto holds = [&](const nlohmann::ordered_json& value) {
        try {
          base::check_ranges(with_value(range.path, value), table);
        } catch (const Error&) {
          return false;
        }
        return true;
      };
      EXPECT_TRUE(holds(range.most)) << range.path;
      EXPECT_EQ(holds(range.least), !above) << range.path;
      EXPECT_FALSE(holds(range.most * 1.01 + 1)) << range.path;
      EXPECT_FALSE(holds(range.least - 1)) << range.path;
      EXPECT_FALSE(holds(true)) << range.path;
      EXPECT_TRUE(!whole || !holds(range.least + 0.5)) << range.path;
    }
}

}  // namespace
}  // namespace sparsecast
