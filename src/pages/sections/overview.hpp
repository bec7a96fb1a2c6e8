#pragma once
// Several matrices at a glance: a row for each.

#include "pages/section.hpp"

namespace sparsecast::pages {

Element overview(const std::vector<MatrixDocuments>& matrices);

}  // namespace sparsecast::pages
