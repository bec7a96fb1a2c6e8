#pragma once
// The one way from text to a JSON document. The parser below it throws its own exceptions, also where a number is too
// large for a double, follows nesting to any depth, and takes the last of two members of one name without a word.

#include <nlohmann/json_fwd.hpp>
#include <sparsecast/error.hpp>
#include <string_view>

namespace sparsecast::base {
/// Where the text is from, for messages.
struct JsonSource {
  std::string file;
  wording::Text remedy;
  ErrorCode code = ErrorCode::bad_input;
};

/// Error with file, line and column where the text is no JSON, no UTF-8, nested deeper than 200, holds a number that is
/// beyond a double's, or a key twice in one object.
[[nodiscard]] nlohmann::ordered_json parse_json(std::string_view text, const JsonSource& source);
/// The same with members in the order of their names.
[[nodiscard]] nlohmann::json parse_sorted_json(std::string_view text, const JsonSource& source);

/// What the library says of a member that is missing or of another kind, without its own number of it.
[[nodiscard]] std::string json_reason(const std::exception& wrong);

/// The text of a document; bytes that are no UTF-8 (a name of a file) are replaced. indent -1: on one line.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& document, int indent = -1);
}  // namespace sparsecast::base
