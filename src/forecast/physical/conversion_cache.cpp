#include "forecast/physical/conversion_cache.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "forecast/fit_file.hpp"

namespace sparsecast::forecast {
namespace {
// To be raised whenever the same conversions are fitted differently.
constexpr int conversions_version = 1;

using CostNumbers = std::array<double, 8>;

CostNumbers numbers_of_costs(const ConversionCosts& c) {
  return {c.constant, c.small_byte, c.large_byte, c.nonzero, c.row, c.padding, c.turn, c.far};
}

void add_text(const std::string& text, NumberHash& hash) {
  hash.add(static_cast<double>(text.size()));
  for (const char letter : text) hash.add(static_cast<double>(letter));
}
}  // namespace

std::string conversions_key(const std::map<std::string, MeasuredConversions>& measured, const CoreCosts& core) {
  NumberHash hash;
  hash.add(conversions_version);
  for (const double cost : numbers_of_costs(prior_costs(core, 1))) hash.add(cost);
  for (const auto& [kernel, conversions] : measured) {
    add_text(kernel, hash);
    hash.add(static_cast<double>(conversions.seconds.size()));
    for (const ConversionAmounts& a : conversions.amounts)
      for (const double amount : {a.small_bytes, a.large_bytes, a.nonzeros, a.far, a.rows, a.padding, a.turns})
        hash.add(amount);
    for (const int family : conversions.families) hash.add(family);
    for (const double seconds : conversions.seconds) hash.add(seconds);
  }
  return "conversions-" + hash.text();
}

std::map<std::string, ConversionFit> cached_conversions(const std::string& key) try {
  const auto kept = read_fit_file(key).get<std::map<std::string, nlohmann::json>>();
  std::map<std::string, ConversionFit> fits;
  for (const auto& [kernel, fit] : kept) {
    const auto c = fit.at("costs").get<CostNumbers>();
    fits[kernel] = {{c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]},
                    fit.at("errors").get<std::vector<std::pair<double, double>>>()};
  }
  return fits;
} catch (const std::exception&) {
  return {};
}

void cache_conversions(const std::string& key, const std::map<std::string, ConversionFit>& fits) noexcept try {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [kernel, fit] : fits)
    json[kernel] = {{"costs", numbers_of_costs(fit.costs)}, {"errors", fit.errors}};
  write_fit_file(key, json);
} catch (const std::exception&) {
}
}  // namespace sparsecast::forecast
