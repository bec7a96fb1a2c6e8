#include "fields/json.hpp"

#include <sparsecast/error.hpp>

namespace sparsecast::fields {
std::string JsonPlace::path() const {
  const std::string before = above == nullptr ? std::string() : above->path();
  if (above == nullptr && key.empty()) return {};
  if (key.empty()) return fmt::format("{}[{}]", before, index);
  return before.empty() ? std::string(key) : fmt::format("{}.{}", before, key);
}

void refuse(const JsonPlace& place, std::string_view reason) {
  const std::string path = place.path();
  throw Error(ErrorCode::bad_input,
              path.empty() ? fmt::format("the document {}", reason) : fmt::format("{} {}", path, reason));
}

void check_bounds(double number, bool whole, const NumberBounds& bounds, const JsonPlace& place) {
  if (whole && number != std::floor(number)) refuse(place, "is not a whole number");
  if (!bounds.given) return;
  // A share may exceed its bound by what rounding to decimals adds.
  const double most = whole ? bounds.most : bounds.most * (1 + 1e-6);
  if ((bounds.above ? number > bounds.least : number >= bounds.least) && number <= most) return;
  refuse(place, fmt::format("is {}, not {} {} and {}{}", number, bounds.above ? "above" : "between", bounds.least,
                            bounds.above ? "at most " : "", bounds.most));
}
}  // namespace sparsecast::fields
