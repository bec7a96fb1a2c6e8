#pragma once
// A machine that is known from its description alone: what a forecast needs of it, a user's own file, and names that
// are nearly those of the catalogue.

#include <nlohmann/json_fwd.hpp>
#include <sparsecast/device.hpp>
#include <string>
#include <vector>

namespace sparsecast::hardware {
/// Error bad_input, naming the field, where a number that forecasts need is missing or contradicts another. `file`:
/// for the message.
void require_description(const DeviceProperties& properties, const std::string& file);

/// The same as read_device() from a document: the properties themselves, or what `devices --describe --json` prints
/// around them.
DeviceProperties described_device(const nlohmann::ordered_json& document, const std::string& file);

/// The three names of the catalogue that are nearest to `name` by edits, nearest first.
std::vector<std::string> nearest_descriptions(const std::string& name);

/// This machine as a description: what the operating system tells, and its memory's bandwidth, which no system tells,
/// as it is read now with all cores (about a second).
DeviceProperties describe_host();
}  // namespace sparsecast::hardware
