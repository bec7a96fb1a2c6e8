#include <sparsecast/error.hpp>
#include <utility>

#include "base/guard/printable.hpp"

namespace sparsecast {
namespace {
// Names of files, words of compilers and values of documents come in from outside: the line stays one, and readable.
constexpr std::size_t most_of_file = 120, most_of_reason = 200, most_of_line = 380;

std::string line_of(const std::string& reason, const Place& place, const std::string& remedy) {
  std::string text = base::printable(place.file, most_of_file);
  if (place.line > 0) text += ':' + std::to_string(place.line);
  if (place.line > 0 && place.column > 0) text += ':' + std::to_string(place.column);
  if (!text.empty()) text += ": ";
  // Of a long reason the end is left out first where there is a remedy to be told behind it.
  text += base::printable(reason, remedy.empty() ? most_of_line : most_of_reason);
  if (!remedy.empty()) text += "; " + base::printable(remedy);
  return base::printable(text, most_of_line);
}
}  // namespace

Error::Error(ErrorCode code, wording::Text reason, Place place, wording::Text remedy)
    : code_(code),
      reason_(std::move(reason)),
      place_(std::move(place)),
      remedy_(std::move(remedy)),
      reason_in_library_(reason_.in(Voice::library)),
      remedy_in_library_(remedy_.in(Voice::library)),
      message_(line_of(reason_in_library_, place_, remedy_in_library_)) {}

std::string Error::message(Voice voice) const {
  return voice == Voice::library ? message_ : line_of(reason_.in(voice), place_, remedy_.in(voice));
}
}  // namespace sparsecast
