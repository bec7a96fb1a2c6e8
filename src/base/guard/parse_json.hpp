#pragma once
// The one way from text to a JSON document. The parser below it throws its own exceptions, also where a number is too
// large for a double, and follows nesting to any depth.

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <sparsecast/error.hpp>
#include <string_view>

namespace sparsecast::base {
/// Where the text is from, for messages.
struct JsonSource {
  std::string file;
  wording::Text remedy;
  ErrorCode code = ErrorCode::bad_input;
};

/// Error with file, line and column where the text is no JSON, no UTF-8, nested deeper than 200, or holds a number
/// that is beyond a double's.
[[nodiscard]] nlohmann::ordered_json parse_json(std::string_view text, const JsonSource& source);
/// The same with members in the order of their names.
[[nodiscard]] nlohmann::json parse_sorted_json(std::string_view text, const JsonSource& source);

/// What the library says of a member that is missing or of another kind, without its own number of it.
[[nodiscard]] std::string json_reason(const std::exception& wrong);

/// The text of a document; bytes that are no UTF-8 (a name of a file) are replaced. indent -1: on one line.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& document, int indent = -1);

// Which numbers make sense in a document: those that its schema file says (docs/schemas), which its reader checks
// before it reads.

/// What numbers stand at a place.
enum class Numbers {
  any,
  whole,
  above,   ///< the least of the range is out of it
  or_text  ///< a text may stand there instead
};

/// The numbers at one place of a document.
struct NumberRange {
  /// "node.bandwidth[].bytes[]": [] stands for every element of a list, {} for every member of an object.
  std::string_view path;
  double least = 0, most = 0;
  Numbers kind = Numbers::any;
};

/// The numbers with bounds of docs/schemas/SCHEMA.schema.json, or of one property in it. Read once.
[[nodiscard]] std::span<const NumberRange> schema_ranges(std::string_view schema, const std::string& property = {});

/// Error bad_input (its file and remedy are the reader's to add) that names the place of a value that is a number out
/// of its range, is not whole where it should be, or is no number; null and what is not there are passed over.
void check_ranges(const nlohmann::ordered_json& document, std::span<const NumberRange> table);
void check_ranges(const nlohmann::json& document, std::span<const NumberRange> table);
}  // namespace sparsecast::base
