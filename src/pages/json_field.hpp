#pragma once
// Members of documents, which may come from files of other versions: what is missing or of another type is told as
// missing, and a section without its data is left out.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace sparsecast::pages {

using Json = nlohmann::ordered_json;

/// A finite number.
std::optional<double> number(const Json& object, std::string_view name);
/// Empty where there is no text of that name.
std::string text(const Json& object, std::string_view name);
bool flag(const Json& object, std::string_view name);
/// The member; null where there is none.
const Json& member(const Json& object, std::string_view name);
/// An array; an empty one where there is none.
const Json& list(const Json& object, std::string_view name);
/// The name in "schema": "sparsecast/<name>/1"; empty where it is another.
std::string schema_name(const Json& document);
/// As the document writes it: what a page's tables are sorted by and saved with.
std::string exact(double value);

}  // namespace sparsecast::pages
