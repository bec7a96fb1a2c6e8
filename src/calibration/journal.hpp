#pragma once
// How a database of ours is written, with a journal that its file system can keep, and read where it cannot be written.

#include <chrono>
#include <filesystem>

struct sqlite3;

namespace sparsecast::calibration {
/// Begins the journal of a database just opened, and has what follows wait so long for other programs. On a file system
/// of this host, a write-ahead log; on any other (NFS, Lustre, …) a rollback journal, which needs the file's locks
/// alone where a log's index is memory, which hosts do not share (sqlite.org/wal.html). Error failed.
void begin_journal(sqlite3* database, const std::filesystem::path& file, std::chrono::milliseconds wait);

/// False where a database is there that we may not write: one of another user, or on a file system that is mounted to
/// be read. Its folder counts too, where the journal stands.
[[nodiscard]] bool may_be_written(const std::filesystem::path& file);

/// Opens such a one to be read; SQLite's result.
[[nodiscard]] int open_to_read(const std::filesystem::path& file, sqlite3** database);
}  // namespace sparsecast::calibration
