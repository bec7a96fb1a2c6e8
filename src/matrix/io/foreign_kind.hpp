#pragma once
// What a file is that is no matrix which can be read here: the formats of neighbours, archives of other kinds, and what
// servers send instead of a matrix.

#include <string_view>

namespace sparsecast::matrix {
/// `name` is empty where the bytes are none of them.
struct ForeignKind {
  std::string_view name;    ///< "an HDF5 file"
  std::string_view remedy;  ///< how a matrix comes out of it
};

/// From the first bytes.
ForeignKind foreign_kind(std::string_view first);
}  // namespace sparsecast::matrix
