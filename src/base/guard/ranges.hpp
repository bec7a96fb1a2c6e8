#pragma once
// Which numbers make sense in a document: one table for each, which its reader checks the document against before it
// reads, and which a test holds against the document's schema file.

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

/// 2^53, the whole numbers that a double counts without a gap; sizes of memory; a femtosecond to twelve days.
inline constexpr double most_counted = 9007199254740992.0, most_stored_bytes = 1e18, most_seconds = 1e6,
                        most_rate = 1e18;

/// Error bad_input (its file and remedy are the reader's to add) that names the place of a value that is a number out
/// of its range, is not whole where it should be, or is no number; null and what is not there are passed over.
void check_ranges(const nlohmann::ordered_json& document, std::span<const NumberRange> table);
void check_ranges(const nlohmann::json& document, std::span<const NumberRange> table);

}  // namespace sparsecast::base
