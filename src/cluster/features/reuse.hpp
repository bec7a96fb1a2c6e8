#pragma once
// Cache friendliness of the irregular accesses (Hossain & Saule, section III-C): the matrix is traversed in order, x
// goes through a fully associative LRU cache of whole lines, and what is not there is a miss. Unlike the paper's, the
// second traversal counts, because an iterated product finds in the cache what the one before left there.

#include <cstdint>

#include "cluster/scheme/local_block.hpp"

namespace sparsecast::cluster {
inline constexpr std::int64_t line_bytes = 64;

/// Reads of x, whose entries take so many bytes, that miss a cache of so many lines, in the second traversal of the
/// block. 0 without a simulation where all of x fits.
std::int64_t x_misses(const CsrBlock& block, std::int64_t cache_lines, std::int64_t entry_bytes = 8);
}  // namespace sparsecast::cluster
