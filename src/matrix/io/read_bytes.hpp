#pragma once
// A matrix out of the bytes of a file, whatever they are: what a file is follows from them, never from its name.

#include <sparsecast/read.hpp>
#include <string>
#include <string_view>

namespace sparsecast::matrix {
/// As read_matrix(), of a file's bytes, which must be readable as long as this runs. `memory_bytes`: the most that may
/// be unpacked or converted.
Matrix::Storage read_bytes(std::string_view bytes, const std::string& file, std::int64_t memory_bytes,
                           const ReadOptions& options);
}  // namespace sparsecast::matrix
