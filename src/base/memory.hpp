#pragma once
// How much memory this process may use: one function that every allocation which asks first, and every profile, goes by.

#include <cstdint>

namespace sparsecast::base {
/// Bytes: what the machine has, or what a limit leaves of it. Thread safety: safe from several threads at once.
[[nodiscard]] std::int64_t memory_bytes();
}  // namespace sparsecast::base
