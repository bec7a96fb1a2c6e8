#include "answers/in_range.hpp"

#include <cmath>
#include <sparsecast/error.hpp>

#include "fields/wording.hpp"

namespace sparsecast::answers {
namespace {
// at_least() and above() end where a double no longer counts without a gap.
bool has_most(const NumberBounds& bounds) { return bounds.most < at_least(0).most; }
}  // namespace

bool is_allowed(double number, const NumberBounds& bounds) {
  if (std::isnan(number)) return false;
  if (!bounds.given) return true;
  return (bounds.above ? number > bounds.least : number >= bounds.least) && number <= bounds.most;
}

void refuse_number(const FieldInfo& field, double number) {
  const NumberBounds& bounds = field.bounds;
  std::string allowed = "give a number";
  if (bounds.given) allowed += fmt::format(" {} {}", bounds.above ? "above" : "from", bounds.least);
  if (bounds.given && (has_most(bounds) || number > bounds.most))
    allowed += fmt::format(" {} {}", bounds.above ? "and at most" : "to", bounds.most);
  else if (bounds.given && !bounds.above)
    allowed += " on";
  throw Error(ErrorCode::usage, wording::format("{} is {}", wording::option(field.key), number), {}, allowed);
}

void refuse_enumerator(const FieldInfo& field, long value) {
  throw Error(ErrorCode::usage,
              wording::format("{} is {}, which is none of its enumerators", wording::option(field.key), value), {},
              "set it by name");
}
}  // namespace sparsecast::answers
