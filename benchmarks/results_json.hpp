#pragma once
// Results as text, a row a line: the form that results_json.py describes.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

namespace sparsecast::bench {

inline std::string one_line(const nlohmann::ordered_json& value) {
  if (!value.is_structured()) return value.dump();
  std::string text;
  for (const auto& [key, member] : value.items()) {
    if (!text.empty()) text += ", ";
    if (value.is_object()) text += nlohmann::ordered_json(key).dump() + ": ";
    text += one_line(member);
  }
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

inline std::string results_text(const nlohmann::ordered_json& value, const std::string& indent = "") {
  const bool rows =
      value.is_structured() && std::ranges::any_of(value, [](const auto& one) { return one.is_structured(); });
  if (!rows && (!indent.empty() || value.empty() || !value.is_structured())) return one_line(value);
  const std::string within = indent + " ";
  std::string text;
  for (const auto& [key, member] : value.items()) {
    text += (text.empty() ? "\n" : ",\n") + within;
    text +=
        value.is_object() ? nlohmann::ordered_json(key).dump() + ": " + results_text(member, within) : one_line(member);
  }
  text += "\n" + indent;
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

}  // namespace sparsecast::bench
