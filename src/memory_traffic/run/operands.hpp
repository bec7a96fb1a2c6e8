#pragma once
// The sparse matrices that a program multiplied with vectors, as the run-time library wrote them down (SLMspmv.m).

#include <cstddef>
#include <filesystem>
#include <sparsecast/structure.hpp>
#include <vector>

namespace sparsecast::memory_traffic {
/// The structures of the files operand-1, operand-2, … of a folder, until one is missing, which is an error among the
/// first `count`. A file holds three 64-bit sizes (rows, columns, non-zeros), then a 32-bit row and a 32-bit column per
/// non-zero, by rows. Error failed where one holds anything else.
std::vector<Structure> read_operands(const std::filesystem::path& folder, std::size_t count);
}  // namespace sparsecast::memory_traffic
