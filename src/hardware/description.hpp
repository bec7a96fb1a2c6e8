#pragma once
// A machine that is known from its description alone: what a forecast needs of it, a user's own file, and names that
// are nearly those of the catalogue.

#include <nlohmann/json_fwd.hpp>
#include <sparsecast/device.hpp>

namespace sparsecast::hardware {
/// The longest start of threads or of a kernel that a description may tell. Longer ones are in another unit, or were
/// measured while other programs had the cores.
inline constexpr double longest_launch_s = 1e-3;

// DeviceProperties as JSON: the shipped descriptions (profiles/devices/), `devices --json`, and the head of a profile.

/// Members of docs/schemas/device-properties.schema.json, without its "schema".
nlohmann::ordered_json properties_to_json(const DeviceProperties& properties);

/// The reverse. A missing member keeps its default, unknown ones are ignored; a wrong type or a value out of range is
/// an Error bad_input that names `file` and the member.
DeviceProperties properties_from_json(const nlohmann::ordered_json& json, const std::string& file);

/// Error bad_input, naming the field, where a number that forecasts need is missing or contradicts another. `file`:
/// for the message.
void require_description(const DeviceProperties& properties, const std::string& file);

/// The same as read_device() from a document: the properties themselves, or what `devices --describe --json` prints
/// around them.
DeviceProperties described_device(const nlohmann::ordered_json& document, const std::string& file);

/// Whether describe_device() knows that name or alias.
[[nodiscard]] bool is_described(const std::string& name);

/// The three names and aliases of the catalogue that are nearest to `name` by edits, nearest first.
std::vector<std::string> nearest_descriptions(const std::string& name);

/// This machine as a description: what the operating system tells, and its memory's bandwidth, which no system tells,
/// as it is read now with all cores (about a second).
DeviceProperties describe_host();
}  // namespace sparsecast::hardware
