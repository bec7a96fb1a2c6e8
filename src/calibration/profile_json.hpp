#pragma once
// Profile, its parts and JSON, both ways. Reading checks every field: Error bad_input says which is wrong.

#include <nlohmann/json_fwd.hpp>
#include <sparsecast/profile.hpp>

namespace sparsecast::calibration {
nlohmann::ordered_json spec_to_json(const MatrixSpec& spec);
nlohmann::ordered_json curve_to_json(const Curve& curve);
nlohmann::ordered_json micro_benchmark_to_json(const MicroBenchmark& benchmark);
nlohmann::ordered_json profile_to_json(const Profile& profile);
MatrixSpec spec_from_json(const nlohmann::ordered_json& json);
Curve curve_from_json(const nlohmann::ordered_json& json);
MicroBenchmark micro_benchmark_from_json(const nlohmann::ordered_json& json);
Profile profile_from_json(const nlohmann::ordered_json& json);
/// Of a profile's file; `file` is named in messages.
Profile profile_from_text(std::string_view text, const std::string& file);
/// "single" or "double"; Error bad_input otherwise.
Precision precision_from(std::string_view text);
}  // namespace sparsecast::calibration
