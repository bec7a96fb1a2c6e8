#include <sparsecast/error.hpp>
#include <utility>

namespace sparsecast {
namespace {

std::string message(const std::string& reason, const Place& place, const std::string& remedy) {
  std::string text = place.file;
  if (place.line > 0) text += ':' + std::to_string(place.line);
  if (place.line > 0 && place.column > 0) text += ':' + std::to_string(place.column);
  if (!text.empty()) text += ": ";
  text += reason;
  if (!remedy.empty()) text += "; " + remedy;
  return text;
}

}  // namespace

Error::Error(ErrorCode code, std::string reason, Place place, std::string remedy)
    : code_(code), reason_(std::move(reason)), place_(std::move(place)), remedy_(std::move(remedy)) {
  text_ = message(reason_, place_, remedy_);
}

}  // namespace sparsecast
