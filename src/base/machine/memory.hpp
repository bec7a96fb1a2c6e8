#pragma once
// How much memory this process may use: one function by which every profile and every allocation that asks first goes.

#include <cstdint>
#include <string_view>

namespace sparsecast::base {
/// What there is, and what sets the limit.
struct MemoryLimit {
  std::int64_t bytes = 0;
  std::string_view set_by;  ///< "the machine's memory", "the control group's limit", "the limit of the address space"
};

/// The least of the machine's memory, of what the control groups allow and of the limits of the process (ulimit -v,
/// -d). The first two do not change while a process lives and are read once. Thread safety: safe from several threads
/// at once.
[[nodiscard]] MemoryLimit memory_limit();

/// memory_limit().bytes.
[[nodiscard]] std::int64_t memory_bytes();
}  // namespace sparsecast::base
