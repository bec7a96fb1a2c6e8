#pragma once
// What the control groups of a process leave it of the machine: containers, batch systems and service managers limit
// processor time and memory by them. Both versions of the kernel's interface, every spelling of their names.

#include <cstdint>
#include <filesystem>

namespace sparsecast::base {
/// Cores that the groups of a process give it time for, which may be a part of one, by the kernel's files: `own` as
/// /proc/self/cgroup, `root` as /sys/fs/cgroup (cpu.max; cpu.cfs_quota_us of version 1). Infinity where nothing limits
/// it. A group is limited by all above it. Thread safety: safe from several threads at once.
[[nodiscard]] double group_cores(const std::filesystem::path& own, const std::filesystem::path& root);

/// Bytes of memory that they allow it (memory.max; memory.limit_in_bytes of version 1), of swap nothing. INT64_MAX
/// where nothing limits it.
[[nodiscard]] std::int64_t group_memory(const std::filesystem::path& own, const std::filesystem::path& root);
}  // namespace sparsecast::base
