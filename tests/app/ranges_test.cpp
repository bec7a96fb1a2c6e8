// What the readers refuse and what the schema files say are the same: every range of a document's table stands in its
// schema, and every bound of a number in the schema stands in the table.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <sparsecast/error.hpp>

#include "base/guard/ranges.hpp"
#include "calibration/profile_ranges.hpp"
#include "cluster/cluster_profile_ranges.hpp"
#include "devices/properties_ranges.hpp"
#include "gpu_code/graph/graph_ranges.hpp"
#include "gpu_code/times/kernel_times_ranges.hpp"
#include "matrix/structure/structure_ranges.hpp"
#include "plan/run/plan_ranges.hpp"
#include "support/command.hpp"

namespace sparsecast {
namespace {

using base::NumberRange;
using Json = nlohmann::json;

struct Document {
  std::string schema, member;  ///< the file, and the property in it that the table is of; "": the whole
  std::span<const NumberRange> table;
};

std::vector<Document> documents() {
  return {{"info", "structure", matrix::structure_ranges()},
          {"profile", "", calibration::profile_ranges()},
          {"cluster-profile", "", cluster::cluster_profile_ranges()},
          {"plan", "", planning::plan_ranges()},
          {"device-properties", "", devices::properties_ranges()},
          {"kernel-times", "", gpu_code::kernel_times_ranges()},
          {"kernel-graph", "", gpu_code::graph_ranges()}};
}

// The numbers of a schema by their paths, as a table writes them.
void collect(const Json& schema, const Json& whole, const std::string& path, std::map<std::string, Json>& numbers) {
  if (schema.contains("$ref")) {
    const std::string name = schema["$ref"];
    if (name.starts_with("#")) collect(whole.at(Json::json_pointer(name.substr(1))), whole, path, numbers);
    return;
  }
  for (const char* const some : {"oneOf", "anyOf", "allOf"})
    for (const Json& one : schema.value(some, Json::array())) collect(one, whole, path, numbers);
  for (const auto& [name, inner] : schema.value("properties", Json::object()).items())
    collect(inner, whole, path.empty() ? name : path + "." + name, numbers);
  if (schema.contains("items")) collect(schema["items"], whole, path + "[]", numbers);
  if (schema.contains("additionalProperties") && schema["additionalProperties"].is_object())
    collect(schema["additionalProperties"], whole, path + "{}", numbers);
  const Json type = schema.value("type", Json());
  if (type == "integer" || type == "number") numbers[path] = schema;
}

std::map<std::string, Json> numbers_of(const Document& document) {
  const Json whole =
      Json::parse(test::read_text(std::string(SPARSECAST_SOURCE_DIR) + "/docs/schemas/" + document.schema + ".schema.json"));
  std::map<std::string, Json> numbers;
  collect(document.member.empty() ? whole : whole["properties"][document.member], whole, {}, numbers);
  return numbers;
}

TEST(DocumentRanges, AreThoseOfTheSchemaFiles) {
  for (const Document& document : documents()) {
    std::map<std::string, Json> numbers = numbers_of(document);
    ASSERT_GE(document.table.size(), 5U);
    for (const NumberRange& range : document.table) {
      const bool whole = range.kind == base::Numbers::whole, above = range.kind == base::Numbers::above;
      const auto found = numbers.find(std::string(range.path));
      ASSERT_NE(found, numbers.end()) << document.schema << " has no " << range.path;
      const Json& schema = found->second;
      const std::string what = fmt::format("{}: {}", document.schema, range.path);
      EXPECT_EQ(schema["type"] == "integer", whole) << what;
      EXPECT_EQ(schema.value(above ? "exclusiveMinimum" : "minimum", Json()), Json(range.least)) << what;
      EXPECT_EQ(schema.value("maximum", Json()), Json(range.most)) << what;
      numbers.erase(found);
    }
    for (const auto& [path, schema] : numbers)
      EXPECT_FALSE(schema.contains("minimum") || schema.contains("maximum") || schema.contains("exclusiveMinimum"))
          << document.schema << ": the reader does not check " << path;
  }
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
  for (const Document& document : documents())
    for (const NumberRange& range : document.table) {
      const bool whole = range.kind == base::Numbers::whole, above = range.kind == base::Numbers::above;
      const auto holds = [&](const nlohmann::ordered_json& value) {
        try {
          base::check_ranges(with_value(range.path, value), document.table);
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
