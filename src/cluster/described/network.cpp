#include "cluster/described/network.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <sparsecast/error.hpp>

#include "base/embedded.hpp"
#include "base/files.hpp"
#include "base/guard/parse_json.hpp"
#include "base/nearest.hpp"
#include "fields/json.hpp"

namespace sparsecast::embedded {
std::span<const File> networks();  // profiles/networks/*.json
}  // namespace sparsecast::embedded

namespace sparsecast {
// From a modem to more than any adapter has; from a nanosecond to ten seconds.
template <>
struct Fields<cluster::Network> {
  using N = cluster::Network;
  static constexpr auto table =
      std::tuple(field<&N::name>(""), field<&N::bandwidth>("", between(1e3, 1e15)),
                 field<&N::rails>("", between(1, 64)).or_default(), field<&N::latency_s>("", between(1e-9, 10)),
                 field<&N::message_s>("", between(0, 10)), field<&N::source>("").or_default());
};
}  // namespace sparsecast

namespace sparsecast::cluster {
namespace {
// A number whose name is not known was meant to count, and would be passed over: `rail` for `rails`. Texts and objects
// may be an author's own.
void require_known(const nlohmann::ordered_json& document) {
  if (!document.is_object()) return;
  std::vector<std::string> known;
  each_field<Network>([&](const auto& one) { known.emplace_back(one.key); });
  for (const auto& [name, value] : document.items())
    if (!value.is_string() && !value.is_object() && std::ranges::find(known, name) == known.end()) {
      const std::string meant = base::did_you_mean(name, known);
      throw Error(ErrorCode::bad_input, fmt::format("\"{}\" is not known{}", name, meant.empty() ? "" : ": " + meant));
    }
}
}  // namespace

Network network_from_text(std::string_view text, const std::string& file) {
  constexpr const char* network_remedy = "docs/schemas/network.schema.json says what a description holds";
  try {
    const nlohmann::ordered_json document = base::parse_json(text, {file, network_remedy});
    require_known(document);
    return fields::read_struct<Network>(document);
  } catch (const Error& error) {
    const Place place = error.place().file.empty() ? Place{file} : error.place();  // the parser's has line and column
    throw Error(ErrorCode::bad_input, "not a network description: " + error.reason(), place, network_remedy);
  }
}

std::vector<std::string> described_networks() {
  std::vector<std::string> names;
  for (const embedded::File& file : embedded::networks())
    names.push_back(std::filesystem::path(file.name).stem().string());
  return names;
}

Network network_of(const std::string& name) {
  if (name.ends_with(".json")) return network_from_text(base::read_file(name, {.what = "network description"}), name);
  for (const embedded::File& file : embedded::networks())
    if (std::filesystem::path(file.name).stem() == name) return network_from_text(file.text, std::string(file.name));
  const std::vector<std::string> known = described_networks();
  std::string remedy = base::did_you_mean(name, known);
  if (!remedy.empty()) remedy += "; ";
  throw Error(ErrorCode::usage, fmt::format("there is no network '{}'", name), {},
              remedy + fmt::format("use one of {}, or a file.json", fmt::join(known, ", ")));
}
}  // namespace sparsecast::cluster
