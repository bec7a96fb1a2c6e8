#include "pages/json_field.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace sparsecast::pages {

const Json& member(const Json& object, std::string_view name) {
  static const Json nothing;
  if (!object.is_object()) return nothing;
  const auto found = object.find(name);
  return found == object.end() ? nothing : *found;
}

std::optional<double> number(const Json& object, std::string_view name) {
  const Json& value = member(object, name);
  if (!value.is_number() || !std::isfinite(value.get<double>())) return std::nullopt;
  return value.get<double>();
}

std::string text(const Json& object, std::string_view name) {
  const Json& value = member(object, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}

bool flag(const Json& object, std::string_view name) {
  const Json& value = member(object, name);
  return value.is_boolean() && value.get<bool>();
}

const Json& list(const Json& object, std::string_view name) {
  static const Json nothing = Json::array();
  const Json& value = member(object, name);
  return value.is_array() ? value : nothing;
}

std::string schema_name(const Json& document) {
  constexpr std::string_view before = "sparsecast/", behind = "/1";
  const std::string schema = text(document, "schema");
  if (!schema.starts_with(before) || !schema.ends_with(behind) || schema.size() <= before.size() + behind.size())
    return {};
  return schema.substr(before.size(), schema.size() - before.size() - behind.size());
}

std::string exact(double value) {
  constexpr double most_exact = 9007199254740992;  // 2^53
  if (std::abs(value) < most_exact && value == std::floor(value)) return Json(static_cast<std::int64_t>(value)).dump();
  return Json(value).dump();
}

}  // namespace sparsecast::pages
