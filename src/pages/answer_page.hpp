#pragma once
// A page: documents of the commands as one self-contained HTML file that needs no network. Everything in it is made
// from its data, which it carries (docs/schemas/page.schema.json).

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace sparsecast::pages {
/// Pictures that other parts of the product drew, which the data does not repeat.
struct Pictures {
  std::map<std::size_t, std::string> spies;  ///< PNG of a matrix, by the place of its structure among the documents
  std::vector<std::pair<std::string, std::string>> drawings;  ///< title and SVG, below everything else
};

/// The page of this data. Error bad_input where it is a comparison of documents that have nothing in common.
std::string page_html(const nlohmann::ordered_json& page, const Pictures& pictures = {});

/// JSON that stands inside of a script element: nothing in it ends the element.
std::string script_json(const nlohmann::ordered_json& json);
}  // namespace sparsecast::pages
