#pragma once
// A matrix as a picture over its rows: where its entries are, how many there are per row, and who multiplies which
// rows.

#include "pages/section.hpp"

namespace sparsecast::pages {

/// `blocks`: of a plan, as optimize's document has them; an empty list where there is none. Nothing where the documents
/// hold neither a picture nor the rows.
MaybeElement row_map(const MatrixDocuments& documents, const Json& blocks);

}  // namespace sparsecast::pages
