#pragma once
// Which numbers make sense in a document: those that its schema file says (docs/schemas), which its reader checks
// before it reads.

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

namespace sparsecast::base {
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
