#pragma once
// What `info` tells a person of a matrix.

#include <sparsecast/structure.hpp>

#include "base/page/text_layout.hpp"

namespace sparsecast::matrix {
/// Summary, row-length histogram and spy picture.
std::string structure_report(const Matrix& matrix, const Structure& structure, const base::Layout& page = {},
                             int threads = 0);
}  // namespace sparsecast::matrix
