#pragma once
// Structure as a JSON object under the names of its fields, and back. structure.hpp publishes it as text.

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <sparsecast/structure.hpp>

namespace sparsecast::matrix {
nlohmann::ordered_json structure_to_json(const Structure& structure);
/// Sizes are required; what else is missing keeps its default, so that a feature record is a Structure too. Error
/// bad_input with the field's name where a field has the wrong type, lies out of range or contradicts another.
Structure structure_from_json(const nlohmann::ordered_json& json);
/// The same of one that the caller filled in: Error bad_input with the field's name.
void require_consistent(const Structure& structure);
/// A file with what `sparsecast info --json` printed, or to_json() wrote: the structure of a matrix that need not be
/// here. Error bad_input.
Structure read_structure(const std::filesystem::path& file);
}  // namespace sparsecast::matrix
