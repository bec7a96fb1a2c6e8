#pragma once
// A page: documents of the commands as one self-contained HTML file that needs no network. Everything in it is made
// from its data, which it carries (docs/schemas/page.schema.json).

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace sparsecast::pages {

/// The data of a page, and pictures of matrices (PNG) by the matrix's name, which the data does not repeat.
/// Error bad_input where the data is a comparison of documents that have nothing in common.
std::string page_html(const nlohmann::ordered_json& page, const std::map<std::string, std::string>& spies = {});

/// JSON that stands inside of a script element: nothing in it ends the element.
std::string script_json(const nlohmann::ordered_json& json);

}  // namespace sparsecast::pages
