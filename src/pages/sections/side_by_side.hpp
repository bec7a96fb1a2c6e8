#pragma once
// Two documents of one kind, before and after: what both have a time for, its ratio, and whether that is more than the
// noise of both.

#include "pages/section.hpp"

namespace sparsecast::pages {

struct ComparedPart {
  std::string id, title;
  Element section;
};
/// For each kind of times that both have. Error bad_input where they have none in common.
std::vector<ComparedPart> comparison(const Json& before, const Json& after);

}  // namespace sparsecast::pages
