#include "cluster/described/network.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

#include "base/embedded.hpp"
#include "base/files.hpp"
#include "base/guard/parse_json.hpp"
#include "base/nearest.hpp"
#include "cluster/profile_field.hpp"

namespace sparsecast::embedded {
std::span<const File> networks();  // profiles/networks/*.json
}

namespace sparsecast::cluster {
namespace {

constexpr const char* network_remedy = "docs/schemas/network.schema.json tells what a description holds";

// From a modem to more than any adapter has; from a nanosecond to ten seconds.
constexpr Believable network_rates{1e3, 1e15}, network_times{1e-9, 10}, network_times_or_none{0, 10};

}  // namespace

Network network_from_text(std::string_view text, const std::string& file) {
  try {
    const nlohmann::ordered_json document = base::parse_json(text, {file, network_remedy});
    const ProfileField field(document);
    Network network;
    network.name = field.at("name").text();
    network.model = field.has("model") ? field.at("model").text() : network.name;
    network.bandwidth = field.at("bandwidth").number(network_rates);
    network.latency_s = field.at("latency_s").number(network_times);
    network.message_s = field.at("message_s").number(network_times_or_none);
    if (field.has("rails")) network.rails = field.at("rails").count(1, 64);
    if (field.has("source")) network.source = field.at("source").text();
    return network;
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
  throw Error(ErrorCode::usage, fmt::format("no network is called '{}'", name), {},
              remedy + fmt::format("known are {}, or a file.json", fmt::join(known, ", ")));
}

}  // namespace sparsecast::cluster
