#pragma once
// Two documents of one kind, before and after: what both have a time for, its ratio, and whether that is more than the
// noise of both.

#include "pages/section.hpp"

namespace sparsecast::pages {

/// Sections for each kind of document that both have. Error bad_input where they have none in common.
Element comparison(const Json& before, const Json& after);

}  // namespace sparsecast::pages
