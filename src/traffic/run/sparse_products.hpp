#pragma once
// The sparse matrices that a program multiplied vectors with, as the run-time library (SLMspmv) wrote them: what the
// forecast models need to know of them.

#include <filesystem>
#include <sparsecast/structure.hpp>
#include <vector>

namespace sparsecast::traffic {

/// The structures of the files operand-1, operand-2, … of a folder, until one is missing. A file holds three 64-bit
/// sizes (rows, columns, non-zeros), then a 32-bit row and a 32-bit column per non-zero, by rows. Error failed where
/// one holds anything else.
std::vector<Structure> read_operands(const std::filesystem::path& folder);

}  // namespace sparsecast::traffic
