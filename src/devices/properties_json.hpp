#pragma once
// DeviceProperties as JSON: the shipped descriptions (profiles/devices/), `devices --json`, and the head of a profile.

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <sparsecast/device.hpp>
#include <string>

#include "base/guard/parse_json.hpp"

namespace sparsecast::hardware {
/// Members of docs/schemas/device-properties.schema.json, without its "schema".
nlohmann::ordered_json properties_to_json(const DeviceProperties& properties);

/// The reverse. A missing member keeps its default, unknown ones are ignored; a wrong type or a value out of range is
/// an Error bad_input that names `file` and the member.
DeviceProperties properties_from_json(const nlohmann::ordered_json& json, const std::string& file);
}  // namespace sparsecast::hardware
