#pragma once
// The Matrix Market reader: whole files, mapped or compressed. Stretches of a file: market_entries.hpp.

#include <sparsecast/read.hpp>
#include <string>
#include <string_view>

namespace sparsecast::matrix {
/// `bytes` is the file, compressed or not; `file` is for messages. Error as read_matrix.
Matrix::Storage read_market(std::string_view bytes, const std::string& file, const ReadOptions& options);
}  // namespace sparsecast::matrix
