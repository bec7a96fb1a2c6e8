#include "calibration/statement.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace sparsecast::calibration {
std::vector<double> numbers_of(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  const bool numbers = json.is_array() && std::ranges::all_of(json, [](const auto& one) { return one.is_number(); });
  return numbers ? json.get<std::vector<double>>() : std::vector<double>();
}
}  // namespace sparsecast::calibration
