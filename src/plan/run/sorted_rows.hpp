#pragma once
// CSR with the rows sorted by length within windows: rows of one length follow each other, so that the end of a row is
// predicted. The order is undone on output. For one thread; a piece of a plan (host_blocks.hpp).

#include <memory>

#include "formats/host_product.hpp"

namespace sparsecast::planning {

/// Rows of a window: its sums stay in the first-level cache until they are put in their places.
inline constexpr std::int64_t sorted_window_rows = 1024;

template <class Value>
[[nodiscard]] std::unique_ptr<formats::HostProduct<Value>> build_sorted_rows(const Matrix& matrix);

}  // namespace sparsecast::planning
